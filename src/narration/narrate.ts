// A narration is its own cache. Each block was encoded by itself, so its frames or samples can be cut out of the joined
// file by the byte ranges in the record. The record is written before the file is replaced and is read with all earlier
// states; the state whose hash matches the file counts, whatever a crash or a merge leaves. Blocks are spoken one after
// the other, so a crash leaves at most one request in doubt.

import { mkdtemp, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { BlockRange } from '../library/LibraryRecord.ts';
import type { Cue } from '../library/transcript/cuesOf.ts';
import { writeSubtitles } from '../library/transcript/writeSubtitles.ts';
import { MediaError } from '../operations/MediaError.ts';
import { cannotKeep } from '../work/jobErrors.ts';
import type { NotJoinedReason, SpeechPiece } from '../work/speech/JoinedSpeech.ts';
import { joinSpeech } from '../work/speech/joinSpeech.ts';
import type { PreviousNarration } from './cutBlocks.ts';
import { cutBlocks } from './cutBlocks.ts';
import type { NarrationBlock } from './NarrationBlock.ts';
import { planNarration } from './planNarration.ts';

export interface NarrateOptions {
  /** The existing narration; its file must match the record. */
  readonly previous?: PreviousNarration | undefined;
  /** Path of a local folder for temporary files, which are removed at the end. */
  readonly workFolder: string;
  /**
   * Speaks one block and keeps its file until the narration is saved, so that it is not paid for again when a later one
   * fails.
   *
   * @param index index among the blocks to speak, from 0
   * @returns the path of a local file, with the extension of its type
   */
  speak(block: NarrationBlock, index: number, count: number): Promise<string>;
  /** Removes what is kept of a block whose sound cannot be used, so that the next attempt speaks it again. */
  drop(block: NarrationBlock): Promise<void>;
}

interface NarratedParts {
  readonly blocks: readonly BlockRange[];
  /** WebVTT text with one cue per block. */
  readonly transcript: string;
}

export interface NarratedFile extends AsyncDisposable {
  /** File extension without the dot. */
  readonly kind: string;
  /** Content of the file; can be read once. */
  readonly data: AsyncIterable<Uint8Array>;
  /** Returns the blocks in the file, after all of `data` has been read. */
  parts(): NarratedParts;
}

/** Formats whose files can be joined. */
export const narrationFormats: readonly string[] = ['mp3', 'wav', 'aac'];

/**
 * Makes one sound file of the blocks. Cuts existing blocks out of the previous narration, and speaks the others one by
 * one, in document order.
 *
 * @throws MediaError
 */
export async function narrate(blocks: readonly NarrationBlock[], options: NarrateOptions): Promise<NarratedFile> {
  const folder = await mkdtemp(join(options.workFolder, 'blocks-')).catch(cannotKeep);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    return { ...(await narrateIn(folder, blocks, options)), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function narrateIn(
  folder: string,
  blocks: readonly NarrationBlock[],
  { previous, speak, drop }: NarrateOptions,
): Promise<Omit<NarratedFile, keyof AsyncDisposable>> {
  const files = new Map<string, string>();
  if (previous) {
    for (const [key, path] of await cutBlocks(previous, new Set(blocks.map(({ key }) => key)), folder)) {
      files.set(key, path);
    }
  }
  const { generate } = planNarration(
    blocks,
    [...files.keys()].map((key) => ({ key })),
  );
  for (const [index, block] of generate.entries()) {
    const file = await speak(block, index, generate.length);
    if (!narrationFormats.includes(kindOf(file))) throw notJoined('kind', kindOf(file));
    files.set(block.key, file);
  }
  const inOrder = blocks.map(({ key }) => files.get(key) ?? '');
  const kind = kindOf(inOrder[0] ?? '');
  const joined = await joinSpeech(kind, inOrder);
  const dropPart = async (part: number): Promise<void> => {
    const block = generate.find(({ key }) => key === blocks[part]?.key);
    if (block) await drop(block);
  };
  if (!joined.joined) {
    if (joined.reason === 'unreadable' && joined.part !== undefined) await dropPart(joined.part);
    throw notJoined(joined.reason, kind);
  }
  return { kind, ...measured(blocks, kind, joined.data, dropPart) };
}

function kindOf(file: string): string {
  return extname(file).slice(1);
}

/** Passes the file on and records the position and duration of its blocks. */
function measured(
  blocks: readonly NarrationBlock[],
  kind: string,
  pieces: AsyncIterable<SpeechPiece>,
  drop: (part: number) => Promise<void>,
) {
  const sizes = blocks.map(() => 0);
  const lengths = blocks.map(() => 0);
  let start = 0;
  async function* data() {
    for await (const { part, bytes, seconds } of pieces) {
      if (part === undefined) {
        // Drop the tag of a part, but keep the header that a WAV file needs.
        if (kind !== 'wav') continue;
        if (sizes.every((size) => size === 0)) start += bytes.length;
      } else {
        sizes[part] = (sizes[part] ?? 0) + bytes.length;
        lengths[part] = (lengths[part] ?? 0) + seconds;
      }
      yield bytes;
    }
    const silent = sizes.indexOf(0);
    if (silent < 0) return;
    await drop(silent);
    throw notJoined('unreadable', kind);
  }
  return {
    data: data(),
    parts: (): NarratedParts => ({
      blocks: rangesOf(blocks, start, sizes),
      transcript: writeSubtitles('vtt', cuesOf(blocks, lengths)),
    }),
  };
}

function rangesOf(blocks: readonly NarrationBlock[], head: number, sizes: readonly number[]): readonly BlockRange[] {
  let end = head;
  return blocks.map(({ key }, index) => {
    const start = end;
    end += sizes[index] ?? 0;
    return { key, start, end };
  });
}

function cuesOf(blocks: readonly NarrationBlock[], lengths: readonly number[]): readonly Cue[] {
  let seconds = 0;
  return blocks.map(({ request }, index) => {
    const start = Math.round(seconds * 1000);
    seconds += lengths[index] ?? 0;
    const lines = request.input.split(/\s*\n\s*/).filter((line) => line !== '');
    return { start, end: Math.round(seconds * 1000), lines };
  });
}

function notJoined(reason: NotJoinedReason, kind: string): MediaError {
  return new MediaError('save', sentenceFor(reason, kind));
}

function sentenceFor(reason: NotJoinedReason, kind: string): string {
  switch (reason) {
    case 'kind':
      return l10n.t('The service sent {0} files, which cannot be joined. Narrate in the format mp3, wav or aac.', kind);
    case 'unreadable':
      return l10n.t('The audio of a paragraph is not a complete {0} file, so the paragraphs cannot be joined.', kind);
    case 'formatsDiffer':
      return l10n.t(
        'The new paragraphs have a different sample rate or number of channels, so they cannot be joined with the others. To have all paragraphs spoken again, delete the narration and narrate again. The service may bill the other paragraphs again, but not the new ones.',
      );
    case 'tooLarge':
      return l10n.t('The narration is too large for a {0} file. Narrate in the format mp3.', kind);
  }
}
