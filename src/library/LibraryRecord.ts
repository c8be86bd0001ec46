import type { AssetKind, OperationId } from '../operations/operations.ts';
import { operationIds, operations } from '../operations/operations.ts';
import { parseJson } from '../operations/parseJson.ts';

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
  /** The file that a local edit made it from. Operation, model and prompt are then those of that file. */
  readonly madeFrom?: Origin;
  /** Of a narration: what was spoken, in the order of the file. */
  readonly blocks?: readonly BlockRange[];
  /** Of a narration: what it speaks and how. */
  readonly narration?: NarrationFacts;
}

/** A file and its content at a moment. */
interface Origin {
  /** Relative to the workspace folder, with forward slashes; its name alone where it lies outside. */
  readonly file: string;
  readonly sha256: string;
}

/** Where a spoken block lies in a sound file; offsets in bytes, `end` is behind the last one. */
export interface BlockRange {
  /** SHA-256 of what was sent for it, hexadecimal. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

export interface NarrationFacts {
  /** The document, relative to the workspace folder, with forward slashes. */
  readonly document: string;
  readonly voice: string;
  readonly response_format: string;
  /** The file with its cues, in the folder of the sound. */
  readonly transcript: { readonly name: string; readonly sha256: string };
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
type LibraryChange =
  | { readonly moved: string; readonly file: string }
  /** Taken off the list; its file stays. */
  | { readonly forgotten: string };

export type LibraryLine = LibraryRecord | LibraryChange;

/** What the lines of a library come to. Two branches may have mixed their order; a damaged line is left out. */
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

  /** In the order of their lines; one that is as it was is the same object as before. */
  get entries(): readonly LibraryEntry[] {
    for (const [id, file] of this.#moved) {
      const entry = this.#entries.get(id);
      if (entry && entry.file !== file) this.#entries.set(id, { ...entry, file });
    }
    for (const id of this.#forgotten) this.#entries.delete(id);
    return [...this.#entries.values()];
  }
}

/** The lines of a library as entries, oldest first. */
export function entriesOf(lines: readonly string[]): readonly LibraryEntry[] {
  const state = new LibraryState();
  for (const line of lines) state.add(line);
  return state.entries;
}

/** The file that a record names, without parsing its line. */
export function fileOf(line: string): string | undefined {
  const text = /"file"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
  return text?.includes('\\') ? textOf(text) : text?.slice(1, -1);
}

/** Whether a line may be one that changes what an earlier one says. */
export function isChange(line: string): boolean {
  return /"(?:moved|forgotten)"\s*:/.test(line);
}

export function movesOf(lines: readonly string[]): readonly { readonly moved: string; readonly file: string }[] {
  return lines.flatMap((text) => parseLine(text).filter((line) => 'moved' in line));
}

/** Whether the sandbox, or else the service, can remix it: only who made a video can. */
export function canRemix({ videoId, sandbox }: LibraryRecord, isSandbox: boolean): boolean {
  return videoId !== undefined && (sandbox === true) === isSandbox;
}

/** What names a record: a job may have saved several files. */
export function idOf({ jobId, file, videoId }: Pick<LibraryRecord, 'jobId' | 'file' | 'videoId'>): string {
  return `${jobId}/${file ?? videoId ?? ''}`;
}

function textOf(json: string): string | undefined {
  const value = parseJson(json);
  return value === undefined ? undefined : String(value);
}

/** What a line says; several records where the end of a line was lost. */
function parseLine(text: string): readonly LibraryLine[] {
  const value = parseJson(text);
  const values = value === undefined ? text.split(/(?<=\})(?=\{)/).map((piece) => parseJson(piece)) : [value];
  return values.filter(isLine);
}

/** A library comes along with a folder from anywhere: what it names must lie in that folder. */
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
