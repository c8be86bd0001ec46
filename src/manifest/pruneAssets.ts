import { basename, dirname, join } from 'node:path';
import { LocalFolder } from '../files/LocalFolder.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { extensionOf, outputExtensions } from '../operations/operations.ts';
import { holdManifest } from './applyAssets.ts';
import { Evaluation, type PlanOptions } from './Evaluation.ts';
import type { LockLine } from './Lock.ts';
import { keyOf } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import { namedFiles, type OtherLocks, otherLockOf } from './otherNames.ts';

/**
 * What is done about an orphan. The line in the lock goes, except for `failed`; the file goes only if it is `untouched`.
 *
 * - `untouched`: the file is as it was made
 * - `missing`: there is no file
 * - `changed`: a person changed it
 * - `accepted`: a person accepted it, so it may be their own work
 * - `shared`: another lock names it, too, or an entry that is made from it, or a line with another path
 * - `notMade`: no entry could have made such a file
 * - `unsafe`: it is a link or not a file
 * - `failed`: it could not be read or removed
 * - `unknown`: no orphan, but a request for an earlier version of an entry, which may have been billed
 */
type PruneState =
  | 'untouched'
  | 'missing'
  | 'changed'
  | 'accepted'
  | 'shared'
  | 'notMade'
  | 'unsafe'
  | 'failed'
  | 'unknown';

export interface Pruned {
  readonly path: string;
  readonly state: PruneState;
  /**
   * What is wrong, if it is `unsafe` or `failed`; the file that names it, if it is `shared`; paths of what is kept of the
   * answer, if it is `unknown`.
   */
  readonly reason?: string;
}

/**
 * Finds the locked assets that no longer have an entry. With `removes` it also removes their lock lines, and those of
 * their files that a line of this lock made and nobody changed or accepted.
 *
 * @param agreed what a person agreed to, as it was then; what has another state now stays. Undefined if nobody was asked
 */
export async function pruneAssets(
  project: ManifestProject,
  { removes, ...options }: PlanOptions & { readonly removes: boolean },
  agreed?: readonly Pruned[],
): Promise<readonly Pruned[]> {
  const orphans = await new Evaluation(project, options).orphans();
  const named = await namedFiles(project);
  const others: OtherLocks = new Map();
  const found: Pruned[] = [];
  if (!removes) {
    for (const line of orphans) found.push(await judge(project, line, named, others));
    return found;
  }
  await using _ = await holdManifest(project);
  for (const line of orphans) {
    // The file may have changed since, while a question was open.
    project.hashes.changed(line.path);
    const judged = await judge(project, line, named, others);
    if (agreed && !agreed.some(({ path, state }) => path === judged.path && state === judged.state)) continue;
    const pruned = judged.state === 'untouched' ? await remove(project, judged) : judged;
    if (pruned.state !== 'failed') await project.changeLock(line.path, undefined);
    found.push(pruned);
  }
  return found;
}

async function judge(
  project: ManifestProject,
  line: LockLine,
  named: ReadonlyMap<string, string>,
  others: OtherLocks,
): Promise<Pruned> {
  const { path, output, accepted } = line;
  try {
    const sha256 = await project.hashes.of(path);
    if (sha256 === undefined) return { path, state: 'missing' };
    if (sha256 !== output) return { path, state: 'changed' };
    if (accepted) return { path, state: 'accepted' };
    if (!isMade(line)) return { path, state: 'notMade' };
    const file = await project.hashes.locate(path);
    const other = named.get(keyOf(file ?? '')) ?? (await otherLockOf(project, path, others));
    return other === undefined ? { path, state: 'untouched' } : { path, state: 'shared', reason: other };
  } catch (error) {
    return { path, state: error instanceof MediaError ? 'unsafe' : 'failed', reason: reasonOf(error) };
  }
}

/** Whether an entry can have made a file. A lock may come with an untrusted project, and name any file. */
function isMade({ path, request, local }: LockLine): boolean {
  const { images } = outputExtensions;
  // A derived entry makes an image or captions.
  const all =
    request === undefined
      ? local === undefined
        ? []
        : [...images, 'srt', 'vtt']
      : Object.values(outputExtensions).flat();
  return all.includes(extensionOf(path));
}

async function remove({ manifest, root, hashes }: ManifestProject, pruned: Pruned): Promise<Pruned> {
  const { path } = pruned;
  const file = join(manifest.folder, path);
  try {
    await new LocalFolder(dirname(file), root).remove(basename(file));
    return pruned;
  } catch (error) {
    return { path, state: 'failed', reason: reasonOf(error) };
  } finally {
    hashes.changed(path);
  }
}
