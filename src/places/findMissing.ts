import { posix } from 'node:path';
import type { MediaReference } from '../documents/MediaReference.ts';
import type { Target } from './Places.ts';

/** A file that a document refers to and that is not there. */
export interface MissingFile {
  readonly path: string;
  /** All that lead to it, in the order of the document. */
  readonly references: readonly MediaReference[];
  /** Files of the same name that are there, the nearest first. */
  readonly candidates: readonly string[];
}

export interface MissingFiles {
  /** Where a reference leads; see `Places.resolve`. */
  resolve(reference: MediaReference): Promise<Target | undefined>;
  /** The files of the workspace that have a name, without regard to case. */
  filesNamed(name: string): Promise<readonly string[]>;
  /** Whether a path is left alone, as git does with ignored files. */
  isIgnored?(path: string): Promise<boolean>;
}

/** The files that references lead to and that are not there, each once. What a build makes is not missed. */
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
