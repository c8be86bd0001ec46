import type * as vscode from 'vscode';
import { LibraryReaders } from '../../editor/LibraryReaders.ts';
import { Refresh } from '../../editor/Refresh.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { LibraryReader } from '../../library/LibraryReader.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import type { AssetKind } from '../../operations/operations.ts';
import type { Filter } from '../../webview/protocol/messages.ts';

/** An entry of a folder's library. */
export interface Result {
  /** Unique among the results of all folders. */
  readonly id: string;
  readonly root: vscode.Uri;
  readonly entry: LibraryEntry;
}

/** Follows the libraries of some folders, and holds all their entries, newest first. */
export class Gallery implements vscode.Disposable {
  /** Incremented by each change. */
  revision = 0;
  /** False while only the newest entries of a large library are known. */
  isRead = false;
  /** Newest first. Results of one job keep the order of its answer. */
  all: readonly Result[] = [];
  readonly #places: Pick<WorkspacePlaces, 'libraryOf'>;
  readonly #onRead: () => void;
  #roots: readonly vscode.Uri[] = [];
  readonly #readers = new LibraryReaders(undefined, () => {
    // A deleted file changes no entry, so a change is noted even if the entries stay the same.
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

  /** Replaces the folders to follow. */
  follow(roots: readonly vscode.Uri[]): Promise<void> {
    this.#roots = roots;
    return this.read();
  }

  /** Reads new entries. Resolves when all entries that existed at the time of the call are known. */
  read(): Promise<void> {
    return this.#refresh.request();
  }

  dispose(): void {
    this.#readers.dispose();
  }

  get(id: string): Result | undefined {
    this.#byId ??= new Map(this.all.map((result) => [result.id, result]));
    return this.#byId.get(id);
  }

  /** The models' names, the last used first. */
  get models(): readonly string[] {
    this.#models ??= [...new Set(this.all.map(({ entry }) => entry.model))];
    return this.#models;
  }

  /** Returns the number of known results of a job. */
  filesOf(jobId: string): number {
    this.#filesOfJobs ??= countJobs(this.all);
    return this.#filesOfJobs.get(jobId) ?? 0;
  }

  /**
   * Returns the number of results newer than a moment.
   *
   * @param moment ISO 8601, UTC
   */
  newerThan(moment: string): number {
    let [from, to] = [0, this.all.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.all[middle]?.entry.createdAt ?? '') > moment) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Returns the results that pass a filter, newest first. */
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
    // The settings decide where a folder's library is, so the libraries are looked up each time.
    this.#readers.use(this.#roots.map((root) => ({ root, library: this.#places.libraryOf(root) })));
    if (!this.isRead && (await this.#take((reader) => reader.newest()))) this.#announce();
    const before = this.all;
    const wasChanged = this.#isChanged || !this.isRead;
    this.#isChanged = false;
    await this.#take((reader) => reader.entries());
    this.isRead = true;
    const isSame = before.length === this.all.length && before.every((result, index) => result === this.all[index]);
    if (wasChanged || !isSame) this.#announce();
  }

  /** A view requests its pages again until they have the revision that it was told. */
  #announce(): void {
    this.revision++;
    this.#onRead();
  }

  /** @returns false when no library can be read this way */
  async #take(read: (reader: LibraryReader) => Promise<readonly LibraryEntry[] | undefined>): Promise<boolean> {
    const found = await Promise.all(
      // A library that cannot be read is reported when it is written to.
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
  const terms = words.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ entry }) => {
    if (kind !== null && entry.kind !== kind) return false;
    if (model !== null && entry.model !== model) return false;
    if (sandbox && entry.sandbox !== true) return false;
    if (terms.length === 0) return true;
    const text = `${entry.prompt ?? ''} ${entry.file ?? ''} ${entry.model}`.toLowerCase();
    return terms.every((word) => text.includes(word));
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
