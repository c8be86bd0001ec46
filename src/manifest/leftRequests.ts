import { existsSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { canonicalRoot } from '../files/canonicalRoot.ts';
import { reasonOf } from '../operations/MediaError.ts';
import type { JobRecord } from '../work/Job.ts';
import { type Noted, notedIn } from '../work/Notes.ts';
import { requestLength } from '../work/StoreListing.ts';
import { stateOfWork } from '../work/stateOfWork.ts';
import { inUse } from './applyAssets.ts';
import type { Evaluated, PlanOptions } from './Evaluation.ts';
import type { ManifestProject } from './ManifestProject.ts';
import { planAssets } from './plan.ts';
import type { Pruned } from './pruneAssets.ts';

/** A request that may have been billed, and that no entry asks for any more. */
interface LeftRequest {
  /** Path of the entry that it was for, as the manifest had it; the folder of its results if that is not known. */
  readonly path: string;
  /** Key of its work. */
  readonly key: string;
  /** Undefined if another computer has sent it. */
  readonly record?: JobRecord;
  /** What is known of a request that another computer has sent. */
  readonly noted?: Noted;
}

/**
 * Finds the requests of unknown outcome that were sent for entries which have changed or are gone. No plan names them,
 * and they are never forgotten by themselves. With `removes`, nobody is asked about them again.
 */
export async function pruneRequests(
  project: ManifestProject,
  { removes, ...options }: PlanOptions & { readonly removes: boolean },
): Promise<readonly Pruned[]> {
  const pruned: Pruned[] = [];
  for (const left of await leftRequests(project, options)) {
    const { path } = left;
    try {
      const kept = removes ? await forget(project, left) : [];
      pruned.push({ path, state: 'unknown', ...(kept.length > 0 && { reason: kept.join(', ') }) });
    } catch (error) {
      pruned.push({ path, state: 'failed', reason: reasonOf(error) });
    }
  }
  return pruned;
}

/** Leaves out what may belong to an entry that cannot be evaluated now. */
async function leftRequests(project: ManifestProject, options: PlanOptions): Promise<readonly LeftRequest[]> {
  const { manifest, rootUri, store } = project;
  const own = project.recorded(basename(manifest.file));
  const root = await canonicalRoot(rootUri);
  const { evaluated } = await planAssets(project, { ...options, seesWork: true });
  const isAsked = requestsAsked(project, evaluated);
  const left: LeftRequest[] = [];
  for (const record of await store.abandoned([rootUri], () => false)) {
    const { key, place, whole } = record;
    const isOwn = place.manifest === own && (await canonicalRoot(place.root)) === root;
    if (!isOwn || stateOfWork(record) !== 'unknown') continue;
    const folder = posix.basename((whole?.place ?? place).path);
    const path = place.entry ?? whole?.entry;
    if (!isAsked(path, [key, folder])) left.push({ path: path ?? place.path, key, record });
  }
  for (const noted of await notedIn(rootUri)) {
    const { key, notes } = noted;
    const { manifest: file, entry } = await notes.placeOf(key);
    if (file !== own || typeof entry !== 'string' || isAsked(entry, [key])) continue;
    const isOwnWork = existsSync(store.folderOf(key)) || (await store.partsOf(key)).length > 0;
    if (!isOwnWork) left.push({ path: entry, key, noted });
  }
  return left;
}

/**
 * @returns the paths of what the service has sent for a request, which is kept
 * @throws MediaError while another program works on it
 */
async function forget({ store }: ManifestProject, { key, record, noted }: LeftRequest): Promise<readonly string[]> {
  await noted?.notes.remove(key);
  if (!record) return [];
  await using work = await store.take(key);
  // Another program may have sent it again in the meantime.
  if (!work || (await work.read())?.record.id !== record.id) throw inUse();
  await store.withdraw(key, record.place, record.id);
  const kept = await store.giveUp(work, record);
  if (kept.length === 0) await work.remove();
  await store.forgetWhole(record);
  return kept;
}

/** Returns whether the manifest, as it is now, may ask for a request: by the entry's path and by keys of the request. */
function requestsAsked({ variants }: ManifestProject, evaluated: readonly Evaluated[]) {
  const keys = new Set<string>();
  const unclear = new Set<string>();
  for (const { entry, origin, parts, problem, pending } of evaluated) {
    if (entry.type !== 'request') continue;
    if (origin.request === undefined || problem || pending.length > 0) unclear.add(entry.path);
    else keys.add(variants.keyFor(entry.path, origin.request, false));
    for (const block of parts?.blocks ?? []) keys.add(block.key);
  }
  return (path: string | undefined, asked: readonly string[]): boolean =>
    (path === undefined ? unclear.size > 0 : unclear.has(path)) ||
    asked.some((key) => keys.has(key) || keys.has(key.slice(0, requestLength)));
}
