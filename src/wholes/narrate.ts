import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { BlockRange, LibraryRecord, RecordedMarks } from '../library/LibraryRecord.ts';
import { keptMarks, marked } from '../library/recordedMarks.ts';
import { marksOfAll } from '../marks/readMarks.ts';
import { MediaError } from '../operations/MediaError.ts';
import { joinedKinds, joinSpeech, markFor, type NotJoinedReason, type SpeechPiece } from '../sound/joinSpeech.ts';
import { writeSubtitles } from '../transcripts/subtitles.ts';
import type { RunProgress } from '../work/Attempt.ts';
import { cannotKeep } from '../work/jobErrors.ts';
import { cuesOf } from './cuesOf.ts';
import { eachInTurn } from './eachInTurn.ts';
import type { NarrationBlock } from './NarrationBlock.ts';
import { planNarration } from './planNarration.ts';
import type { SpokenWhole } from './speakInParts.ts';

// A narration is its own cache. Each block was encoded by itself, so its frames or samples can be cut out of the joined
// file by the byte ranges in the record. The record is written before the file is replaced and is read with all earlier
// states; the state whose hash matches the file counts, whatever a crash or a merge leaves. Only a few blocks are spoken at
// a time, so a crash leaves at most as many requests in doubt.

/** How blocks are spoken and joined. */
interface NarrateOptions {
  /** The existing narration; its file must match the record. */
  readonly previous?: PreviousNarration;
  /** Keys of blocks that are spoken again although the narration has them. */
  readonly again?: ReadonlySet<string>;
  /** How many blocks are spoken at a time; one if absent. */
  readonly atOnce?: number;
  /** Whether the file says that a model spoke it, where its format can. */
  readonly isMarked?: boolean;
  /** Called before each block that is spoken. */
  onProgress?(progress: RunProgress): void;
  /** Called with the path of the file of each block as soon as it is there. */
  onFile?(key: string, file: string): void;
}

export interface NarratedFile extends AsyncDisposable {
  /** File extension without the dot. */
  readonly kind: string;
  /** Content of the file; can be read once. */
  readonly data: AsyncIterable<Uint8Array>;
  /** What becomes of the marks of the blocks. */
  readonly marks: RecordedMarks;
  /** Returns the blocks in the file and WebVTT text with one cue per block, after all of `data` has been read. */
  parts(): { readonly blocks: readonly BlockRange[]; readonly transcript: string };
}

/** Formats whose files can be joined. */
export const narrationFormats: readonly string[] = joinedKinds;

/**
 * Makes one sound file of the blocks. Cuts existing blocks out of the previous narration, and speaks the others in
 * document order. After a failure no further block begins, and those that have begun are kept.
 *
 * @param whole keeps what is spoken until the narration is saved; its folder is for temporary files
 * @throws MediaError
 */
export async function narrate(
  blocks: readonly NarrationBlock[],
  whole: Pick<SpokenWhole, 'folder' | 'speak' | 'refuse'>,
  options: NarrateOptions,
): Promise<NarratedFile> {
  const folder = await mkdtemp(join(whole.folder, 'blocks-')).catch(cannotKeep);
  // A folder that stays must not turn success into failure, nor hide an error.
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  try {
    return { ...(await narrateIn(folder, blocks, whole, options)), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function narrateIn(
  folder: string,
  blocks: readonly NarrationBlock[],
  whole: Pick<SpokenWhole, 'speak' | 'refuse'>,
  { previous, again, atOnce = 1, isMarked, onProgress, onFile }: NarrateOptions,
): Promise<Omit<NarratedFile, keyof AsyncDisposable>> {
  const files = new Map<string, string>();
  const add = (key: string, file: string): void => {
    files.set(key, file);
    onFile?.(key, file);
  };
  if (previous) {
    const keys = blocks.map(({ key }) => key).filter((key) => !again?.has(key));
    for (const [key, path] of await cutBlocks(previous, new Set(keys), folder)) {
      add(key, path);
    }
  }
  const { generate } = planNarration(
    blocks,
    [...files.keys()].map((key) => ({ key })),
  );
  await eachInTurn(generate, atOnce, async (block, index) => {
    onProgress?.({ stage: 'speaking', paragraph: index + 1, paragraphs: generate.length });
    const file = await whole.speak(block);
    if (!narrationFormats.includes(kindOf(file))) throw notJoined('kind', kindOf(file));
    add(block.key, file);
  });
  const inOrder = blocks.map(({ key }) => files.get(key) ?? '');
  const kind = kindOf(inOrder[0] ?? '');
  // Read as another kind, what a service sent would count as damaged.
  if (inOrder.some((file) => kindOf(file) !== kind)) throw notJoined('formatsDiffer', kind);
  const mark = isMarked ? markFor(kind) : undefined;
  const joined = await joinSpeech(kind, inOrder, { mark, dropsTag: true });
  const refusePart = async (part: number): Promise<never> => {
    const error = notJoined('unreadable', kind);
    const block = generate.find(({ key }) => key === blocks[part]?.key);
    // Even if it cannot be kept, as on a full disk, the reason has to be reported.
    throw block ? await whole.refuse(block, error).catch(() => error) : error;
  };
  if (!joined.joined) {
    if (joined.reason === 'unreadable' && joined.part !== undefined) await refusePart(joined.part);
    throw notJoined(joined.reason, kind);
  }
  // A block of the existing narration was cut before.
  const known = new Map(previous?.blocks.map(({ key, cut: before = 0 }) => [key, before]));
  const spoken = new Set(generate.map(({ key }) => key));
  const cut = blocks.map(
    ({ key }, index) => Math.round((joined.cut[index] ?? 0) * 1000) + (spoken.has(key) ? 0 : (known.get(key) ?? 0)),
  );
  const lost = previous?.credentials === 'lost' && generate.length < blocks.length;
  const marks = keptMarks(await marksOfAll(generate.map(({ key }) => files.get(key) ?? '')), marked(mark));
  return {
    kind,
    marks: lost ? { ...marks, credentials: 'lost' } : marks,
    ...measured(blocks, joined.data, cut, refusePart),
  };
}

function kindOf(file: string): string {
  return extname(file).slice(1);
}

/** Passes the file on and records the position and duration of its blocks. */
function measured(
  blocks: readonly NarrationBlock[],
  pieces: AsyncIterable<SpeechPiece>,
  cut: readonly number[],
  refuse: (part: number) => Promise<never>,
) {
  const sizes = blocks.map(() => 0);
  const lengths = blocks.map(() => 0);
  let start = 0;
  async function* data() {
    for await (const { part, bytes, seconds } of pieces) {
      if (part === undefined) {
        // The header of a WAV file, or the tag of an MP3 with our mark.
        if (sizes.every((size) => size === 0)) start += bytes.length;
      } else {
        sizes[part] = (sizes[part] ?? 0) + bytes.length;
        lengths[part] = (lengths[part] ?? 0) + seconds;
      }
      yield bytes;
    }
    const silent = sizes.indexOf(0);
    if (silent >= 0) await refuse(silent);
  }
  return {
    data: data(),
    parts: () => ({
      blocks: rangesOf(blocks, start, sizes, cut),
      transcript: writeSubtitles('vtt', cuesOf(blocks, lengths)),
    }),
  };
}

/** @param cut silence that was cut from each block, in milliseconds */
function rangesOf(
  blocks: readonly NarrationBlock[],
  head: number,
  sizes: readonly number[],
  cut: readonly number[],
): readonly BlockRange[] {
  let end = head;
  return blocks.map(({ key }, index) => {
    const start = end;
    end += sizes[index] ?? 0;
    const range = { key, start, end };
    return cut[index] ? { ...range, cut: cut[index] } : range;
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
        'The new paragraphs have a different format, sample rate or number of channels, so they cannot be joined with the others. To have all paragraphs spoken again, delete the narration and narrate again. The service may bill the other paragraphs again, but not the new ones.',
      );
    case 'tooLarge':
      return l10n.t('The narration is too large for a {0} file. Narrate in the format mp3.', kind);
  }
}

/** An existing narration. */
export interface PreviousNarration {
  /** File extension without the dot. */
  readonly kind: string;
  /** SHA-256 of the file, hexadecimal. */
  readonly sha256: string;
  /** Block ranges in file order, as `readBlockRanges` returns them. */
  readonly blocks: readonly BlockRange[];
  readonly credentials?: LibraryRecord['credentials'];
  /** Streams the file. */
  stream(): AsyncIterable<Uint8Array>;
}

/**
 * Cuts blocks out of a narration, each into its own file. Each file starts with what precedes the first block, which is
 * the header of a WAV file.
 *
 * @param keys keys of the requested blocks
 * @param folder an empty folder
 * @returns the paths of the files by key, without blocks that the narration does not have
 * @throws MediaError `save` when the file has changed since it was recorded
 */
async function cutBlocks(
  previous: PreviousNarration,
  keys: ReadonlySet<string>,
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  const requested = new Map(previous.blocks.filter(({ key }) => keys.has(key)).map((range) => [range.key, range]));
  const ranges = [...requested.values()].sort((a, b) => a.start - b.start);
  if (ranges.length === 0) return new Map();
  const headLength = previous.blocks[0]?.start ?? 0;
  const pathOf = ({ key }: BlockRange) => join(folder, `${key}.${previous.kind}`);
  const hash = createHash('sha256');
  const head: Uint8Array[] = [];
  let position = 0;
  let next = 0;
  let file: FileHandle | undefined;
  try {
    for await (const chunk of previous.stream()) {
      hash.update(chunk);
      // Copy the bytes, because the reader may reuse a chunk's memory.
      if (position < headLength) head.push(Uint8Array.from(chunk.subarray(0, headLength - position)));
      const end = position + chunk.length;
      for (let range = ranges[next]; range && range.start < end; range = ranges[next]) {
        if (!file) {
          file = await open(pathOf(range), 'wx');
          for (const bytes of head) await file.write(bytes);
        }
        await file.write(chunk.subarray(Math.max(0, range.start - position), range.end - position));
        if (range.end > end) break;
        await file.close();
        file = undefined;
        next++;
      }
      position = end;
    }
  } finally {
    await file?.close();
  }
  if (hash.digest('hex') !== previous.sha256) throw changedFile();
  return new Map(ranges.map((range) => [range.key, pathOf(range)]));
}

function changedFile(): MediaError {
  const sentence = l10n.t(
    'Nothing was sent, because the narration file changed while it was being read. Narrate again to see what needs to be spoken.',
  );
  return new MediaError('save', sentence);
}
