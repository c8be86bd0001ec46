import { readFile } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import { spokenBlocks } from '../documents/speech/spokenBlocks.ts';
import { spokenKeys } from '../jobs/speech/speechParts.ts';
import type { NarrationBlock } from '../narration/NarrationBlock.ts';
import { narrationBlocks } from '../narration/NarrationBlock.ts';
import { narrationFormats } from '../narration/narrate.ts';
import { planNarration } from '../narration/planNarration.ts';
import { MediaError } from '../operations/MediaError.ts';
import { speakerOf } from './describeRequest.ts';
import type { FileHashes } from './FileHashes.ts';
import { hashOf } from './FileHashes.ts';
import type { LockLine } from './Lock.ts';
import type { RequestEntry } from './Manifest.ts';

/** What is to be spoken of a document. */
export interface DocumentPlan {
  readonly blocks: readonly NarrationBlock[];
  /** Names all that is spoken. */
  readonly spoken: string;
  /** For what neither the locked file nor an earlier run has left. */
  readonly requests: number;
  readonly characters: number;
}

export interface DocumentFacts {
  readonly model: string;
  readonly sandbox: boolean;
  /** What the lock knows of the file, where that is as it was made. */
  readonly line: LockLine | undefined;
}

export interface NarratorOptions {
  readonly hashes: Pick<FileHashes, 'locate'>;
  readonly speechMaxCharacters: number;
  /** Absolute; blocks that were spoken wait there. Undefined to look only at the lock. */
  readonly partsFolder: string | undefined;
}

/**
 * Finds what is to be spoken of a document, block by block. Sends nothing.
 *
 * @throws MediaError `invalidInput` for a document that says nothing, or a format that cannot be joined
 */
export async function planDocument(
  entry: RequestEntry,
  { model, sandbox, line }: DocumentFacts,
  { hashes, speechMaxCharacters, partsFolder }: NarratorOptions,
): Promise<DocumentPlan> {
  const { document = '' } = entry;
  const speaker = speakerOf(entry, model);
  if (!narrationFormats.includes(speaker.response_format)) {
    const formats = narrationFormats.join(', ');
    throw wrong('document', l10n.t('Audio in this format cannot be joined into one file. Use {0}.', formats));
  }
  const file = await hashes.locate(document);
  const text = file === undefined ? '' : await readFile(file, 'utf8');
  const texts = spokenBlocks(text, '', document);
  const blocks = narrationBlocks(texts, speaker, { sandbox, maxCharacters: speechMaxCharacters });
  if (blocks.length === 0) throw wrong('document', l10n.t('There is no text to read aloud.'));
  const waiting = partsFolder === undefined ? [] : await spokenKeys(partsFolder);
  const { generate, characters } = planNarration(blocks, [...(line?.blocks ?? []), ...waiting]);
  const spoken = hashOf(blocks.map(({ request }) => request.input));
  return { blocks, spoken, requests: generate.length, characters };
}

function wrong(field: string, sentence: string): MediaError {
  return new MediaError('invalidInput', `${field}: ${sentence}`, { field });
}
