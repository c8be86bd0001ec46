import { readdir, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { realPath } from '../files/FileCalls.ts';
import { namesElsewhere } from '../files/heldByGit.ts';
import { ignoredByGit } from '../files/ignoredByGit.ts';
import { hiddenProblem, insideOf } from '../files/mayLeave.ts';
import { isOutside } from '../files/pathFrom.ts';
import { extensionOf, spokenExtensions } from '../operations/operations.ts';

/** The documents that patterns such as `docs/*.md` match, by the patterns. */
export type FoundDocuments = ReadonlyMap<string, readonly string[]>;

/**
 * Finds the documents that patterns match, sorted, with paths relative to the manifest, also those that git has and that
 * are not checked out: their narrations are no orphans. Hidden ones and those that git
 * ignores are not among them, since nobody picked them. Where git cannot say it, each entry tells that later.
 *
 * @param folder absolute path of the manifest's folder
 * @param root absolute path of the folder that was opened
 */
export async function findDocuments(
  patterns: readonly string[],
  { folder, root, withoutGit }: { readonly folder: string; readonly root: string; readonly withoutGit: boolean },
): Promise<FoundDocuments> {
  const [realRoot, realFolder] = [await realPath(root), await realPath(folder)];
  const real = new Map<string, string>();
  const found = await Promise.all(
    patterns.map(async (pattern) => {
      const inside = posix.dirname(pattern);
      const elsewhere = withoutGit ? [] : await namesElsewhere(join(realFolder, inside), realRoot).catch(() => []);
      const all = new Set([...(await filesIn(join(folder, inside))), ...elsewhere]);
      const paths = namesFor([...all], posix.basename(pattern))
        .map((name) => posix.join(posix.dirname(pattern), name))
        .filter((path) => hiddenProblem('', [insideOf(root, join(folder, path))]) === undefined);
      for (const path of paths) {
        const file = join(realFolder, path);
        real.set(path, await realPath(file).catch(() => file));
      }
      return [pattern, paths] as const;
    }),
  );
  const ignored = withoutGit
    ? new Set<string>()
    : await ignoredByGit([...real.values()], realRoot).catch(() => new Set<string>());
  const isMeant = (path: string) => {
    const file = real.get(path) ?? '';
    return !ignored.has(file) && !isOutside(insideOf(realRoot, file));
  };
  return new Map(found.map(([pattern, paths]) => [pattern, paths.filter(isMeant)]));
}

/** Returns those of the names that are documents and that a name with one `*` matches, sorted. */
function namesFor(names: readonly string[], pattern: string): readonly string[] {
  const [start = '', end = ''] = pattern.split('*');
  const isMatch = (name: string) =>
    name.length > start.length + end.length && name.startsWith(start) && name.endsWith(end);
  return names.filter((name) => isMatch(name) && spokenExtensions.includes(extensionOf(name))).sort();
}

/** Returns the names of the files in a folder; none if there is no such folder. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const isFile = (name: string) =>
    stat(join(folder, name)).then(
      (found) => found.isFile(),
      () => false,
    );
  const are = await Promise.all(names.map(isFile));
  return names.filter((_, index) => are[index]);
}
