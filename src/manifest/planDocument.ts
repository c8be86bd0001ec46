import { stat } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import { pointerProblem } from '../files/lfsPointer.ts';
import { readText } from '../files/readText.ts';
import { hashOf } from '../files/sha256.ts';
import { MediaError } from '../operations/MediaError.ts';
import { type DocumentReader, maxUnaskedLength } from '../reading/DocumentReader.ts';
import { type NarrationBlock, narrationBlocks } from '../wholes/NarrationBlock.ts';
import { narrationFormats, type PreviousNarration } from '../wholes/narrate.ts';
import { isSameNarration, narrationsIn, paidBlocks, planNarration } from '../wholes/planNarration.ts';
import { isSameSpeaker, type Speaker } from '../wholes/Speaker.ts';
import { maxCharactersOf, type SpeechLimits } from '../wholes/speakInParts.ts';
import { splitText } from '../wholes/splitText.ts';
import { speechKey, wholeKey } from '../wholes/wholeKey.ts';
import { speakerOf } from './describeRequest.ts';
import type { FileHashes } from './FileHashes.ts';
import { keptFor } from './keptNarrations.ts';
import type { LeftWork } from './LeftWork.ts';
import type { LockLine } from './Lock.ts';
import type { RequestEntry } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';

/** The parts that a text is spoken in, and what has to be sent for them. */
export interface PartsPlan {
  readonly blocks: readonly NarrationBlock[];
  /** Maximum length of a part. */
  readonly maxCharacters: number;
  /** Requests for the parts that neither the locked file nor an earlier run provides. */
  readonly requests: number;
  readonly characters: number;
  /**
   * `unknown` if one of these requests was sent before; `unusable` if the answer for a part cannot be used; `repeatable` if
   * all that were sent before can be sent again under the same key.
   */
  readonly waiting: 'unknown' | 'unusable' | 'repeatable' | undefined;
}

/** The blocks of a document to speak. */
export interface DocumentPlan extends PartsPlan {
  /** Hash of the text that is spoken, before it is split into parts. */
  readonly spoken: string;
  /** Its path. */
  readonly document: string;
  /** What the file in place was made from: its line of the lock, else what the library knows of it. */
  readonly line: LockLine | undefined;
  /** How many paragraphs of the text the file in place does not have. */
  readonly outOfDate: number;
  /** Whether the file in place has exactly the paragraphs of the text. */
  readonly isSame: boolean;
  /** A replaced narration that has more of the blocks than the one in place. */
  readonly kept: PreviousNarration | undefined;
}

export interface DocumentFacts {
  readonly model: string;
  /** Hash of the file in place. */
  readonly output?: string;
  /** The lock line of the file, if the file is unchanged. */
  readonly line: LockLine | undefined;
  /** Returns the key of the note on the parts, given the hash of the document's text. */
  noteOn(spoken: string): string;
}

type NarrationProject = Pick<ManifestProject, 'narrationKey'> & { readonly hashes: Pick<FileHashes, 'locate'> };

/**
 * Plans which blocks of a document have to be spoken. Sends nothing.
 *
 * @param options `isUnasked` if nobody asked for the plan; a document above 1 MB is not read then
 * @param work undefined to consider only the lock
 * @throws MediaError `invalidInput` for a document without text or that cannot be read in time, a Git LFS pointer, or a
 *   format that cannot be joined
 */
export async function planDocument(
  project: NarrationProject,
  entry: RequestEntry,
  { model, output, line: locked, noteOn }: DocumentFacts,
  options: SpeechLimits & { readonly sandbox: boolean } & {
    readonly documents: DocumentReader;
    readonly isUnasked?: boolean;
  },
  work: LeftWork | undefined,
): Promise<DocumentPlan> {
  const { sandbox, documents, isUnasked } = options;
  const { document = '' } = entry;
  const speaker = speakerOf(entry, model);
  checkJoins(speaker.response_format);
  const file = await project.hashes.locate(document);
  if (file !== undefined && isUnasked && (await stat(file)).size > maxUnaskedLength) {
    throw wrong('document', l10n.t('{0} is larger than 1 MB. Plan Assets shows its state.', document));
  }
  const text = file === undefined ? '' : await readText(file);
  const pointer = pointerProblem(document, text);
  if (pointer !== undefined) throw wrong('document', pointer);
  const texts = await documents.spokenBlocks(text, '', document);
  // Hash the text before it is split, so that the setting makes nothing stale.
  const whole = narrationBlocks(texts, speaker, { sandbox, maxCharacters: 0 });
  const spoken = hashOf(
    whole.map(({ request: { input, voice } }) => (voice === speaker.voice ? input : { input, voice })),
  );
  const request = { ...speaker, input: document };
  const own = { key: project.narrationKey(entry.path), note: noteOn(spoken), request };
  const begun = await Promise.all([own.key, own.note].map((key) => work?.partsOf(key) ?? []));
  const maxCharacters = maxCharactersOf(own, begun.flat(), options);
  const blocks = narrationBlocks(texts, speaker, { sandbox, maxCharacters });
  if (blocks.length === 0) throw wrong('document', l10n.t('There is no text to read aloud.'));
  const line = locked?.blocks
    ? locked
    : ((await knownLine(project, entry, { speaker, output, locked }, work)) ?? locked);
  const current = line?.blocks ?? [];
  // A person may have deleted the file to have all of it spoken again.
  const kept = line && (await keptFor(blocks, current, (await work?.keptNarrations(entry.path)) ?? []));
  const isOfSandbox = line?.sandbox === true;
  const ofText =
    isOfSandbox === sandbox ? blocks : narrationBlocks(texts, speaker, { sandbox: isOfSandbox, maxCharacters });
  const outOfDate = ofText.length - planNarration(ofText, current).reuse.length;
  const compared = { document, line, outOfDate, isSame: isSameNarration(ofText, current) };
  return { spoken, maxCharacters, kept, ...compared, ...(await planBlocks(blocks, kept?.blocks ?? current, work)) };
}

/**
 * Returns the line of a file whose paragraphs the library knows: a narration of the entry's document by its speaker. From
 * which text it was made is not known.
 */
async function knownLine(
  { hashes }: NarrationProject,
  entry: RequestEntry,
  {
    speaker,
    output,
    locked,
  }: Pick<DocumentFacts, 'output'> & { readonly speaker: Speaker; readonly locked?: LockLine },
  work: LeftWork | undefined,
): Promise<LockLine | undefined> {
  if (output === undefined || !work) return undefined;
  const { path, further } = entry;
  const known = narrationsIn(await work.narrationsOf(entry)).findLast(
    (one) => one.sha256 === output && isSameSpeaker(one.speaker, speaker, further?.declared),
  );
  const file = known && (await hashes.locate(path));
  // The paragraphs cannot be taken from a Git LFS pointer.
  if (file === undefined || (await stat(file)).size !== known?.bytes) return undefined;
  const lost = known.credentials === 'lost' ? known.credentials : undefined;
  const made = { path, output, sandbox: known.sandbox || undefined, credentials: lost };
  return { ...(locked ?? made), blocks: [...known.blocks] };
}

/**
 * Plans which parts of a long text have to be spoken; none for a text that is sent as one.
 *
 * @throws MediaError `invalidInput` for a format that cannot be joined
 */
export async function planText(
  entry: RequestEntry,
  model: string,
  options: SpeechLimits & { readonly sandbox: boolean },
  work: LeftWork | undefined,
): Promise<PartsPlan | undefined> {
  const { sandbox } = options;
  const { input: text = '' } = entry.values;
  const speaker = speakerOf(entry, model);
  const request = { ...speaker, input: text };
  const own = { key: wholeKey(speechKey({ sandbox, request })), request };
  const maxCharacters = maxCharactersOf(own, (await work?.partsOf(own.key)) ?? [], options);
  const parts = splitText(text, maxCharacters);
  if (parts.length < 2) return undefined;
  checkJoins(speaker.response_format);
  const blocks = parts.map((input) => {
    const sent = { ...speaker, input };
    return { key: speechKey({ sandbox, request: sent }), request: sent };
  });
  return { maxCharacters, ...(await planBlocks(blocks, [], work)) };
}

async function planBlocks(
  blocks: readonly NarrationBlock[],
  locked: readonly { readonly key: string }[],
  work: LeftWork | undefined,
): Promise<Omit<PartsPlan, 'maxCharacters'>> {
  const states = await work?.statesOf(blocks.map(({ key }) => key));
  const { generate, characters } = planNarration(blocks, [...locked, ...paidBlocks(blocks, states)]);
  const left = planNarration(blocks, locked).generate.map(({ key }) => states?.get(key));
  const waiting = (['unknown', 'unusable', 'repeatable'] as const).find((state) => left.includes(state));
  return { blocks, requests: generate.length, characters, waiting };
}

function checkJoins(format: string): void {
  if (narrationFormats.includes(format)) return;
  const formats = narrationFormats.join(', ');
  throw wrong('response_format', l10n.t('Audio in this format cannot be joined into one file. Use {0}.', formats));
}

function wrong(field: string, sentence: string): MediaError {
  return new MediaError('invalidInput', `${field}: ${sentence}`, { field });
}
