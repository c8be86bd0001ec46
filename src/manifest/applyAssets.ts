import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { Lease } from '../jobs/Lease.ts';
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
  /** Asked once, before anything is sent. */
  confirm(total: Quantities): Promise<boolean>;
  /** Only these entries, with those they are made of; all if not given. */
  readonly only?: readonly string[] | undefined;
  /** No more than this is sent. */
  readonly maxRequests?: number | undefined;
  /** Makes sure that requests of an operation can be sent. @throws MediaError `noService` or `noKey` */
  checkReady(id: OperationId): Promise<void>;
  onReport(report: EntryReport): void;
}

/** What became of an entry that was not fresh. */
export interface EntryReport {
  readonly path: string;
  readonly line: number;
  readonly outcome: 'made' | 'left' | 'failed';
  /** Why, and what to do. */
  readonly sentence: string;
  /** What went wrong. */
  readonly error?: MediaError | undefined;
}

type Outcome = Pick<EntryReport, 'outcome' | 'sentence' | 'error'>;

/** The same would be said of every other request to that host. */
const lasting: readonly MediaErrorKind[] = ['noKey', 'noService', 'unauthorized', 'forbidden', 'quota', 'tls', 'proxy'];

/**
 * Makes what is missing or stale, each asset after those it is made of, one at a time: so after a crash no more than one
 * request is in doubt. A line of the lock is written as soon as its file is whole. Files that people have changed, and
 * those that the lock does not know, are left alone.
 *
 * @returns what became of all that was not fresh; undefined when it was not confirmed
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

/** These entries, and those they are made of. */
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

/** Two windows that apply the same would pay for it twice. */
export async function takeLease({ variants }: ManifestProject): Promise<Lease> {
  await variants.prepare();
  const folder = join(variants.folder, 'applying');
  await mkdir(folder, { recursive: true });
  const lease = await Lease.take(folder);
  if (lease) return lease;
  throw new MediaError('invalidInput', l10n.t('Another program is working on the assets of this manifest.'));
}

class Application {
  readonly #project: ManifestProject;
  readonly #options: ApplyOptions;
  readonly #lease: Lease;
  readonly #maker: AssetMaker;
  readonly #reports: EntryReport[] = [];
  /** Hosts that take no more requests, with the reason. */
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
      // It may have changed while others were made: what is locked must be what is sent.
      for (const path of [entry.path, ...inputsOf(entry)]) this.#project.hashes.changed(path);
      const found = await evaluation.of(entry);
      if (found.state === 'fresh') continue;
      this.#report(found, await this.#apply(found));
      evaluation.made(entry);
    }
    return this.#reports;
  }

  #report({ entry: { path, line } }: Evaluated, what: Outcome): void {
    const report = { path, line, ...what };
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
      if (action === 'request') this.#sent += Math.max(1, found.quantities.requests);
      if (entry.type === 'request' && error instanceof MediaError && lasting.includes(error.kind)) {
        this.#closed.set(operations[entry.operation].area, error.message);
      }
      const known = error instanceof MediaError ? error : undefined;
      return { outcome: 'failed', sentence: reasonOf(error), error: known };
    }
  }

  /** Why an entry is left as it is, as a sentence. */
  async #obstacle({
    entry,
    state,
    action,
    problem,
    pending,
    waiting,
    quantities,
  }: Evaluated): Promise<string | undefined> {
    const { signal, yes, maxRequests } = this.#options;
    if (signal.aborted) return l10n.t('Cancelled before its turn.');
    if (problem) return problem.sentence;
    if (state === 'changed') {
      return l10n.t('The file was changed by hand: “accept” keeps it as it is; remove it to have it made again.');
    }
    if (state === 'unlocked') {
      return l10n.t('A file is there that the lock does not know: “accept” keeps it; remove it to have one made.');
    }
    const [input] = pending;
    if (input !== undefined) return l10n.t('Its input {0} was not made.', input);
    if (action !== 'request' || entry.type !== 'request' || waiting === 'saved') return undefined;
    if (waiting === 'unknown' && !yes) {
      return l10n.t(
        'unknown: its request was out when the program ended, and may be billed. Run it again from the list of jobs, or by “apply --yes”.',
      );
    }
    const closed = this.#closed.get(operations[entry.operation].area);
    if (closed !== undefined && waiting !== 'answered') return closed;
    const requests = waiting === 'unknown' ? 1 : quantities.requests;
    if (maxRequests !== undefined && this.#sent + requests > maxRequests) {
      return l10n.t('Not sent: {0} requests are the most of this run.', maxRequests);
    }
    if (!(await this.#lease.renew())) return l10n.t('Another program is working on the assets of this manifest.');
    return undefined;
  }
}
