import { readdir, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { realPath } from '../files/FileCalls.ts';
import { ignoredByGit } from '../files/ignoredByGit.ts';
import { hiddenProblem, insideOf } from '../files/mayLeave.ts';
import { isOutside } from '../files/pathFrom.ts';
import { extensionOf, spokenExtensions } from '../operations/operations.ts';

/** The documents that patterns such as `docs/*.md` match, by the patterns. */
export type FoundDocuments = ReadonlyMap<string, readonly string[]>;

/**
 * Finds the documents that patterns match, sorted, with paths relative to the manifest. Hidden ones and those that git
 * ignores are not among them, since nobody picked them. Where git cannot say it, each entry tells that later.
 *
 * @param folder absolute path of the manifest's folder
 * @param root absolute path of the folder that was opened
 */
export async function findDocuments(
  patterns: readonly string[],
  { folder, root, withoutGit }: { readonly folder: string; readonly root: string; readonly withoutGit: boolean },
): Promise<FoundDocuments> {
  const realRoot = await realPath(root);
  const real = new Map<string, string>();
  const found = await Promise.all(
    patterns.map(async (pattern) => {
      const paths = (await namesFor(join(folder, posix.dirname(pattern)), posix.basename(pattern)))
        .map((name) => posix.join(posix.dirname(pattern), name))
        .filter((path) => hiddenProblem('', [insideOf(root, join(folder, path))]) === undefined);
      for (const path of paths) real.set(path, await realPath(join(folder, path)));
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

/** Returns the names of the documents in a folder that a name with one `*` matches; none if there is no such folder. */
async function namesFor(folder: string, pattern: string): Promise<readonly string[]> {
  const [start = '', end = ''] = pattern.split('*');
  const names = (await readdir(folder).catch(() => [])).filter(
    (name) =>
      name.length > start.length + end.length &&
      name.startsWith(start) &&
      name.endsWith(end) &&
      spokenExtensions.includes(extensionOf(name)),
  );
  const isFile = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        (one) => one.isFile(),
        () => false,
      ),
    ),
  );
  return names.filter((_, index) => isFile[index]).sort();
}
