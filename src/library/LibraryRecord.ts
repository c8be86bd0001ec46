import type { AssetKind, OperationId } from '../operations/operations.ts';
import { operationIds, operations } from '../operations/operations.ts';

/** A line of the library: what a job saved, or a video that the person added by its id. */
export interface LibraryRecord {
  /** Relative to the workspace folder, with forward slashes; none for a video that was added by its id. */
  readonly file?: string;
  readonly kind: AssetKind;
  readonly operation: OperationId;
  readonly model: string;
  readonly prompt?: string;
  readonly mediaType?: string;
  readonly bytes?: number;
  readonly sha256?: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly jobId: string;
  readonly videoId?: string;
  readonly parentVideoId?: string;
  /** True for what the sandbox made. */
  readonly sandbox?: true;
  /** What the service told of cost and use. */
  readonly usage?: Usage;
}

/** Numbers and short words, by name; never an address. */
export interface Usage {
  readonly [name: string]: number | string | boolean | Usage;
}

/** A record as it stands now: its file may have been moved since. */
export interface LibraryEntry extends LibraryRecord {
  /** Names the record for good. */
  readonly id: string;
}

/** A line that changes what an earlier one says. */
export type LibraryChange =
  | { readonly moved: string; readonly file: string }
  /** Taken off the list; its file stays. */
  | { readonly forgotten: string };

export type LibraryLine = LibraryRecord | LibraryChange;

/** The lines of a library as entries, oldest first. Two branches may have mixed their order; a damaged line is left out. */
export function entriesOf(lines: readonly string[]): readonly LibraryEntry[] {
  const entries = new Map<string, LibraryEntry>();
  const moved = new Map<string, string>();
  const forgotten = new Set<string>();
  for (const text of lines) {
    const line = parseLine(text);
    if (!line) continue;
    if ('moved' in line) moved.set(line.moved, line.file);
    else if ('forgotten' in line) forgotten.add(line.forgotten);
    else entries.set(idOf(line), { ...line, id: idOf(line) });
  }
  for (const [id, file] of moved) {
    const entry = entries.get(id);
    if (entry) entries.set(id, { ...entry, file });
  }
  for (const id of forgotten) entries.delete(id);
  return [...entries.values()];
}

/** What names a record: a job may have saved several files. */
export function idOf({ jobId, file, videoId }: LibraryRecord): string {
  return `${jobId}/${file ?? videoId ?? ''}`;
}

function parseLine(text: string): LibraryLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isLine(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const textNames = ['file', 'prompt', 'mediaType', 'sha256', 'videoId', 'parentVideoId'];

function isLine(value: unknown): value is LibraryLine {
  if (typeof value !== 'object' || value === null) return false;
  const line = value as Readonly<Record<string, unknown>>;
  if (typeof line.moved === 'string') return typeof line.file === 'string';
  if (typeof line.forgotten === 'string') return true;
  const operation = operationIds.find((id) => id === line.operation);
  return (
    operation !== undefined &&
    operations[operation].result === line.kind &&
    typeof line.model === 'string' &&
    typeof line.jobId === 'string' &&
    typeof line.createdAt === 'string' &&
    !Number.isNaN(Date.parse(line.createdAt)) &&
    (typeof line.file === 'string' || typeof line.videoId === 'string') &&
    textNames.every((name) => line[name] === undefined || typeof line[name] === 'string')
  );
}
