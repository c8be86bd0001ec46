import type { AssetKind, OperationId } from '../operations/operations.ts';
import { operationIds, operations } from '../operations/operations.ts';
import { parseJson } from '../operations/parseJson.ts';

/** A file that a job saved, with its provenance. Commands resolve to arrays of these. */
export interface Asset {
  readonly uri: string;
  readonly kind: AssetKind;
  readonly operation: OperationId;
  readonly model: string;
  readonly prompt?: string;
  /** For example `image/png`. */
  readonly mediaType: string;
  /** File size. */
  readonly bytes: number;
  /** SHA-256 of the file, hexadecimal. */
  readonly sha256: string;
  /** Creation time, ISO 8601 in UTC. */
  readonly createdAt: string;
  readonly jobId: string;
  /** The service's id of a video, which remixing needs. */
  readonly videoId?: string;
  readonly parentVideoId?: string;
}

/** A line of the library: a file that a job saved, or a video that the person added by its id. */
export interface LibraryRecord {
  /** Path relative to the workspace folder, with forward slashes; absent for a video added by its id. */
  readonly file?: string;
  readonly kind: AssetKind;
  readonly operation: OperationId;
  readonly model: string;
  readonly prompt?: string;
  readonly mediaType?: string;
  readonly bytes?: number;
  readonly sha256?: string;
  /** Creation time, ISO 8601 in UTC. */
  readonly createdAt: string;
  readonly jobId: string;
  readonly videoId?: string;
  readonly parentVideoId?: string;
  /** Set when the sandbox made it. */
  readonly sandbox?: true;
  /** Cost and usage that the service reported. */
  readonly usage?: Usage;
  /** Source file of a local edit. Operation, model and prompt are then those of the source. */
  readonly madeFrom?: Origin;
  /** Spoken blocks of a narration, in file order. */
  readonly blocks?: readonly BlockRange[];
  /** Document and voice of a narration. */
  readonly narration?: NarrationFacts;
}

/** A file and the hash of its content at that time. */
interface Origin {
  /** Path relative to the workspace folder, with forward slashes; only the name for a file outside. */
  readonly file: string;
  readonly sha256: string;
}

/** Byte range of a spoken block in a sound file; `end` is exclusive. */
export interface BlockRange {
  /** SHA-256 of the block's request, hexadecimal. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

export interface NarrationFacts {
  /** Path of the document relative to the workspace folder, with forward slashes. */
  readonly document: string;
  readonly voice: string;
  readonly response_format: string;
  /** The `.vtt` file, in the same folder as the sound. */
  readonly transcript: { readonly name: string; readonly sha256: string };
}

/** Numbers and short words by name, never a URL. */
export interface Usage {
  readonly [name: string]: number | string | boolean | Usage;
}

/** A record with the current path of its file, which may have been moved. */
export interface LibraryEntry extends LibraryRecord {
  /** Permanent id of the record. */
  readonly id: string;
}

/** A line that changes an earlier record. */
type LibraryChange =
  | { readonly moved: string; readonly file: string }
  /** Removes the record from the list; its file stays. */
  | { readonly forgotten: string };

export type LibraryLine = LibraryRecord | LibraryChange;

/** Builds entries from the lines of a library. A merge may have changed their order; damaged lines are skipped. */
export class LibraryState {
  readonly #entries = new Map<string, LibraryEntry>();
  readonly #moved = new Map<string, string>();
  readonly #forgotten = new Set<string>();

  add(text: string): void {
    for (const line of parseLine(text)) {
      if ('moved' in line) this.#moved.set(line.moved, line.file);
      else if ('forgotten' in line) this.#forgotten.add(line.forgotten);
      else {
        const id = idOf(line);
        this.#entries.set(id, { ...line, id });
      }
    }
  }

  /** Entries in line order. An unchanged entry is the same object as before. */
  get entries(): readonly LibraryEntry[] {
    for (const [id, file] of this.#moved) {
      const entry = this.#entries.get(id);
      if (entry && entry.file !== file) this.#entries.set(id, { ...entry, file });
    }
    for (const id of this.#forgotten) this.#entries.delete(id);
    return [...this.#entries.values()];
  }
}

/** Converts the lines of a library to entries, oldest first. */
export function entriesOf(lines: readonly string[]): readonly LibraryEntry[] {
  const state = new LibraryState();
  for (const line of lines) state.add(line);
  return state.entries;
}

/** Returns the file of a record without parsing its whole line. */
export function fileOf(line: string): string | undefined {
  const text = /"file"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
  return text?.includes('\\') ? parseText(text) : text?.slice(1, -1);
}

/** Whether a line may be a {@link LibraryChange}. */
export function isChange(line: string): boolean {
  return /"(?:moved|forgotten)"\s*:/.test(line);
}

export function movesOf(lines: readonly string[]): readonly { readonly moved: string; readonly file: string }[] {
  return lines.flatMap((text) => parseLine(text).filter((line) => 'moved' in line));
}

/** Whether the sandbox or the service can remix a video: each can remix only its own. */
export function canRemix({ videoId, sandbox }: LibraryRecord, isSandbox: boolean): boolean {
  return videoId !== undefined && (sandbox === true) === isSandbox;
}

/** Returns the id of a record, which includes the file because a job may save several. */
export function idOf({ jobId, file, videoId }: Pick<LibraryRecord, 'jobId' | 'file' | 'videoId'>): string {
  return `${jobId}/${file ?? videoId ?? ''}`;
}

function parseText(json: string): string | undefined {
  const value = parseJson(json);
  return value === undefined ? undefined : String(value);
}

/** Parses a line, which holds several records when a line break was lost. */
function parseLine(text: string): readonly LibraryLine[] {
  const value = parseJson(text);
  const values = value === undefined ? text.split(/(?<=\})(?=\{)/).map((piece) => parseJson(piece)) : [value];
  return values.filter(isLine);
}

/** Whether a path stays inside the workspace folder. A library may come from an untrusted source. */
function isInside(file: unknown): boolean {
  return typeof file === 'string' && !/^([a-z]:|[/\\])|\0|(^|[/\\])\.\.([/\\]|$)/i.test(file);
}

function isOrigin(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { file, sha256 } = value as Readonly<Record<string, unknown>>;
  return isInside(file) && typeof sha256 === 'string';
}

const textNames = ['file', 'prompt', 'mediaType', 'sha256', 'videoId', 'parentVideoId'];

function isLine(value: unknown): value is LibraryLine {
  if (typeof value !== 'object' || value === null) return false;
  const line = value as Readonly<Record<string, unknown>>;
  if (line.file !== undefined && !isInside(line.file)) return false;
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
    (line.madeFrom === undefined || isOrigin(line.madeFrom)) &&
    textNames.every((name) => line[name] === undefined || typeof line[name] === 'string')
  );
}

const maxDepth = 4;

/**
 * Returns the reported cost and usage, limited to what is safe in a workspace: numbers, booleans and short words.
 *
 * @param reported value from the service's answer
 */
export function usageOf(reported: unknown, depth = 0): Usage | undefined {
  if (typeof reported !== 'object' || reported === null || Array.isArray(reported)) return undefined;
  if (depth > maxDepth) return undefined;
  const known = Object.entries(reported).flatMap(([name, value]: [string, unknown]) => {
    const kept = isShort(value) ? value : usageOf(value, depth + 1);
    return kept === undefined || !/^[\w.-]{1,60}$/.test(name) ? [] : [[name, kept] as const];
  });
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

function isShort(value: unknown): value is number | boolean | string {
  if (typeof value === 'string') return /^[A-Za-z ]{1,20}$/.test(value);
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}
