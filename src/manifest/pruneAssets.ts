import { basename, dirname, join } from 'node:path';
import { LocalFolder } from '../library/LocalFolder.ts';
import { takeLease } from './applyAssets.ts';
import type { LockLine } from './Lock.ts';
import type { ManifestProject } from './ManifestProject.ts';
import type { PlanOptions } from './plan.ts';
import { evaluationOf } from './plan.ts';

export interface Pruned {
  readonly path: string;
  /** `untouched`: as it was made; `changed`: by hand, so the file stays; `missing`: only the lock knows it. */
  readonly state: 'untouched' | 'changed' | 'missing';
}

/**
 * Finds the locked assets that no entry makes any more, and removes them where that is asked for: the file only if it
 * is as it was made, the line of the lock in any case.
 */
export async function pruneAssets(
  project: ManifestProject,
  { removes, ...options }: PlanOptions & { readonly removes: boolean },
): Promise<readonly Pruned[]> {
  const orphans = evaluationOf(project, options).orphans;
  const found: Pruned[] = [];
  if (!removes) {
    for (const line of orphans) found.push({ path: line.path, state: await stateOf(project, line) });
    return found;
  }
  const lease = await takeLease(project);
  try {
    for (const line of orphans) {
      const state = await stateOf(project, line);
      if (state === 'untouched') await remove(project, line.path);
      await project.changeLock(line.path, undefined);
      found.push({ path: line.path, state });
    }
  } finally {
    await lease.release();
  }
  return found;
}

async function stateOf({ hashes }: ManifestProject, { path, output }: LockLine): Promise<Pruned['state']> {
  const sha256 = await hashes.of(path);
  if (sha256 === undefined) return 'missing';
  return sha256 === output ? 'untouched' : 'changed';
}

async function remove({ manifest, root, hashes }: ManifestProject, path: string): Promise<void> {
  const file = join(manifest.folder, path);
  await new LocalFolder(dirname(file), root).remove(basename(file));
  hashes.changed(path);
}
