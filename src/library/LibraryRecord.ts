import {
  either,
  flag,
  list,
  matching,
  number,
  objectWith,
  oneOf,
  optional,
  record,
  type Shape,
  text,
  that,
} from '../foreign/shape.ts';
import type { DigitalSource } from '../marks/DigitalSource.ts';
import type { MarkKind } from '../marks/readMarks.ts';
import type { FurtherValue } from '../operations/Further.ts';
import {
  type AssetKind,
  type MediaRequest,
  type OperationId,
  operationIds,
  operations,
} from '../operations/operations.ts';
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
  /** How it differs from what was asked for. */
  readonly differs?: readonly Difference[];
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
  /** Cost and usage that the service reported. Read by `usageOf`, since a damaged record may hold anything. */
  readonly usage?: unknown;
  /** What a request was made from. Read by `inputsOf`, which also knows older records. */
  readonly inputs?: readonly RecordedInput[];
  /** What was sent beside model, prompt and inputs, by field. */
  readonly values?: Readonly<Record<string, FurtherValue>>;
  /** How the saved file differs from what was asked for. */
  readonly differs?: readonly Difference[];
  /** Source file of a local edit, and the hash of its content at that time. Operation, model and prompt are then those of the source. */
  readonly madeFrom?: {
    /** Path relative to the workspace folder, with forward slashes; only the name for a file outside. */
    readonly file: string;
    readonly sha256: string;
  };
  /** Marks of origin that arrived with the file, none of them verified; `lost` if a local step could not keep them. */
  readonly credentials?: readonly MarkKind[] | 'lost';
  /** What a local step wrote into the file about its origin. */
  readonly digitalSourceType?: DigitalSource;
  /** Spoken blocks of a narration, in file order. */
  readonly blocks?: readonly BlockRange[];
  /** The `.vtt` file with the times of a transcript, in the same folder. */
  readonly times?: BesideFile;
  /** Document and voice of a narration. */
  readonly narration?: NarrationFacts;
}

/** A file or an address that a request was made from. */
export interface RecordedInput {
  /** Name of the field in the request. */
  readonly field: string;
  /** Path relative to the workspace folder, with forward slashes. */
  readonly file?: string;
  /** Name of a file outside the workspace folder. */
  readonly name?: string;
  /** URL that the service fetched, without user, query and fragment. */
  readonly address?: string;
  /** SHA-256 of the content that was sent, hexadecimal. */
  readonly sha256?: string;
}

/** What a field asked for, and what was measured instead: `size`, `1536x1024`, `1024x1024`. */
export interface Difference {
  readonly field: string;
  readonly asked: string;
  readonly got: string;
}

export type RecordedMarks = Pick<LibraryRecord, 'credentials' | 'digitalSourceType'>;

/** Byte range of a spoken block in a sound file; `end` is exclusive. */
export interface BlockRange {
  /** SHA-256 of the block's request, hexadecimal. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
  /** Silence that was cut from the block as it was spoken, in milliseconds. */
  readonly cut?: number;
}

/** A file in the same folder as the one of its record. */
export interface BesideFile {
  readonly name: string;
  /** Hexadecimal. */
  readonly sha256: string;
}

export interface NarrationFacts extends Omit<MediaRequest<'speak'>, 'model' | 'input' | 'further'> {
  /** Path of the document relative to the workspace folder, with forward slashes. */
  readonly document: string;
  /** Further fields that were chosen. Those that only had their default follow its declaration. */
  readonly fields?: Readonly<Record<string, FurtherValue>>;
  /** The `.vtt` file, in the same folder as the sound. */
  readonly transcript: BesideFile;
}

/** Numbers and short words by name, never a URL. */
export interface Usage {
  readonly [name: string]: number | string | boolean | Usage;
}

/** A record with the current path of its file, which may have been moved. */
export interface LibraryEntry extends LibraryRecord {
  /** Permanent id of the record. */
  readonly id: string;
  /** Set while the person has marked it with a star. */
  readonly starred?: true;
}

/** A line that changes an earlier record. */
type LibraryChange =
  | {
      readonly moved: string;
      readonly file: string;
      readonly times?: BesideFile;
      /** Marks that were lost or added by the move. An empty object restores the record's own marks. */
      readonly marks?: RecordedMarks;
    }
  /** Removes the record from the list; its file stays. */
  | { readonly forgotten: string }
  /** The last of these counts. Versions that do not know them skip them. */
  | { readonly starred: string }
  | { readonly unstarred: string };

export type LibraryLine = LibraryRecord | LibraryChange;

/** Builds entries from the lines of a library. A merge may have changed their order; damaged lines are skipped. */
export class LibraryState {
  readonly #entries = new Map<string, LibraryEntry>();
  readonly #moved = new Map<string, Pick<LibraryRecord, 'file' | 'times'> & { readonly marks?: RecordedMarks }>();
  readonly #recordedMarks = new Map<string, RecordedMarks>();
  readonly #forgotten = new Set<string>();
  readonly #starred = new Map<string, boolean>();

  add(written: string): void {
    for (const line of parseLine(written)) {
      if ('moved' in line) {
        const { marks = this.#moved.get(line.moved)?.marks } = line;
        this.#moved.set(line.moved, {
          file: line.file,
          ...(line.times ? { times: line.times } : {}),
          ...(marks ? { marks } : {}),
        });
      } else if ('forgotten' in line) this.#forgotten.add(line.forgotten);
      else if ('starred' in line) this.#starred.set(line.starred, true);
      else if ('unstarred' in line) this.#starred.set(line.unstarred, false);
      else {
        const id = idOf(line);
        this.#entries.set(id, { ...line, id });
        if (line.credentials || line.digitalSourceType) this.#recordedMarks.set(id, recordedMarks(line));
      }
    }
  }

  /** Entries in line order. An unchanged entry is the same object as before. */
  get entries(): readonly LibraryEntry[] {
    for (const id of [...this.#moved.keys(), ...this.#starred.keys()]) {
      const entry = this.#entries.get(id);
      if (entry) this.#entries.set(id, this.#changed(entry, this.#recordedMarks.get(id)));
    }
    for (const id of this.#forgotten) this.#entries.delete(id);
    return [...this.#entries.values()];
  }

  /** Returns the records of a line, which need not be added, with the changes that were. */
  versionsIn(written: string): readonly LibraryEntry[] {
    return parseLine(written).flatMap((line) => {
      if ('moved' in line || 'forgotten' in line || 'starred' in line || 'unstarred' in line) return [];
      const id = idOf(line);
      return this.#forgotten.has(id) ? [] : [this.#changed({ ...line, id }, recordedMarks(line))];
    });
  }

  /** @param own the marks of its record */
  #changed(entry: LibraryEntry, own: RecordedMarks | undefined): LibraryEntry {
    const { id } = entry;
    let changed = entry;
    const { marks, ...moved } = this.#moved.get(id) ?? {};
    if (moved.file !== undefined) {
      const hasNewTimes = moved.times !== undefined && entry.times?.sha256 !== moved.times.sha256;
      const { credentials, digitalSourceType } = { ...own, ...marks };
      const hasNewMarks = entry.credentials !== credentials || entry.digitalSourceType !== digitalSourceType;
      if (entry.file !== moved.file || hasNewTimes || (marks && hasNewMarks)) {
        changed = { ...entry, ...moved, ...(marks && { credentials, digitalSourceType }) };
      }
    }
    const isStarred = this.#starred.get(id) ?? changed.starred === true;
    if ((changed.starred === true) === isStarred) return changed;
    const { starred: _, ...unstarred } = changed;
    return isStarred ? { ...unstarred, starred: true } : unstarred;
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
  // A path of the maximum length whose characters are all escaped. Much longer ones would overflow the stack.
  const file = /"file"\s*:\s*("(?:[^"\\]|\\.){0,10000}")/.exec(line)?.[1];
  return file?.includes('\\') ? parseJson<string>(file) : file?.slice(1, -1);
}

/** Whether a line may be a {@link LibraryChange}. */
export function isChange(line: string): boolean {
  return /"(?:moved|forgotten|(?:un)?starred)"\s*:/.test(line);
}

export function movesOf(lines: readonly string[]): readonly { readonly moved: string; readonly file: string }[] {
  return lines.flatMap((line) => parseLine(line).filter((one) => 'moved' in one));
}

/** Whether the sandbox or the service can remix a video: each can remix only its own. */
export function canRemix({ videoId, sandbox }: LibraryRecord, isSandbox: boolean): boolean {
  return videoId !== undefined && (sandbox === true) === isSandbox;
}

/** Returns the id of a record, which includes the file because a job may save several. */
export function idOf({ jobId, file, videoId }: Pick<LibraryRecord, 'jobId' | 'file' | 'videoId'>): string {
  return `${jobId}/${file ?? videoId ?? ''}`;
}

/** Parses a line. It holds several records if a line break was lost, and the first may begin with a byte order mark. */
function parseLine(line: string): readonly LibraryLine[] {
  const written = line.replace(/^\ufeff/, '');
  const value = parseJson(written);
  const values = value === undefined ? written.split(/(?<=\})(?=\{)/).map((piece) => parseJson(piece)) : [value];
  return values.filter(isLine);
}

// A library may come from an untrusted source, so each line is checked. Properties of later versions are kept.

// What a view needs to list a record is short, since a view takes no message with a longer id. In characters.
const maxPath = 2000;
const maxId = 500;
const maxTime = 100;

/** A path that stays inside the workspace folder. */
export const isInside = that(text(maxPath), (file) => !/^([a-z]:|[/\\])|\0|(^|[/\\])\.\.([/\\]|$)/i.test(file));
const isBeside = objectWith({ name: matching(/^[^/\\\0]+\.vtt$/), sha256: text() });
const isInput = objectWith({
  field: text(),
  file: optional(isInside),
  name: optional(text()),
  address: optional(text()),
  sha256: optional(text()),
});
const isDifference = objectWith({ field: text(200), asked: text(200), got: text(200) });
const manyTexts = list(text(), Number.POSITIVE_INFINITY);
export const isSentValue: Shape<FurtherValue> = either(either(text(), number), either(flag, manyTexts));

const marks = {
  credentials: optional(either(oneOf(['lost']), manyTexts)),
  digitalSourceType: optional(text()),
};

const absent = optional((_value): _value is never => false);

const isMove = objectWith({
  moved: text(),
  file: isInside,
  times: optional(isBeside),
  marks: optional(objectWith(marks)),
});
const isForgotten = objectWith({ forgotten: text(), moved: absent });
const isStarred = objectWith({ starred: text(), moved: absent });
const isUnstarred = objectWith({ unstarred: text(), moved: absent });

const isShortId = text(maxId);

const isRecord = that(
  objectWith({
    ...{ moved: absent, forgotten: absent, starred: absent, unstarred: absent },
    file: optional(isInside),
    kind: text(),
    operation: oneOf(operationIds),
    model: text(),
    prompt: optional(text()),
    mediaType: optional(text()),
    sha256: optional(text()),
    createdAt: that(text(maxTime), (time) => !Number.isNaN(Date.parse(time))),
    jobId: text(maxId),
    videoId: optional(text()),
    parentVideoId: optional(text()),
    inputs: optional(list(isInput, Number.POSITIVE_INFINITY)),
    values: optional(record(isSentValue)),
    differs: optional(list(isDifference, Number.POSITIVE_INFINITY)),
    madeFrom: optional(objectWith({ file: isInside, sha256: text() })),
    narration: optional(objectWith({ document: isInside })),
    times: optional(isBeside),
    ...marks,
  }),
  ({ operation, kind, file, videoId }) =>
    operations[operation].result === kind && (file !== undefined || isShortId(videoId)),
);

function isLine(value: unknown): value is LibraryLine {
  return [isRecord, isMove, isForgotten, isStarred, isUnstarred].some((is) => is(value));
}

function recordedMarks({ credentials, digitalSourceType }: RecordedMarks): RecordedMarks {
  return { credentials, digitalSourceType };
}
