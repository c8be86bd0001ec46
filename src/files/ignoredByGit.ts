import { relative, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import { gitProgram, repositoriesOf, runGit } from './git.ts';

/**
 * Returns which files git ignores, with one call for all files of a repository. No file outside of a repository is. Of a
 * submodule, or of a repository of its own inside another one, the outer one is asked about the whole.
 *
 * @param files absolute paths without links
 * @param root absolute path without links of the folder that holds them; repositories around its own do not count
 * @throws Error if git cannot say it
 */
export async function ignoredByGit(files: readonly string[], root: string): Promise<ReadonlySet<string>> {
  const repositories = new Map<string, Map<string, string[]>>();
  for (const file of new Set(files)) {
    for (const [repository, path] of repositoriesOf(file, root)) {
      const paths = repositories.get(repository) ?? new Map<string, string[]>();
      const inside = paths.get(path) ?? [];
      inside.push(file);
      repositories.set(repository, paths.set(path, inside));
    }
  }
  if (repositories.size === 0) return new Set();
  const git = await gitProgram();
  if (git === undefined) throw new Error(l10n.t('git is not installed'));
  const ignored = await Promise.all(
    [...repositories].map(async ([folder, paths]) =>
      (await askGit(git, folder, [...paths.keys()])).flatMap((path) => paths.get(path) ?? []),
    ),
  );
  return new Set(ignored.flat());
}

async function askGit(git: string, folder: string, files: readonly string[]): Promise<readonly string[]> {
  const byName = new Map(files.map((file) => [relative(folder, file).split(sep).join('/'), file]));
  const input = [...byName.keys()].map((name) => `${name}\0`).join('');
  const output = await runGit(git, folder, ['check-ignore', '--stdin', '-z'], input);
  return output.split('\0').flatMap((name) => byName.get(name) ?? []);
}
