import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Folder } from '../files/Folder.ts';
import type { AssetKind } from '../operations/operations.ts';
import {
  entriesOf,
  fileOf,
  idOf,
  isChange,
  type LibraryEntry,
  type LibraryLine,
  type LibraryRecord,
  LibraryState,
  movesOf,
} from './LibraryRecord.ts';

/** Bytes before the read position that are compared to check that the file has only grown. */
const markLength = 512;
const lineBreak = 10;
/** Bytes read from the end of a large library to get its newest entries. */
const tailBytes = 2 ** 18;
/** Bytes parsed before yielding to other work: some milliseconds. */
const sliceBytes = 2 ** 20;

/** Reads the entries of a library, and after that only what was added. */
export class LibraryReader {
  readonly #read: (from: number) => Promise<Uint8Array | undefined>;
  readonly #kind: AssetKind | undefined;
  #state = new LibraryState();
  /** Offset of the next line. */
  #position = 0;
  /** The bytes before that offset. */
  #mark: Buffer = Buffer.alloc(0);
  #reading: Promise<unknown> = Promise.resolve();

  /** @param read reads the library from a position on, or its last bytes if negative; undefined when there is none */
  constructor(read: (from: number) => Promise<Uint8Array | undefined>, kind: AssetKind | undefined) {
    this.#read = read;
    this.#kind = kind;
  }

  /** Returns all entries, oldest first. */
  entries(): Promise<readonly LibraryEntry[]> {
    const entries = this.#reading.then(() => this.#entries());
    this.#reading = entries.catch(() => undefined);
    return entries;
  }

  /**
   * Returns the newest entries of a large library without reading all of it, oldest first; undefined for a small one.
   */
  async newest(): Promise<readonly LibraryEntry[] | undefined> {
    const tail = asBuffer((await this.#read(-tailBytes)) ?? new Uint8Array());
    if (tail.length < tailBytes) return undefined;
    // The tail starts in the middle of a line.
    return entriesOf(wantedLines(tail.subarray(tail.indexOf(lineBreak) + 1), this.#kind)).filter(this.#isWanted);
  }

  async #entries(): Promise<readonly LibraryEntry[]> {
    const bytes = (await this.#read(this.#position - this.#mark.length)) ?? new Uint8Array();
    const added = asBuffer(bytes);
    if (added.subarray(0, this.#mark.length).equals(this.#mark)) {
      await this.#take(added.subarray(this.#mark.length));
    } else {
      // The file was replaced: a branch was merged or checked out.
      this.#state = new LibraryState();
      this.#position = 0;
      this.#mark = Buffer.alloc(0);
      await this.#take(asBuffer((await this.#read(0)) ?? new Uint8Array()));
    }
    return this.#state.entries.filter(this.#isWanted);
  }

  readonly #isWanted = ({ kind }: LibraryEntry): boolean => this.#kind === undefined || kind === this.#kind;

  async #take(bytes: Buffer): Promise<void> {
    for (const slice of slicesOf(bytes)) {
      for (const line of wantedLines(slice, this.#kind)) this.#state.add(line);
      // Let other work run in between.
      if (bytes.length > sliceBytes) await nextTurn();
    }
    // Text after the last line break may be half a line: read it again next time.
    const whole = bytes.subarray(0, bytes.lastIndexOf(lineBreak) + 1);
    this.#position += whole.length;
    this.#mark = Buffer.concat([this.#mark, whole.subarray(-markLength)]).subarray(-markLength);
  }
}

/** Yields slices that end with a line break. */
function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(lineBreak, start + sliceBytes) + 1 || bytes.length;
    yield bytes.subarray(start, end);
    start = end;
  }
}

/** Yields the lines of a library in groups, and lets other work run in between. */
async function* linesOf(bytes: Buffer): AsyncGenerator<readonly string[]> {
  for (const slice of slicesOf(bytes)) {
    yield slice.toString().split('\n');
    if (bytes.length > sliceBytes) await nextTurn();
  }
}

/** Returns a state with all changes of a library's records. */
async function changesIn(bytes: Buffer, onChanges?: (lines: readonly string[]) => void): Promise<LibraryState> {
  const state = new LibraryState();
  for await (const lines of linesOf(bytes)) {
    const changes = lines.filter(isChange);
    for (const line of changes) state.add(line);
    onChanges?.(changes);
  }
  return state;
}

/** Returns the lines that may matter for a kind. Most lines of a large library need not even be decoded. */
function wantedLines(bytes: Buffer, kind: AssetKind | undefined): readonly string[] {
  if (kind === undefined) return bytes.toString().split('\n');
  // Parts of `moved"`, `forgotten` and both `starred"` that start with a rare letter, which makes the search several times as fast.
  const own = `${kind}"`;
  // A record that happens to contain a later word must not come again, after a newer one of the same asset.
  return [own, 'ved"', 'forgot', 'tarred"'].flatMap((word, at) =>
    linesWith(bytes, word).filter((line) => !at || !line.includes(own)),
  );
}

/** Returns the lines that contain a word, without decoding the others. */
function linesWith(bytes: Buffer, word: string): readonly string[] {
  const lines: string[] = [];
  for (let at = bytes.indexOf(word); at >= 0; ) {
    const start = bytes.lastIndexOf(lineBreak, at) + 1;
    const found = bytes.indexOf(lineBreak, at);
    const end = found < 0 ? bytes.length : found;
    lines.push(bytes.toString('utf8', start, end));
    at = bytes.indexOf(word, end);
  }
  return lines;
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

const libraryFileName = 'library.jsonl';

/**
 * The record of all assets of a workspace folder: JSON lines, append-only, so that two windows or branches can be
 * merged. It is read again each time, because others may write to it.
 */
export class Library {
  readonly #folder: Folder;
  readonly #listeners = new Set<() => void>();
  /** Those in use: views of one window parse the library once. */
  readonly #readers = new Map<AssetKind | undefined, WeakRef<LibraryReader>>();

  /** @param folder `.unified-media` of the workspace folder, or one in the extension's own storage */
  constructor(folder: Folder) {
    this.#folder = folder;
  }

  /** URI of the library file. */
  get uri(): string {
    return this.#folder.uriOf(libraryFileName);
  }

  /**
   * Checks that the library can be written, and creates it: VS Code activates the extension by it. Throws MediaError
   * `save`.
   */
  check(): Promise<void> {
    return this.#folder.check(libraryFileName);
  }

  /** Appends lines in one write. */
  async append(...lines: readonly LibraryLine[]): Promise<void> {
    await this.#folder.append(libraryFileName, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    this.changed();
  }

  /** Returns all entries, or those of one kind, oldest first. Skips damaged lines. */
  entries(kind?: AssetKind): Promise<readonly LibraryEntry[]> {
    return this.#newReader(kind).entries();
  }

  /** Returns a reader that reads only new lines the next time. As long as it is in use, others get the same one. */
  reader(kind?: AssetKind): LibraryReader {
    const known = this.#readers.get(kind)?.deref();
    const reader = known ?? this.#newReader(kind);
    if (!known) this.#readers.set(kind, new WeakRef(reader));
    return reader;
  }

  #newReader(kind: AssetKind | undefined): LibraryReader {
    return new LibraryReader((from) => this.#folder.read(libraryFileName, from), kind);
  }

  /**
   * Returns the entries whose file is one of these paths, or is in a folder that is one of them.
   *
   * @param every whether to return all records, as {@link versions}
   */
  async entriesAt(paths: readonly string[], every = false): Promise<readonly LibraryEntry[]> {
    const bytes = await this.#bytes();
    const isMeant = isOneOf(paths);
    // A record's id contains its original file name.
    const origins = new Set<string>();
    const state = await changesIn(bytes, (changes) => {
      for (const { moved, file } of movesOf(changes))
        if (isMeant(file)) origins.add(moved.slice(moved.indexOf('/') + 1));
    });
    const found: LibraryEntry[] = [];
    for await (const lines of linesOf(bytes)) {
      for (const line of lines) {
        // Parse only lines that may match: a library can have 100,000 lines.
        const file = fileOf(line);
        if (file === undefined || !(origins.has(file) || isMeant(file))) continue;
        if (every) found.push(...state.versionsIn(line));
        else state.add(line);
      }
    }
    return (every ? found : state.entries).filter(({ file }) => file !== undefined && isMeant(file));
  }

  /**
   * Returns every record whose line contains a word, in file order, with the current path of its file. Includes records
   * that a later one of the same asset replaces: after a merge or a crash, any of them may match the file.
   */
  async versions(word: string): Promise<readonly LibraryEntry[]> {
    const bytes = await this.#bytes();
    const lines = linesWith(bytes, word);
    if (lines.length === 0) return [];
    const state = await changesIn(bytes);
    return lines.flatMap((line) => state.versionsIn(line));
  }

  /**
   * Whether a record was appended, even if its file was moved or removed from the list since. After a crash, it must
   * not be appended again.
   */
  async has(record: Pick<LibraryRecord, 'jobId' | 'file' | 'videoId'>): Promise<boolean> {
    const id = idOf(record);
    for await (const lines of linesOf(await this.#bytes())) {
      // Parse only lines of the job, since a library can have 100,000. Parse each by itself, because a later line may
      // remove the record from the list.
      const own = lines.filter((line) => line.includes(record.jobId));
      if (own.some((line) => entriesOf([line]).some((entry) => entry.id === id))) return true;
    }
    return false;
  }

  async #bytes(): Promise<Buffer> {
    return asBuffer((await this.#folder.read(libraryFileName)) ?? new Uint8Array());
  }

  /** Notifies the listeners that the library or one of its files has changed, possibly by another program. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }
}

/** A folder or file by name. */
interface Node {
  readonly members: Map<string, Node>;
  isMeant: boolean;
}

/** Returns whether a file is one of the paths or below one. Takes time in proportion to the length of the file's path. */
function isOneOf(paths: readonly string[]): (file: string) => boolean {
  const root: Node = { members: new Map(), isMeant: false };
  for (const path of paths) {
    let node = root;
    for (const name of path.split('/')) {
      const member = node.members.get(name) ?? { members: new Map(), isMeant: false };
      node.members.set(name, member);
      node = member;
    }
    node.isMeant = true;
  }
  return (file) => {
    let node: Node | undefined = root;
    for (const name of file.split('/')) {
      node = node.members.get(name);
      if (!node || node.isMeant) break;
    }
    return node?.isMeant === true;
  };
}
