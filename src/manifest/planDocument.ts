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

/** The blocks of a document to speak, and what has to be sent for them. */
export interface DocumentPlan {
  readonly blocks: readonly NarrationBlock[];
  /** Hash of the text of all blocks. */
  readonly spoken: string;
  /** Requests for the blocks that neither the locked file nor an earlier run provides. */
  readonly requests: number;
  readonly characters: number;
}

export interface DocumentFacts {
  readonly model: string;
  readonly sandbox: boolean;
  /** The lock line of the file, if the file is unchanged. */
  readonly line: LockLine | undefined;
}

export interface NarratorOptions {
  readonly hashes: Pick<FileHashes, 'locate'>;
  readonly speechMaxCharacters: number;
  /** Absolute path of the folder with spoken blocks of earlier runs. If undefined, only the lock counts. */
  readonly partsFolder: string | undefined;
}

/**
 * Plans which blocks of a document have to be spoken. Sends nothing.
 *
 * @throws MediaError `invalidInput` for a document without text, or a format that cannot be joined
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
