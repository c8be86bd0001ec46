import * as vscode from 'vscode';
import { LibraryReaders } from '../../editor/LibraryReaders.ts';
import { libraryRoots } from '../../editor/libraryRoots.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import { spentOn } from '../../library/spentOn.ts';
import { describeCost, readPrices } from '../../operations/prices.ts';
import type { JobList } from '../../work/Job.ts';

/** Reads what the libraries say was paid for today. */
export class SpentToday implements vscode.Disposable {
  readonly #settings: Pick<Settings, 'prices'>;
  readonly #places: Pick<WorkspacePlaces, 'libraryOf' | 'chosen'>;
  readonly #jobs: Pick<JobList, 'all'>;
  readonly #readers: LibraryReaders;

  /** @param onChange called when a library that was read has changed */
  constructor(
    settings: Pick<Settings, 'prices'>,
    places: Pick<WorkspacePlaces, 'libraryOf' | 'chosen'>,
    jobs: Pick<JobList, 'all'>,
    onChange: () => void,
  ) {
    this.#settings = settings;
    this.#places = places;
    this.#jobs = jobs;
    this.#readers = new LibraryReaders(undefined, onChange);
  }

  dispose(): void {
    this.#readers.dispose();
  }

  /** @returns such as “about 3.40 $ today”; undefined without prices, or if nothing is known to have cost anything */
  async describe(): Promise<string | undefined> {
    const prices = readPrices(this.#settings.prices);
    if (!prices) return undefined;
    this.#readers.use(libraryRoots(this.#places.chosen, this.#jobs), this.#places);
    const entries = await Promise.all(this.#readers.all.map(({ reader }) => reader.entries().catch(() => [])));
    const { amount, isAll } = spentOn(new Date(), entries.flat(), prices);
    if (amount === 0) return undefined;
    const cost = describeCost(amount, prices, vscode.env.language);
    return isAll
      ? vscode.l10n.t('{0} today', cost)
      : vscode.l10n.t('{0} today, and requests whose cost is not known', cost);
  }
}
