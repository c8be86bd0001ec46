import { basename, dirname, join } from 'node:path';
import { LocalFolder } from '../library/LocalFolder.ts';
import { takeLease } from './applyAssets.ts';
import type { LockLine } from './Lock.ts';
import type { ManifestProject } from './ManifestProject.ts';
import type { PlanOptions } from './plan.ts';
import { evaluationOf } from './plan.ts';

export interface Pruned {
  readonly path: string;
  /**
   * `untouched`: the file is as locked; `changed`: it was changed by hand, so it is kept; `missing`: it does not exist.
   */
  readonly state: 'untouched' | 'changed' | 'missing';
}

/**
 * Finds the locked assets that no longer have an entry. With `removes` it also removes their lock lines, and their
 * files unless they were changed by hand.
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
