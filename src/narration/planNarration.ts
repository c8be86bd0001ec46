import type { Library } from '../library/Library.ts';
import type { BlockRange, LibraryEntry, NarrationFacts } from '../library/LibraryRecord.ts';
import { field } from '../operations/operations.ts';
import type { WorkState } from '../work/Store.ts';
import type { NarrationBlock, Speaker } from './NarrationBlock.ts';

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
  return blocks.filter(({ key }) => states?.has(key) && states.get(key) !== 'unknown');
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
  readonly speaker: Speaker;
  readonly sandbox: boolean;
  readonly blocks: readonly BlockRange[];
  readonly transcript: NarrationFacts['transcript'];
}

const { options: voices } = field('speak', 'voice');

/** Returns all recorded states of all narrations in a library, in line order. Skips damaged ones. */
export async function readNarrations(library: Pick<Library, 'versions'>): Promise<readonly RecordedNarration[]> {
  const entries = await library.versions('"narration":');
  return entries.flatMap((entry) => readNarration(entry) ?? []);
}

function readNarration(entry: LibraryEntry): RecordedNarration | undefined {
  const { id, jobId, file, sha256, mediaType, createdAt, model, sandbox = false } = entry;
  const narration: Readonly<Record<string, unknown>> = { ...entry.narration };
  const { document, response_format, transcript } = narration;
  const voice = voices.find((name) => name === narration.voice);
  const bytes: unknown = entry.bytes;
  if (file === undefined || sha256 === undefined || mediaType === undefined) return undefined;
  if (typeof bytes !== 'number' || typeof document !== 'string' || typeof response_format !== 'string')
    return undefined;
  const blocks = readBlockRanges(entry.blocks, bytes);
  if (!blocks || voice === undefined || !isTranscript(transcript)) return undefined;
  const speaker = { model, voice, response_format };
  const facts = { id, jobId, file, bytes, sha256, mediaType, createdAt };
  return { ...facts, document, speaker, sandbox: sandbox === true, blocks, transcript };
}

function isTranscript(value: unknown): value is NarrationFacts['transcript'] {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('sha256' in value)) return false;
  const { name, sha256 } = value;
  return typeof name === 'string' && /^[^/\\\0]+\.vtt$/.test(name) && typeof sha256 === 'string';
}

const maxHeaderBytes = 65_536;

/**
 * Validates the blocks of a record or a lock, which may come from an untrusted source.
 *
 * @param bytes size of the file that contains the blocks
 * @returns undefined unless they are consecutive ranges within the file
 */
export function readBlockRanges(value: unknown, bytes: number): readonly BlockRange[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const ranges: BlockRange[] = [];
  for (const item of value) {
    const range = readRange(item);
    const from = ranges.at(-1)?.end ?? 0;
    if (!range || range.start < from || range.end <= range.start || range.end > bytes) return undefined;
    ranges.push(range);
  }
  return (ranges[0]?.start ?? 0) <= maxHeaderBytes ? ranges : undefined;
}

function readRange(item: unknown): BlockRange | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const { key, start, end } = item as { readonly [name: string]: unknown };
  const isRange = typeof key === 'string' && /^[0-9a-f]{64}$/.test(key) && isOffset(start) && isOffset(end);
  return isRange ? { key, start, end } : undefined;
}

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
