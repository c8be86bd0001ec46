import { MediaError } from '../operations/MediaError.ts';
import type { OperationId } from '../operations/operations.ts';
import type { AssetState, Evaluated, Quantities, Waiting } from './Evaluated.ts';
import type { EvaluationOptions } from './Evaluation.ts';
import { Evaluation } from './Evaluation.ts';
import type { LockLine } from './Lock.ts';
import type { RequestEntry } from './Manifest.ts';
import { manifestName } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import { described } from './readManifest.ts';

/** What the state of entries depends on, beside the manifest and its files. */
export interface PlanOptions {
  readonly sandbox: boolean;
  readonly speechMaxCharacters: number;
  /** Returns the default model of an operation, for entries without a model. */
  modelFor?(id: OperationId): string | undefined;
  /** Whether what earlier runs have paid for counts, too; else only the manifest, the lock and the files do. */
  readonly seesWork?: boolean | undefined;
  /** Whether the plan covers a path; all paths if absent. */
  includes?(path: string): boolean;
}

export interface PlanEntry {
  readonly path: string;
  readonly state: AssetState | 'orphan';
  readonly reasons: readonly string[];
  readonly requests: number;
}

/** The states of all assets of a manifest, and what apply would send. */
export interface Plan {
  /** The number of requests by operation; operations without requests are absent. */
  readonly requests: Readonly<Partial<Record<OperationId, number>>>;
  readonly images: number;
  readonly videos: number;
  /** Characters of text to speak. */
  readonly characters: number;
  readonly entries: readonly PlanEntry[];
}

export interface Planned {
  readonly plan: Plan;
  readonly evaluated: readonly Evaluated[];
  readonly orphans: readonly LockLine[];
}

/** Plans the assets of a manifest. @throws MediaError `invalidInput` for assets that depend on each other in a cycle */
export async function planAssets(project: ManifestProject, options: PlanOptions): Promise<Planned> {
  if (options.seesWork) await project.settle();
  const evaluation = evaluationOf(project, options);
  const isIncluded = (path: string) => options.includes?.(path) ?? true;
  const evaluated = (await evaluation.all()).filter(({ entry }) => isIncluded(entry.path));
  const orphans = evaluation.orphans.filter(({ path }) => isIncluded(path));
  const requests: Partial<Record<OperationId, number>> = {};
  for (const { entry, quantities } of evaluated) {
    if (entry.type !== 'request' || quantities.requests === 0) continue;
    requests[entry.operation] = (requests[entry.operation] ?? 0) + quantities.requests;
  }
  const { images, videos, characters } = totalOf(evaluated);
  const entries: readonly PlanEntry[] = [
    ...evaluated.map(({ entry: { path }, state, reasons, quantities }) => ({
      path,
      state,
      reasons,
      requests: quantities.requests,
    })),
    ...orphans.map(({ path }) => ({ path, state: 'orphan' as const, reasons: [], requests: 0 })),
  ];
  return { plan: { requests, images, videos, characters, entries }, evaluated, orphans };
}

export function evaluationOf(project: ManifestProject, options: PlanOptions): Evaluation {
  const { manifest, lock, hashes, store, rootUri } = project;
  const { sandbox, speechMaxCharacters, seesWork } = options;
  const all: EvaluationOptions = {
    manifest,
    lock,
    hashes,
    sandbox,
    speechMaxCharacters,
    modelFor: (id) => options.modelFor?.(id),
    videoAt: (path) => videoAt(project, path, sandbox),
    ...(seesWork && {
      waiting: (entry, request) => waitingFor(project, entry, request, sandbox),
      statesOf: (keys) => store.statesOf(keys, rootUri),
    }),
  };
  return new Evaluation(all);
}

/** Sums up what would be sent. */
export function totalOf(evaluated: readonly Pick<Evaluated, 'quantities'>[]): Quantities {
  const sum = (name: keyof Quantities) => evaluated.reduce((total, { quantities }) => total + quantities[name], 0);
  return { requests: sum('requests'), images: sum('images'), videos: sum('videos'), characters: sum('characters') };
}

/** @throws MediaError `invalidInput` that lists all entries with problems */
export function checkProblems(evaluated: readonly Evaluated[]): void {
  const problems = evaluated.flatMap(({ problem }) => problem ?? []);
  const [first] = problems;
  if (!first) return;
  const sentence = problems.map((problem) => described(problem, manifestName)).join('\n');
  throw new MediaError('invalidInput', sentence, { field: first.field });
}

/** Whether apply would do anything. */
export function hasWork(evaluated: readonly Evaluated[]): boolean {
  return evaluated.some(({ action }) => action !== 'none');
}

async function videoAt(project: ManifestProject, path: string, sandbox: boolean) {
  const entries = await project.library.entriesAt([project.recorded(path)]);
  const known = entries.findLast((entry) => entry.videoId !== undefined && (entry.sandbox === true) === sandbox);
  return known?.videoId === undefined ? undefined : { videoId: known.videoId, model: known.model };
}

/** Returns what earlier runs have left of an entry's request, which is sent as one. */
async function waitingFor(
  { variants, store, rootUri }: ManifestProject,
  { path }: RequestEntry,
  request: string,
  sandbox: boolean,
): Promise<Waiting | undefined> {
  const key = variants.keyFor(path, request, sandbox);
  const state = await store.stateOf(key, rootUri);
  if (state === 'answered' || state === 'unusable' || state === 'unknown' || state === 'running') return state;
  return (await variants.list(key)).length > 0 ? 'saved' : undefined;
}
