import type { LibraryEntry } from '../library/LibraryRecord.ts';
import type { PreviousNarration } from '../wholes/narrate.ts';
import type { JobRecord } from '../work/Job.ts';
import type { KeyOrigin } from '../work/repeatable.ts';
import type { Listing } from '../work/Store.ts';
import type { WorkState } from '../work/stateOfWork.ts';
import { keptNarrations } from './keptNarrations.ts';
import { keyOf, type RequestEntry } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';

/**
 * What an earlier run left of a request: saved results, an answer still to be saved, one that cannot be used, or an
 * unknown outcome, where it may be `repeatable` under the same idempotency key. `running`: another program works on it.
 */
export type Waiting = 'saved' | 'answered' | 'unusable' | 'unknown' | 'repeatable' | 'running';

/** What earlier, unfinished runs have left of the requests of a manifest. */
export class LeftWork {
  readonly #project: ManifestProject;
  readonly #sandbox: boolean;
  readonly #keyOrigin: KeyOrigin | undefined;
  #listing: Listing;

  /** @param keyOrigin which services honour idempotency keys; none if absent */
  constructor(project: ManifestProject, sandbox: boolean, keyOrigin?: KeyOrigin) {
    this.#project = project;
    this.#sandbox = sandbox;
    this.#keyOrigin = keyOrigin;
    this.#listing = project.store.list();
  }

  /** Looks again: while apply makes an entry, other programs may send requests. */
  refresh(): void {
    this.#listing = this.#project.store.list();
  }

  /** Returns the parts of a text or document that earlier runs have begun. @param whole key of the whole */
  partsOf(whole: string): Promise<readonly JobRecord[]> {
    return this.#project.store.partsOf(whole, this.#listing);
  }

  /** Returns the narrations of an entry that others have replaced. */
  keptNarrations(path: string): Promise<readonly PreviousNarration[]> {
    const { variants, lock } = this.#project;
    return keptNarrations(variants, path, lock.get(keyOf(path)));
  }

  /** Returns what the library has recorded of an entry's file as a narration of its document. */
  async narrationsOf({ path, document = '' }: RequestEntry): Promise<readonly LibraryEntry[]> {
    const recorded = this.#project.recorded(document);
    return (await this.#project.recordsOf(path)).filter(({ narration }) => narration?.document === recorded);
  }

  /** Returns what is known of spoken parts by their keys. */
  statesOf(keys: readonly string[]): Promise<ReadonlyMap<string, WorkState>> {
    const { store, rootUri, variants } = this.#project;
    const place = { root: rootUri, path: variants.pathOf('') };
    return store.statesOf(keys, place, { listing: this.#listing, keyOrigin: this.#keyOrigin?.('speak') });
  }

  /** Returns what is left of an entry's request, which is sent as one. */
  async stateOf({ path, operation }: RequestEntry, request: string): Promise<Waiting | undefined> {
    const { store, rootUri, variants, lock } = this.#project;
    const listing = this.#listing;
    const key = variants.keyFor(path, request, this.#sandbox);
    const place = { root: rootUri, path: variants.pathOf(key) };
    const own = await store.keyAt(key, place, listing);
    const state = await store.stateOf(own, place, { listing, keyOrigin: this.#keyOrigin?.(operation) });
    if (state !== 'none' && state !== 'finished') return state;
    const isSaved = (await variants.list(key)).length > 0 || (await variants.canTakeBack(key, lock.get(keyOf(path))));
    return isSaved ? 'saved' : undefined;
  }
}
