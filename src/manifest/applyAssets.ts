import * as l10n from '@vscode/l10n';
import type { MediaErrorKind } from '../operations/MediaError.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { Area, OperationId } from '../operations/operations.ts';
import { operationIds, operations } from '../operations/operations.ts';
import { isUnknownOutcome, isUnusable } from '../work/jobErrors.ts';
import type { Work } from '../work/Work.ts';
import { AssetMaker } from './AssetMaker.ts';
import type { Evaluated, Quantities } from './Evaluated.ts';
import { inUse } from './entryProblems.ts';
import type { MakerOptions } from './MakerOptions.ts';
import type { Entry } from './Manifest.ts';
import { inputsOf, keyOf } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import type { PlanOptions } from './plan.ts';
import { checkProblems, evaluationOf, planAssets, totalOf } from './plan.ts';

export interface ApplyOptions extends Omit<PlanOptions, 'seesWork'>, MakerOptions {
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
  /** Whether it was left because its request was sent before, with an unknown outcome. */
  readonly isUnknown?: boolean;
}

type Outcome = Omit<EntryReport, 'path' | 'line'>;

const amountNames = ['requests', 'images', 'videos', 'characters'] as const;

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
  await using held = await holdManifest(project);
  const { evaluated, plan } = await planAssets(project, { ...options, seesWork: true });
  checkProblems(evaluated);
  await project.keepSettled();
  for (const id of operationIds) if (plan.requests[id] !== undefined) await options.checkReady(id);
  const chosen = chosenOf(project, options.only);
  const total = totalOf(evaluated.filter(({ entry }) => chosen.has(entry)));
  if (total.requests > 0 && !(await options.confirm(total))) return undefined;
  return await new Application(project, options, held, total).run(chosen);
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
 * Takes a manifest, so that two programs do not work on the same assets.
 *
 * @throws MediaError `invalidInput` while another program works on it
 */
export async function holdManifest({ key, store, variants }: ManifestProject): Promise<Work> {
  await variants.prepare();
  const held = await store.open(key);
  if (!held) throw inUse();
  return held;
}

class Application {
  readonly #project: ManifestProject;
  readonly #options: ApplyOptions;
  readonly #held: Work;
  /** What was agreed to, without what has been sent so far. */
  #agreed: Quantities;
  readonly #maker: AssetMaker;
  readonly #reports: EntryReport[] = [];
  /** The reason why no more requests are sent, by area. */
  readonly #closed = new Map<Area, string>();

  constructor(project: ManifestProject, options: ApplyOptions, held: Work, agreed: Quantities) {
    this.#project = project;
    this.#options = options;
    this.#held = held;
    this.#agreed = agreed;
    this.#maker = new AssetMaker(project, options);
  }

  async run(chosen: ReadonlySet<Entry>): Promise<readonly EntryReport[]> {
    const evaluation = evaluationOf(this.#project, { ...this.#options, seesWork: true });
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
    if (obstacle !== undefined) {
      return { outcome: 'left', sentence: obstacle, ...(found.waiting === 'unknown' ? { isUnknown: true } : {}) };
    }
    const { entry } = found;
    this.#agreed = rest(this.#agreed, found.quantities);
    try {
      return { outcome: 'made', sentence: await this.#maker.make(found) };
    } catch (error) {
      if (entry.type === 'request' && error instanceof MediaError && hostWideErrors.includes(error.kind)) {
        this.#closed.set(operations[entry.operation].area, error.message);
      }
      if (isUnknownOutcome(error)) return { outcome: 'left', sentence: unknownSentence(), isUnknown: true };
      const known = error instanceof MediaError ? error : undefined;
      const isUseless = known?.hasAnswer && isUnusable(known) && !this.#options.again;
      return { outcome: 'failed', sentence: isUseless ? uselessSentence(known) : reasonOf(error), error: known };
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
    const { signal, again, maxRequests } = this.#options;
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
    if (waiting === 'running') return inUse().message;
    if (waiting === 'unknown' && !again) return unknownSentence();
    const closed = this.#closed.get(operations[entry.operation].area);
    if (closed !== undefined && waiting !== 'answered') return closed;
    if (!covers(this.#agreed, quantities)) {
      return l10n.t('Not sent: it needs more than was agreed to, because it changed in the meantime. Apply again.');
    }
    const requests = Math.max(quantities.requests, repeats);
    if (maxRequests !== undefined && this.#maker.sent + requests > maxRequests) {
      return l10n.t('Not sent: this run is limited to {0} requests.', maxRequests);
    }
    if (!(await this.#held.isHeld())) return inUse().message;
    return this.#project.lockProblem();
  }
}

function unknownSentence(): string {
  return l10n.t(
    'unknown: Its request was sent before, and may be billed. Check with the service, then send it again with “apply --again”.',
  );
}

function uselessSentence({ message }: MediaError): string {
  return l10n.t(
    '{0} The answer is kept. “apply” tries again for free; “apply --again” gives the answer up, so that the next run sends the request again.',
    message,
  );
}

function covers(agreed: Quantities, more: Quantities): boolean {
  return amountNames.every((name) => more[name] <= agreed[name]);
}

function rest(agreed: Quantities, sent: Quantities): Quantities {
  const left = (name: keyof Quantities) => Math.max(0, agreed[name] - sent[name]);
  return { requests: left('requests'), images: left('images'), videos: left('videos'), characters: left('characters') };
}
