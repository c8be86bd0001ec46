import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { Lease, leaseSilence } from '../jobs/Lease.ts';
import type { MediaErrorKind } from '../operations/MediaError.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { Area, OperationId } from '../operations/operations.ts';
import { operationIds, operations } from '../operations/operations.ts';
import { AssetMaker } from './AssetMaker.ts';
import type { Evaluated, Quantities } from './Evaluated.ts';
import type { MakerOptions } from './MakerOptions.ts';
import type { Entry } from './Manifest.ts';
import { inputsOf, keyOf } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import type { PlanOptions } from './plan.ts';
import { checkProblems, evaluationOf, planAssets, totalOf } from './plan.ts';

export interface ApplyOptions extends Omit<PlanOptions, 'jobs' | 'journal'>, MakerOptions {
  /** Called once before anything is sent; returns whether to continue. */
  confirm(total: Quantities): Promise<boolean>;
  /** Paths of the entries to make, with their inputs; all entries if absent. */
  readonly only?: readonly string[] | undefined;
  /** The maximum number of requests to send. */
  readonly maxRequests?: number | undefined;
  /** Checks that requests of an operation can be sent. @throws MediaError `noService` or `noKey` */
  checkReady(id: OperationId): Promise<void>;
  onReport(report: EntryReport): void;
}

/** The outcome of an entry that was not fresh. */
export interface EntryReport {
  readonly path: string;
  readonly line: number;
  readonly outcome: 'made' | 'left' | 'failed';
  /** What was done, or why not and what to do about it. */
  readonly sentence: string;
  readonly error?: MediaError | undefined;
}

type Outcome = Pick<EntryReport, 'outcome' | 'sentence' | 'error'>;

/** Errors that every further request to the same host would fail with. */
const hostWideErrors: readonly MediaErrorKind[] = [
  'noKey',
  'noService',
  'unauthorized',
  'forbidden',
  'quota',
  'tls',
  'proxy',
];

/**
 * Makes the missing and stale assets, each after its inputs. It makes one at a time, so that after a crash the outcome
 * of at most one request is unknown, and locks each file as soon as it is complete. Files that were changed by hand or
 * are not in the lock are left alone.
 *
 * @returns the outcome of every entry that was not fresh; undefined if `confirm` declined
 * @throws MediaError before anything is sent
 */
export async function applyAssets(
  project: ManifestProject,
  options: ApplyOptions,
): Promise<readonly EntryReport[] | undefined> {
  const lease = await takeLease(project);
  try {
    const { evaluated, plan } = await planAssets(project, { ...options, ...jobsOf(options) });
    checkProblems(evaluated);
    await project.keepSettled();
    for (const id of operationIds) if (plan.requests[id] !== undefined) await options.checkReady(id);
    const chosen = chosenOf(project, options.only);
    const total = totalOf(evaluated.filter(({ entry }) => chosen.has(entry)));
    if (total.requests > 0 && !(await options.confirm(total))) return undefined;
    return await new Application(project, options, lease).run(chosen);
  } finally {
    await lease.release();
  }
}

function jobsOf({ jobs }: Pick<ApplyOptions, 'jobs'>) {
  return { jobs: jobs.all, journal: jobs.journal };
}

/** Returns the entries with these paths and all their inputs; all entries if `only` is absent. */
export function chosenOf(
  { manifest }: Pick<ManifestProject, 'manifest'>,
  only?: readonly string[],
): ReadonlySet<Entry> {
  if (!only) return new Set(manifest.entries);
  const entries = new Map(manifest.entries.map((entry) => [keyOf(entry.path), entry]));
  const chosen = new Set<Entry>();
  const choose = (path: string): void => {
    const entry = entries.get(keyOf(path));
    if (!entry || chosen.has(entry)) return;
    chosen.add(entry);
    for (const input of inputsOf(entry)) choose(input);
  };
  for (const path of only) choose(path);
  return chosen;
}

/**
 * Takes the lease of a manifest, so that two programs do not pay for the same assets.
 *
 * @param silence milliseconds without a heartbeat after which it is free
 */
export async function takeLease(
  { variants }: Pick<ManifestProject, 'variants'>,
  silence = leaseSilence,
): Promise<Lease> {
  await variants.prepare();
  const folder = join(variants.folder, 'applying');
  await mkdir(folder, { recursive: true });
  const lease = await Lease.take(folder, { silence, confirms: true });
  if (lease) return lease;
  throw new MediaError(
    'invalidInput',
    l10n.t('Another program is working on the assets of this manifest. Try again when it has finished.'),
  );
}

class Application {
  readonly #project: ManifestProject;
  readonly #options: ApplyOptions;
  readonly #lease: Lease;
  readonly #maker: AssetMaker;
  readonly #reports: EntryReport[] = [];
  /** The reason why no more requests are sent, by area. */
  readonly #closed = new Map<Area, string>();
  #sent = 0;

  constructor(project: ManifestProject, options: ApplyOptions, lease: Lease) {
    this.#project = project;
    this.#options = options;
    this.#lease = lease;
    this.#maker = new AssetMaker(project, options);
  }

  async run(chosen: ReadonlySet<Entry>): Promise<readonly EntryReport[]> {
    const evaluation = evaluationOf(this.#project, { ...this.#options, ...jobsOf(this.#options) });
    for (const entry of evaluation.order()) {
      if (!chosen.has(entry)) continue;
      // Hash the files again: they may have changed since, and the lock must match what is sent.
      for (const path of [entry.path, ...inputsOf(entry)]) this.#project.hashes.changed(path);
      const found = await evaluation.of(entry);
      if (found.state === 'fresh') continue;
      this.#report(found, await this.#apply(found));
      evaluation.forget(entry);
    }
    return this.#reports;
  }

  #report({ entry: { path, line } }: Evaluated, outcome: Outcome): void {
    const report = { path, line, ...outcome };
    this.#reports.push(report);
    this.#options.onReport(report);
  }

  async #apply(found: Evaluated): Promise<Outcome> {
    const obstacle = await this.#obstacle(found);
    if (obstacle !== undefined) return { outcome: 'left', sentence: obstacle };
    const { entry, action } = found;
    try {
      const { requests, sentence } = await this.#maker.make(found);
      this.#sent += requests;
      return { outcome: 'made', sentence };
    } catch (error) {
      if (action === 'request') this.#sent += Math.max(1, found.quantities.requests, found.repeats);
      if (entry.type === 'request' && error instanceof MediaError && hostWideErrors.includes(error.kind)) {
        this.#closed.set(operations[entry.operation].area, error.message);
      }
      const known = error instanceof MediaError ? error : undefined;
      return { outcome: 'failed', sentence: reasonOf(error), error: known };
    }
  }

  /** Returns why an entry is left as it is; undefined if it can be made. */
  async #obstacle({
    entry,
    state,
    action,
    problem,
    pending,
    waiting,
    quantities,
    repeats,
  }: Evaluated): Promise<string | undefined> {
    const { signal, yes, maxRequests } = this.#options;
    if (signal.aborted) return l10n.t('Cancelled before it started.');
    if (problem) return problem.sentence;
    if (state === 'changed') {
      return l10n.t('The file was changed by hand. Run “accept” to keep it, or delete it to have it made again.');
    }
    if (state === 'unlocked') {
      return l10n.t('The file is not in the lock. Run “accept” to keep it, or delete it to have a new one made.');
    }
    const [input] = pending;
    if (input !== undefined) return l10n.t('Its input {0} could not be made.', input);
    if (action !== 'request' || entry.type !== 'request' || waiting === 'saved') return undefined;
    if (waiting === 'unknown' && !yes) {
      return l10n.t(
        'unknown: The program ended while the request was running, and the request may be billed. Run it again from the Activity view or with “apply --yes”.',
      );
    }
    const closed = this.#closed.get(operations[entry.operation].area);
    if (closed !== undefined && waiting !== 'answered') return closed;
    const requests = Math.max(quantities.requests, repeats);
    if (maxRequests !== undefined && this.#sent + requests > maxRequests) {
      return l10n.t('Not sent: this run is limited to {0} requests.', maxRequests);
    }
    if (!(await this.#lease.renew()))
      return l10n.t('Another program is working on the assets of this manifest. Try again when it has finished.');
    return undefined;
  }
}
