import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { objectWith, text } from '../foreign/shape.ts';
import { parseJson } from '../operations/parseJson.ts';
import { lockEnding, readDeclared } from './Lock.ts';
import { keyOf, sourcesOf } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';

/** Finds what else names files, by the keys of their real paths: entries that make or need them, and a person's consent. */
export async function namedFiles({
  manifest,
  lock,
  lockFile,
  hashes,
}: Pick<ManifestProject, 'manifest' | 'lock' | 'lockFile' | 'hashes'>): Promise<ReadonlyMap<string, string>> {
  const accepted = [...lock.values()].filter((line) => line.accepted);
  const paths = [
    ...accepted.map(({ path }) => ({ path, name: basename(lockFile) })),
    ...manifest.entries
      .flatMap((entry) => [entry.path, ...sourcesOf(entry)])
      .map((path) => ({ path, name: basename(manifest.file) })),
  ];
  const named = new Map<string, string>();
  for (const { path, name } of paths) {
    const file = await hashes.locate(path).catch(() => undefined);
    if (file !== undefined) named.set(keyOf(file), name);
  }
  return named;
}

/** The keys of the paths that each lock of another manifest names; undefined for one that cannot be read. */
export type OtherLocks = Map<string, ReadonlySet<string> | undefined>;

/** Returns the lock of another manifest that names a file, or that cannot be read. Paths are relative to the root. */
export async function otherLockOf(
  { manifest, root, lockFile }: ManifestProject,
  path: string,
  others: OtherLocks,
): Promise<string | undefined> {
  const file = join(manifest.folder, path);
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    for (const name of await readdir(folder)) {
      const lock = join(folder, name);
      if (!name.endsWith(lockEnding) || lock === lockFile || !(await lstat(lock)).isFile()) continue;
      if (!others.has(lock)) others.set(lock, await pathsIn(lock));
      const key = keyOf(relative(folder, file).split(sep).join('/'));
      if (others.get(lock)?.has(key) !== false) return relative(root, lock);
    }
    if (folder === root || dirname(folder) === folder) return undefined;
  }
}

const namesPath = objectWith({ path: text() });

async function pathsIn(lock: string): Promise<ReadonlySet<string> | undefined> {
  const lines = await readDeclared(lock).catch(() => undefined);
  return lines === undefined
    ? undefined
    : new Set(
        lines.split(/\r?\n/).flatMap((written) => {
          const line = parseJson(written);
          return namesPath(line) ? [keyOf(line.path)] : [];
        }),
      );
}
