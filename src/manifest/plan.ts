import { basename } from 'node:path';
import type { Difference } from '../library/LibraryRecord.ts';
import { type Amounts, sum } from '../operations/amounts.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { OperationId } from '../operations/operations.ts';
import { type Cost, costOfAll, secondsIn } from '../operations/prices.ts';
import { type Sent, sentWith } from './describeRequest.ts';
import { type AssetState, type Evaluated, Evaluation, type PlanOptions } from './Evaluation.ts';
import type { LockLine } from './Lock.ts';
import type { EntryPattern, Problem } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import { described } from './readManifest.ts';

export interface PlanEntry {
  readonly path: string;
  readonly state: AssetState | 'orphan';
  readonly reasons: readonly string[];
  readonly requests: number;
  /** Each file and further field that is sent; absent if there are none. */
  readonly sends?: readonly Sent[];
  /** How the asset differs from what was asked for. */
  readonly differs?: readonly Difference[];
  /** The model that it is made with, if the service no longer has it. */
  readonly goneModel?: string;
  /** The path under which the lock has it. */
  readonly renamedFrom?: string;
}

/** The states of all assets of a manifest, and what apply would send. */
export interface Plan extends Omit<Amounts, 'requests'> {
  /** The number of requests by operation; operations without requests are absent. */
  readonly requests: Readonly<Partial<Record<OperationId, number>>>;
  readonly entries: readonly PlanEntry[];
  /** What the requests cost by the person's own prices; absent where one of them has no price. */
  readonly cost?: Cost;
}

export interface Planned {
  readonly plan: Plan;
  readonly evaluated: readonly Evaluated[];
  /** Why entries are left out, if the manifest was opened for some of them only. */
  readonly problems: readonly Problem[];
  readonly patterns: readonly EntryPattern[];
  /** The lines of the lock that have neither an entry nor a file. Nothing is wrong with them; apply removes them. */
  readonly gone: readonly LockLine[];
}

/** Plans the assets of a manifest. @throws MediaError `invalidInput` for assets that depend on each other in a cycle */
export async function planAssets(project: ManifestProject, options: PlanOptions): Promise<Planned> {
  if (options.seesWork) await project.settle();
  const evaluation = new Evaluation(project, options);
  const isIncluded = (path: string) => options.includes?.(path) ?? true;
  const evaluated = (await evaluation.all()).filter(({ entry }) => isIncluded(entry.path));
  const lines = (await evaluation.orphans()).filter(({ path }) => isIncluded(path));
  const gone = new Set(await filtered(lines, (line) => evaluation.isGone(line)));
  const orphans = lines.filter((line) => !gone.has(line));
  const requests = requestsByOperation(evaluated);
  const { requests: _, ...amounts } = totalOf(evaluated);
  const differences = options.warns ? await differencesOf(project, evaluated) : undefined;
  const entries: readonly PlanEntry[] = [
    ...evaluated.map(({ entry, model, state, reasons, renamedFrom, quantities: { requests: sent } }) => {
      const isGone = entry.type === 'request' && model !== undefined && options.warns?.isGone(entry.operation, model);
      const warnings = { differs: differences?.get(entry.path), goneModel: isGone ? model : undefined };
      const sends = entry.type === 'request' && sent > 0 ? sentWith(entry, model ?? '') : [];
      const more = { ...(sends.length > 0 && { sends }), ...(renamedFrom && { renamedFrom: renamedFrom.path }) };
      return { path: entry.path, state, reasons, requests: sent, ...more, ...warnings };
    }),
    ...orphans.map(({ path }) => ({ path, state: 'orphan' as const, reasons: [], requests: 0 })),
  ];
  const cost = costOfEntries(evaluated, options);
  const plan = { requests, ...amounts, ...(cost && { cost }), entries };
  const { patterns } = project.manifest;
  return { plan, evaluated, gone: [...gone], problems: project.problems, patterns };
}

async function filtered<T>(all: readonly T[], isMeant: (one: T) => Promise<boolean>): Promise<readonly T[]> {
  const meant = await Promise.all(all.map(isMeant));
  return all.filter((_, index) => meant[index]);
}

/** Returns how assets differ from what was asked for, as the library recorded it. Accepted assets are left out. */
async function differencesOf(
  project: ManifestProject,
  evaluated: readonly Evaluated[],
): Promise<ReadonlyMap<string, readonly Difference[]>> {
  const made = evaluated.filter(({ state, line, entry }) => {
    return entry.type === 'request' && (state === 'fresh' || state === 'stale') && !line?.accepted;
  });
  const paths = new Map(made.map(({ entry: { path } }) => [project.recorded(path), path]));
  const records = paths.size > 0 ? await project.library.entriesAt([...paths.keys()]).catch(() => []) : [];
  // The last record of a path describes its current content.
  const last = new Map(records.map(({ file = '', differs }) => [paths.get(file), differs]));
  return new Map([...last].flatMap(([path, differs]) => (path !== undefined && differs ? [[path, differs]] : [])));
}

/** Counts the requests that would be sent. */
export function requestsByOperation(evaluated: readonly Pick<Evaluated, 'entry' | 'quantities'>[]): Plan['requests'] {
  const requests: Partial<Record<OperationId, number>> = {};
  for (const { entry, quantities } of evaluated) {
    if (entry.type !== 'request' || quantities.requests === 0) continue;
    requests[entry.operation] = (requests[entry.operation] ?? 0) + quantities.requests;
  }
  return requests;
}

/** Sums up what would be sent. */
export function totalOf(evaluated: readonly Pick<Evaluated, 'quantities'>[]): Amounts {
  return sum(...evaluated.map(({ quantities }) => quantities));
}

/** Returns what apply would cost; undefined in the sandbox, which is free, and where a price is not known. */
export function costOfEntries(
  evaluated: readonly Pick<Evaluated, 'entry' | 'model' | 'quantities'>[],
  { sandbox, prices }: Pick<PlanOptions, 'sandbox' | 'prices'>,
): Cost | undefined {
  const sent = evaluated.filter(({ quantities }) => quantities.requests > 0);
  if (sandbox || !prices || sent.length === 0) return undefined;
  const amount = costOfAll(
    prices,
    sent.map(({ entry, model = '', quantities }) => ({
      model,
      counted: { ...quantities, seconds: secondsIn(entry.type === 'request' ? entry.further?.fields : undefined) },
    })),
  );
  return amount === undefined ? undefined : { amount, currency: prices.currency };
}

/**
 * @param manifest path of the manifest, whose name is shown
 * @throws MediaError `invalidInput` that lists all entries with problems
 */
export function checkProblems(evaluated: readonly Evaluated[], manifest: string): void {
  const problems = evaluated.flatMap(({ problem }) => problem ?? []);
  const [first] = problems;
  if (!first) return;
  const sentence = problems.map((problem) => described(problem, basename(manifest))).join('\n');
  throw new MediaError('invalidInput', sentence, { field: first.field });
}

/** Whether apply would do anything. */
export function hasWork(evaluated: readonly Evaluated[]): boolean {
  return evaluated.some(({ action }) => action !== 'none');
}

/**
 * Returns the exit code of the command line, and of a task: of `plan` 2 if apply would do anything, 1 if it would
 * only leave requests whose outcome is unknown, of `check` 1 if anything is not fresh.
 *
 * @throws MediaError for `plan`, as {@link checkProblems}
 */
export function exitCodeOf(verb: 'plan' | 'check', { plan, evaluated }: Planned, manifest: string): number {
  if (verb === 'check') {
    const isFresh = plan.entries.every(({ state }) => state === 'fresh');
    return isFresh && evaluated.every(({ problem }) => !problem) ? 0 : 1;
  }
  checkProblems(evaluated, manifest);
  if (!hasWork(evaluated)) return 0;
  const isLeft = ({ action, waiting, quantities }: Evaluated) =>
    action === 'none' || (waiting === 'unknown' && quantities.requests === 0);
  return evaluated.every(isLeft) ? 1 : 2;
}
