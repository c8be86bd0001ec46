import type { AssetKind } from '../operations/operations.ts';
import type { Folder } from './Folder.ts';
import { asBuffer, LibraryReader, linesWith } from './LibraryReader.ts';
import type { LibraryEntry, LibraryLine, LibraryRecord } from './LibraryRecord.ts';
import { entriesOf, fileOf, idOf, isChange, movesOf } from './LibraryRecord.ts';

export const libraryFileName = 'library.jsonl';

/**
 * The record of all assets of a workspace folder: JSON lines, append-only, so that two windows or branches can be merged.
 * It is read again each time, because others may write to it.
 */
export class Library {
  readonly #folder: Folder;
  readonly #listeners = new Set<() => void>();

  /** @param folder `.unified-media` of the workspace folder, or one in the extension's own storage */
  constructor(folder: Folder) {
    this.#folder = folder;
  }

  /** URI of the library file. */
  get uri(): string {
    return this.#folder.uriOf(libraryFileName);
  }

  /** Checks that the library can be written, and creates it: VS Code activates the extension by it. Throws MediaError `save`. */
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
    return this.reader(kind).entries();
  }

  /** Returns a reader that reads only new lines the next time. */
  reader(kind?: AssetKind): LibraryReader {
    return new LibraryReader((from) => this.#folder.read(libraryFileName, from), kind);
  }

  /** Returns the entries whose file is one of these paths, or is in a folder that is one of them. */
  async entriesAt(paths: readonly string[]): Promise<readonly LibraryEntry[]> {
    const lines = await this.#lines();
    const isMeant = isOneOf(new Set(paths));
    const changes = lines.filter(isChange);
    const moved = movesOf(changes).filter(({ file }) => isMeant(file));
    // A record's id contains its original file name.
    const origins = new Set(moved.map(({ moved: id }) => id.slice(id.indexOf('/') + 1)));
    // Parse only lines that may match: a library can have 100,000 lines.
    const records = lines.filter((line) => {
      const file = fileOf(line);
      return file !== undefined && (origins.has(file) || isMeant(file));
    });
    return entriesOf([...records, ...changes]).filter(({ file }) => file !== undefined && isMeant(file));
  }

  /**
   * Returns every record whose line contains a word, in file order, with the current path of its file. Includes records that
   * a later one of the same asset replaces: after a merge or a crash, any of them may match the file.
   */
  async versions(word: string): Promise<readonly LibraryEntry[]> {
    const bytes = asBuffer((await this.#folder.read(libraryFileName)) ?? new Uint8Array());
    const lines = linesWith(bytes, word);
    const changes = lines.length === 0 ? [] : bytes.toString().split('\n').filter(isChange);
    return lines.flatMap((line) => entriesOf([line, ...changes]));
  }

  /**
   * Whether a record was appended, even if its file was moved or removed from the list since. After a crash, it must not be
   * appended again.
   */
  async has(record: Pick<LibraryRecord, 'jobId' | 'file' | 'videoId'>): Promise<boolean> {
    const id = idOf(record);
    // Parse only lines of the job, since a library can have 100,000. Parse each by itself, because a later line may remove
    // the record from the list.
    const lines = (await this.#lines()).filter((line) => line.includes(record.jobId));
    return lines.some((line) => entriesOf([line]).some((entry) => entry.id === id));
  }

  async #lines(): Promise<readonly string[]> {
    const bytes = await this.#folder.read(libraryFileName);
    return (bytes === undefined ? '' : new TextDecoder().decode(bytes)).split('\n');
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

/** Returns whether a file is one of the paths or below one. */
function isOneOf(paths: ReadonlySet<string>): (file: string) => boolean {
  return (file) => {
    for (let end = file.length; end > 0; end = file.lastIndexOf('/', end - 1)) {
      if (paths.has(file.slice(0, end))) return true;
    }
    return false;
  };
}
