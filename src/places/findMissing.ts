import { posix } from 'node:path';
import type { MediaReference } from '../documents/MediaReference.ts';
import type { Target } from './Places.ts';

/** A file that a document refers to and that does not exist. */
export interface MissingFile {
  readonly path: string;
  /** All references to it, in document order. */
  readonly references: readonly MediaReference[];
  /** Existing files of the same name, nearest first. */
  readonly candidates: readonly string[];
}

export interface MissingFiles {
  /** Returns where a reference leads; see `Places.resolve`. */
  resolve(reference: MediaReference): Promise<Target | undefined>;
  /** Returns the files in the workspace with this name, ignoring case. */
  filesNamed(name: string): Promise<readonly string[]>;
  /** Returns whether a path is ignored, such as by git. */
  isIgnored?(path: string): Promise<boolean>;
}

/** Returns the missing files that references lead to, each once. Files that a build creates are not missing. */
export async function findMissing(
  references: readonly MediaReference[],
  { resolve, filesNamed, isIgnored = async () => false }: MissingFiles,
): Promise<readonly MissingFile[]> {
  const targets = await Promise.all(
    references.map(async (reference) => ({ reference, target: await resolve(reference) })),
  );
  const missing = new Map<string, MediaReference[]>();
  for (const { reference, target } of targets) {
    if (!target || target.exists || target.isOutput) continue;
    const others = missing.get(target.path);
    if (others) others.push(reference);
    else missing.set(target.path, [reference]);
  }
  const files: MissingFile[] = [];
  for (const [path, leading] of missing) {
    if (await isIgnored(path)) continue;
    const named = await filesNamed(posix.basename(path));
    files.push({ path, references: leading, candidates: byDistance(named, path) });
  }
  return files;
}

function byDistance(candidates: readonly string[], path: string): readonly string[] {
  const distanceOf = (candidate: string) => posix.relative(posix.dirname(path), candidate).split('/').length;
  return candidates
    .filter((candidate) => candidate !== path)
    .map((candidate) => ({ candidate, distance: distanceOf(candidate) }))
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .map(({ candidate }) => candidate);
}
