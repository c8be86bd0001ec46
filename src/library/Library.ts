import type { AssetKind } from '../operations/operations.ts';
import type { Folder } from './Folder.ts';
import type { LibraryEntry, LibraryLine } from './LibraryRecord.ts';
import { entriesOf } from './LibraryRecord.ts';

export const libraryFileName = 'library.jsonl';

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

  async append(line: LibraryLine): Promise<void> {
    await this.#folder.append(libraryFileName, `${JSON.stringify(line)}\n`);
    this.changed();
  }

  /** All entries, or those of one kind, oldest first. A damaged line is left out, and nothing but it. */
  async entries(kind?: AssetKind): Promise<readonly LibraryEntry[]> {
    const text = await this.#folder.read(libraryFileName);
    const lines = (text ?? '').split('\n');
    // Most lines of a large library need not be understood.
    const wanted =
      kind === undefined ? lines : lines.filter((line) => line.includes(`"${kind}"`) || changes.test(line));
    return entriesOf(wanted).filter((entry) => kind === undefined || entry.kind === kind);
  }

  /** Tells listeners that the file is another: also for what others wrote. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** @returns what ends it */
  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }
}

const changes = /"(moved|forgotten)"/;
