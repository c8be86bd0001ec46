import type * as vscode from 'vscode';
import { LibraryReaders } from '../../editor/LibraryReaders.ts';
import { Refresh } from '../../editor/Refresh.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { LibraryReader } from '../../library/LibraryReader.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import type { AssetKind } from '../../operations/operations.ts';
import type { Filter } from '../../webview/protocol/messages.ts';

/** An entry of the library of a folder. */
export interface Result {
  /** Names it among those of all folders. */
  readonly id: string;
  readonly root: vscode.Uri;
  readonly entry: LibraryEntry;
}

/** Follows the libraries of some folders and knows all of their entries, newest first. */
export class Gallery implements vscode.Disposable {
  /** Another number after each change. */
  revision = 0;
  /** False while only the newest entries of a large library are known. */
  isRead = false;
  /** Newest first; what one job made stays in the order of its answer. */
  all: readonly Result[] = [];
  readonly #places: Pick<WorkspacePlaces, 'libraryOf'>;
  readonly #onRead: () => void;
  #roots: readonly vscode.Uri[] = [];
  readonly #readers = new LibraryReaders(undefined, () => {
    // A file that is gone changes no entry.
    this.#isChanged = true;
    void this.read();
  });
  #isChanged = false;
  readonly #refresh = new Refresh(() => this.#readAll());
  #selected: { readonly key: string; readonly results: readonly Result[] } | undefined;
  #byId: ReadonlyMap<string, Result> | undefined;
  #models: readonly string[] | undefined;
  #filesOfJobs: ReadonlyMap<string, number> | undefined;

  /** @param onRead called when there may be something new to show */
  constructor(places: Pick<WorkspacePlaces, 'libraryOf'>, onRead: () => void) {
    this.#places = places;
    this.#onRead = onRead;
  }

  /** Looks into these folders from now on. */
  follow(roots: readonly vscode.Uri[]): Promise<void> {
    this.#roots = roots;
    return this.read();
  }

  /** Reads what is new; resolves when all that was there at the call is known. */
  read(): Promise<void> {
    return this.#refresh.ask();
  }

  dispose(): void {
    this.#readers.dispose();
  }

  get(id: string): Result | undefined {
    this.#byId ??= new Map(this.all.map((result) => [result.id, result]));
    return this.#byId.get(id);
  }

  /** The names of the models, the one used last first. */
  get models(): readonly string[] {
    this.#models ??= [...new Set(this.all.map(({ entry }) => entry.model))];
    return this.#models;
  }

  /** How many results of a job are known. */
  filesOf(jobId: string): number {
    this.#filesOfJobs ??= countJobs(this.all);
    return this.#filesOfJobs.get(jobId) ?? 0;
  }

  /** How many results are newer than a moment. @param moment ISO 8601, UTC */
  newerThan(moment: string): number {
    let [from, to] = [0, this.all.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.all[middle]?.entry.createdAt ?? '') > moment) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** The results that a filter lets through, newest first. */
  select(filter: Filter): readonly Result[] {
    if (isEmpty(filter)) return this.all;
    const key = JSON.stringify([this.revision, filter]);
    if (this.#selected?.key !== key) this.#selected = { key, results: this.all.filter(matching(filter)) };
    return this.#selected.results;
  }

  ofKind(kind: AssetKind): readonly Result[] {
    return this.all.filter(({ entry }) => entry.kind === kind);
  }

  async #readAll(): Promise<void> {
    // Settings say where the library of a folder is, so they are asked each time.
    this.#readers.use(this.#roots.map((root) => ({ root, library: this.#places.libraryOf(root) })));
    if (!this.isRead && (await this.#take((reader) => reader.newest()))) this.#onRead();
    const before = this.all;
    const wasChanged = this.#isChanged || !this.isRead;
    this.#isChanged = false;
    await this.#take((reader) => reader.entries());
    this.isRead = true;
    const isSame = before.length === this.all.length && before.every((result, index) => result === this.all[index]);
    if (wasChanged || !isSame) this.#onRead();
  }

  /** @returns false when no library is read this way */
  async #take(read: (reader: LibraryReader) => Promise<readonly LibraryEntry[] | undefined>): Promise<boolean> {
    const found = await Promise.all(
      // A library that cannot be read is reported where it is written.
      this.#readers.all.map(async ({ root, reader }) => ({ root, entries: await read(reader).catch(() => []) })),
    );
    if (found.length > 0 && found.every(({ entries }) => entries === undefined)) return false;
    const known = new Map(this.all.map((result) => [result.id, result]));
    const results = found.flatMap(({ root, entries = [] }) => {
      const folder = root.toString();
      return entries.map((entry) => {
        const id = `${folder}#${entry.id}`;
        const before = known.get(id);
        return before?.entry === entry ? before : { id, root, entry };
      });
    });
    this.all = results.sort((a, b) => compare(b.entry.createdAt, a.entry.createdAt));
    this.revision++;
    this.#byId = undefined;
    this.#models = undefined;
    this.#filesOfJobs = undefined;
    return true;
  }
}

function isEmpty({ words, kind, model, sandbox }: Filter): boolean {
  return words.trim() === '' && kind === null && model === null && !sandbox;
}

function matching({ words, kind, model, sandbox }: Filter): (result: Result) => boolean {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ entry }) => {
    if (kind !== null && entry.kind !== kind) return false;
    if (model !== null && entry.model !== model) return false;
    if (sandbox && entry.sandbox !== true) return false;
    if (wanted.length === 0) return true;
    const text = `${entry.prompt ?? ''} ${entry.file ?? ''} ${entry.model}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
}

function countJobs(results: readonly Result[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { entry } of results) counts.set(entry.jobId, (counts.get(entry.jobId) ?? 0) + 1);
  return counts;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
