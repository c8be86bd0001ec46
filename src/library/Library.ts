import type { AssetKind } from '../operations/operations.ts';
import type { Folder } from './Folder.ts';
import { asBuffer, LibraryReader, linesWith } from './LibraryReader.ts';
import type { LibraryEntry, LibraryLine, LibraryRecord } from './LibraryRecord.ts';
import { entriesOf, fileOf, idOf, isChange, movesOf } from './LibraryRecord.ts';

const libraryFileName = 'library.jsonl';

/**
 * The record of all assets of a workspace folder: one JSON object a line, append-only, so that two windows or two
 * branches can be merged. It is read anew each time: others may write to it.
 */
export class Library {
  readonly #folder: Folder;
  readonly #listeners = new Set<() => void>();

  /** @param folder `.unified-media` of the workspace folder, or one in the extension's own storage */
  constructor(folder: Folder) {
    this.#folder = folder;
  }

  /** Where the file of the library is. */
  get uri(): string {
    return this.#folder.uriOf(libraryFileName);
  }

  /** Proves that it can be added to; from then on the editor finds the folder by it. Throws MediaError `save`. */
  check(): Promise<void> {
    return this.#folder.check(libraryFileName);
  }

  /** Adds lines in one write. */
  async append(...lines: readonly LibraryLine[]): Promise<void> {
    await this.#folder.append(libraryFileName, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    this.changed();
  }

  /** All entries, or those of one kind, oldest first. A damaged line is left out, and nothing but it. */
  entries(kind?: AssetKind): Promise<readonly LibraryEntry[]> {
    return this.reader(kind).entries();
  }

  /** For who reads again and again: what has been read once is not read again. */
  reader(kind?: AssetKind): LibraryReader {
    return new LibraryReader((from) => this.#folder.read(libraryFileName, from), kind);
  }

  /** The entries whose file is one of these paths, or lies in a folder that is one of them. */
  async entriesAt(paths: readonly string[]): Promise<readonly LibraryEntry[]> {
    const lines = await this.#lines();
    const isMeant = isOneOf(new Set(paths));
    const changes = lines.filter(isChange);
    const moved = movesOf(changes).filter(({ file }) => isMeant(file));
    // A record is named by the file it began with.
    const origins = new Set(moved.map(({ moved: id }) => id.slice(id.indexOf('/') + 1)));
    // Only what may be meant is parsed: a library can have 100,000 lines.
    const records = lines.filter((line) => {
      const file = fileOf(line);
      return file !== undefined && (origins.has(file) || isMeant(file));
    });
    return entriesOf([...records, ...changes]).filter(({ file }) => file !== undefined && isMeant(file));
  }

  /**
   * Every record whose line holds a word, in the order of the file, with where its file is now: also those that a later
   * record of the same asset has replaced. After a merge or a crash any of them may be the one that is true to the file.
   */
  async versions(word: string): Promise<readonly LibraryEntry[]> {
    const bytes = asBuffer((await this.#folder.read(libraryFileName)) ?? new Uint8Array());
    const lines = linesWith(bytes, word);
    const changes = lines.length === 0 ? [] : bytes.toString().split('\n').filter(isChange);
    return lines.flatMap((line) => entriesOf([line, ...changes]));
  }

  /**
   * Whether a record was appended, also if its file has been moved or taken off the list since: after a crash it must not
   * be appended again.
   */
  async has(record: Pick<LibraryRecord, 'jobId' | 'file' | 'videoId'>): Promise<boolean> {
    const id = idOf(record);
    // A library can have 100,000 lines, so only those of the job are parsed; each by itself, because a later line may take
    // the record off the list.
    const lines = (await this.#lines()).filter((line) => line.includes(record.jobId));
    return lines.some((line) => entriesOf([line]).some((entry) => entry.id === id));
  }

  async #lines(): Promise<readonly string[]> {
    const bytes = await this.#folder.read(libraryFileName);
    return (bytes === undefined ? '' : new TextDecoder().decode(bytes)).split('\n');
  }

  /** Tells listeners that the file, or one that it names, is another: also for what others did. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** @returns what ends it */
  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }
}

/** Whether a file is one of the paths or lies below one. */
function isOneOf(paths: ReadonlySet<string>): (file: string) => boolean {
  return (file) => {
    for (let end = file.length; end > 0; end = file.lastIndexOf('/', end - 1)) {
      if (paths.has(file.slice(0, end))) return true;
    }
    return false;
  };
}
