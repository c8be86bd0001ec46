import { execFile } from 'node:child_process';
import { constants, existsSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, relative, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import { isOutside } from './pathFrom.ts';

/** How long git may take, in milliseconds. */
const maxRunMs = 20_000;
/** What git prints are the paths that it was given. */
const maxOutputBytes = 2 ** 26;

/** Names of the repository that a hook of git works on; the files asked about may be in another one. */
const ofOtherRepository = /^GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|OBJECT_DIRECTORY)$/i;

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

/**
 * Yields the tops of the repositories, submodules or work trees that hold a file, up to that of a root, each with what it
 * is asked about: the file, or the repository in it that holds the file.
 */
function* repositoriesOf(file: string, root: string): Generator<readonly [repository: string, path: string]> {
  let path = file;
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const git = statSync(join(folder, '.git'), { throwIfNoEntry: false });
    if (git?.isFile() || (git && existsSync(join(folder, '.git', 'HEAD')))) {
      yield [folder, path];
      path = folder;
      const inside = relative(root, folder);
      if (inside === '' || isOutside(inside)) return;
    }
    if (dirname(folder) === folder) return;
  }
}

/** Finds git in the folders of PATH. Windows would look in the current folder first, and that may be a hostile one. */
async function gitProgram(): Promise<string | undefined> {
  const name = process.platform === 'win32' ? 'git.exe' : 'git';
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(isAbsolute)) {
    const isThere = access(join(folder, name), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (await isThere) return join(folder, name);
  }
  return undefined;
}

function askGit(git: string, folder: string, files: readonly string[]): Promise<readonly string[]> {
  const byName = new Map(files.map((file) => [relative(folder, file).split(sep).join('/'), file]));
  // A repository may name a program of its own as its monitor.
  const words = ['-c', 'core.fsmonitor=false', '-C', folder, 'check-ignore', '--stdin', '-z'];
  const options = { env: environment(), timeout: maxRunMs, maxBuffer: maxOutputBytes, windowsHide: true };
  return new Promise((resolve, reject) => {
    const child = execFile(git, words, options, (error, output, complaint) => {
      const code = error?.code;
      // 1: none of them is ignored.
      if (!error || code === 1) resolve(output.split('\0').flatMap((name) => byName.get(name) ?? []));
      else reject(new Error(complaint.trim().split('\n')[0] || error.message));
    });
    // Git may end before it has read everything; its exit code says why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end([...byName.keys()].map((name) => `${name}\0`).join(''));
  });
}

/** The environment without our key, and without the repository of a hook that this runs in. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^UNIFIED_MEDIA_/i.test(name) && !ofOtherRepository.test(name),
  );
  return { ...Object.fromEntries(kept), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' };
}
