import type { Library } from '../library/Library.ts';
import type { BlockRange, LibraryEntry, NarrationFacts } from '../library/LibraryRecord.ts';
import { operations } from '../operations/operations.ts';
import type { Speaker } from './NarrationBlock.ts';
import { readBlockRanges } from './readBlockRanges.ts';

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

const { options: voices } = operations.speak.fields.find((field) => field.name === 'voice') ?? { options: [] };

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
