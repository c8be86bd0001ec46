import {
  count,
  either,
  list,
  matching,
  number,
  objectWith,
  optional,
  record,
  type Shape,
  text,
} from '../foreign/shape.ts';
import type { Library } from '../library/Library.ts';
import {
  type BlockRange,
  isInside,
  isSentValue,
  type LibraryEntry,
  type NarrationFacts,
} from '../library/LibraryRecord.ts';
import { defaultOf } from '../operations/operations.ts';
import type { WorkState } from '../work/stateOfWork.ts';
import type { NarrationBlock } from './NarrationBlock.ts';
import { type Speaker, speakerFields } from './Speaker.ts';

export interface NarrationPlan {
  /** Blocks whose sound exists. */
  readonly reuse: readonly NarrationBlock[];
  /** Blocks to speak, without duplicates. */
  readonly generate: readonly NarrationBlock[];
  /** Number of characters to speak, as `String.length` counts. */
  readonly characters: number;
}

/**
 * Plans which blocks must be spoken.
 *
 * @param previous blocks whose sound exists: in the current narration, or as parts that are already paid for
 */
export function planNarration(
  blocks: readonly NarrationBlock[],
  previous: Iterable<{ readonly key: string }>,
): NarrationPlan {
  const known = new Set([...previous].map(({ key }) => key));
  const reuse = blocks.filter(({ key }) => known.has(key));
  const missing = new Map(blocks.filter(({ key }) => !known.has(key)).map((block) => [block.key, block]));
  const generate = [...missing.values()];
  return { reuse, generate, characters: generate.reduce((sum, { request }) => sum + request.input.length, 0) };
}

/** Returns the blocks that earlier runs have paid for; one whose outcome is unknown has to be sent again. */
export function paidBlocks(
  blocks: readonly NarrationBlock[],
  states: ReadonlyMap<string, WorkState> | undefined,
): readonly NarrationBlock[] {
  const isPaid = (state: WorkState | undefined) => state !== undefined && state !== 'unknown' && state !== 'repeatable';
  return blocks.filter(({ key }) => isPaid(states?.get(key)));
}

/** Whether a narration has exactly these blocks, in this order. */
export function isSameNarration(
  blocks: readonly { readonly key: string }[],
  previous: readonly { readonly key: string }[],
): boolean {
  return blocks.length === previous.length && blocks.every(({ key }, index) => key === previous[index]?.key);
}

/** A narration as recorded in a line of the library. A later line may record another state of the same file. */
export interface RecordedNarration {
  /** Permanent id of the record. */
  readonly id: string;
  readonly jobId: string;
  /** Current path of the sound file relative to the workspace folder, with forward slashes. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly mediaType: string;
  readonly createdAt: string;
  readonly document: string;
  /** Its further fields are those that were chosen. */
  readonly speaker: Speaker;
  readonly sandbox: boolean;
  readonly blocks: readonly BlockRange[];
  readonly transcript: NarrationFacts['transcript'];
  readonly credentials?: LibraryEntry['credentials'];
}

/** Returns all recorded states of all narrations in a library, in line order. Skips damaged ones. */
export async function readNarrations(library: Pick<Library, 'versions'>): Promise<readonly RecordedNarration[]> {
  return narrationsIn(await library.versions('"narration":'));
}

/** Returns the narrations among records. Skips damaged ones. */
export function narrationsIn(entries: readonly LibraryEntry[]): readonly RecordedNarration[] {
  return entries.flatMap((entry) => readNarration(entry) ?? []);
}

const isNarrated = objectWith({
  file: text(),
  bytes: number,
  sha256: text(),
  mediaType: text(),
  narration: objectWith({
    document: isInside,
    fields: optional(record(isSentValue)),
    transcript: objectWith({ name: matching(/^[^/\\\0]+\.vtt$/), sha256: text() }),
  }),
});

function readNarration(entry: LibraryEntry): RecordedNarration | undefined {
  if (!isNarrated(entry)) return undefined;
  const { id, jobId, file, bytes, sha256, mediaType, createdAt, model, sandbox, credentials } = entry;
  const { document, fields, transcript } = entry.narration;
  const blocks = readBlockRanges(entry.blocks, bytes);
  const speaker = blocks && readSpeaker({ ...entry.narration, model }, fields);
  if (!speaker) return undefined;
  const facts = { id, jobId, file, bytes, sha256, mediaType, createdAt };
  return { ...facts, document, speaker, sandbox: sandbox === true, blocks, transcript, credentials };
}

/** @returns undefined if a value is damaged; one that is missing was sent as its default, before the field was recorded */
function readSpeaker(
  recorded: Readonly<Record<string, unknown>>,
  fields: NarrationFacts['fields'],
): Speaker | undefined {
  const values = speakerFields.map((field) => [field.name, recorded[field.name] ?? defaultOf(field)] as const);
  if (!values.every(([, value]) => isSpeakerValue(value))) return undefined;
  return { ...Object.fromEntries(values), ...(fields && { further: { values: fields } }) } as Speaker;
}

const isSpeakerValue = either(text(), number);

const maxHeaderBytes = 65_536;

/**
 * Validates the blocks of a record or a lock, which may come from an untrusted source.
 *
 * @param bytes size of the file that contains the blocks
 * @returns undefined unless they are consecutive ranges within the file
 */
export function readBlockRanges(value: unknown, bytes: number): readonly BlockRange[] | undefined {
  if (!isBlocks(value)) return undefined;
  let from = 0;
  for (const { start, end } of value) {
    if (start < from || end <= start || end > bytes) return undefined;
    from = end;
  }
  return value[0] && value[0].start <= maxHeaderBytes ? value : undefined;
}

const isBlocks: Shape<readonly BlockRange[]> = list(
  objectWith({ key: matching(/^[0-9a-f]{64}$/), start: count, end: count, cut: optional(count) }),
  Number.POSITIVE_INFINITY,
);
