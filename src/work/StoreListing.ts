import { type Journals, wholeOf } from './Journals.ts';
import { type Around, foldersAbove, rootsOf } from './roots.ts';

/** Length of the key of a request that the entries of several clones may have. */
export const requestLength = 32;

/** The keys of parts are hashes, with a suffix where an answer was given up. */
const partKey = /^[0-9a-f]{64}(\.|$)/;

/**
 * What a store and the folders around a project hold at one moment. Whoever asks for many requests lists each folder
 * once, instead of once for each request. Only keys are remembered: what is known of a work is read when it is asked for.
 */
export class StoreListing<Note extends { readonly key: string }> {
  readonly #journals: Journals;
  readonly #notesIn: (root: string) => Promise<readonly Note[]>;
  readonly #notes = new Map<string, Promise<ReadonlyMap<string, readonly Note[]>>>();
  readonly #above = new Map<string, readonly string[]>();
  #names: Promise<readonly string[]> | undefined;
  #works: Promise<ReadonlyMap<string, readonly string[]>> | undefined;
  #parts: Promise<ReadonlyMap<string, readonly string[]>> | undefined;

  /** @param notesIn returns the notes in a folder */
  constructor(journals: Journals, notesIn: (root: string) => Promise<readonly Note[]>) {
    this.#journals = journals;
    this.#notesIn = notesIn;
  }

  /** Returns the keys of the works that may be of a request: those that begin as its key does. */
  async worksOf(key: string): Promise<readonly string[]> {
    this.#works ??= this.#inStore().then((keys) => Map.groupBy(keys, requestOf));
    return (await this.#works).get(requestOf(key)) ?? [];
  }

  /** Returns the notes around a place that may be on a request, as {@link worksOf}. */
  async notesOn(key: string, place: Around): Promise<readonly Note[]> {
    const above = this.#above.get(place.root) ?? foldersAbove(place.root);
    this.#above.set(place.root, above);
    const notes = await Promise.all(rootsOf(place, above).map((root) => this.#notesFrom(root)));
    return notes.flatMap((one) => one.get(requestOf(key)) ?? []);
  }

  /**
   * Returns the keys of the works that may be parts of a whole.
   *
   * @param whole its key, what comes before a dot in it, or the key of its note
   */
  async partsOf(whole: string): Promise<readonly string[]> {
    this.#parts ??= this.#findParts();
    return (await this.#parts).get(wholeOf(whole)) ?? [];
  }

  #inStore(): Promise<readonly string[]> {
    this.#names ??= this.#journals.names();
    return this.#names;
  }

  #notesFrom(root: string): Promise<ReadonlyMap<string, readonly Note[]>> {
    const known = this.#notes.get(root);
    if (known) return known;
    const listed = this.#notesIn(root).then((notes) => Map.groupBy(notes, ({ key }) => requestOf(key)));
    this.#notes.set(root, listed);
    return listed;
  }

  async #findParts(): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.#journals.partsAmong((await this.#inStore()).filter((name) => partKey.test(name)));
  }
}

function requestOf(key: string): string {
  return key.slice(0, requestLength);
}
