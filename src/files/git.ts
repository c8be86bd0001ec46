import { execFile } from 'node:child_process';
import { constants, existsSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, relative } from 'node:path';
import { isOutside } from './pathFrom.ts';

/** How long git may take, in milliseconds. */
const maxRunMs = 20_000;
/** What git prints are mostly the paths that it was given. */
const maxOutputBytes = 2 ** 26;

/**
 * Variables of the repository that a hook of git works on; the files asked about may be in another one. With another
 * meaning of paths, `check-ignore` of git 2.39 refuses to run.
 */
const ofOthers = /^GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|OBJECT_DIRECTORY|\w+_PATHSPECS)$/i;

/**
 * Yields the tops of the repositories, submodules or work trees that hold a file, up to that of a root, each with what it
 * is asked about: the file, or the repository in it that holds the file.
 */
export function* repositoriesOf(file: string, root: string): Generator<readonly [repository: string, path: string]> {
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
export async function gitProgram(): Promise<string | undefined> {
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

/**
 * Runs git in a repository. Nothing that the repository configures is run, and nothing is fetched.
 *
 * @param git absolute path of the program
 * @param folder absolute path of the top of the repository
 * @param input what it reads
 * @returns what it prints, also if it ends with 1, as for “none”
 * @throws Error with the reason, in the words of git
 */
export function runGit(git: string, folder: string, words: readonly string[], input = ''): Promise<string> {
  // A repository may name a program of its own as its monitor.
  const all = ['-c', 'core.fsmonitor=false', '-C', folder, ...words];
  const options = { env: environment(), timeout: maxRunMs, maxBuffer: maxOutputBytes, windowsHide: true };
  return new Promise((resolve, reject) => {
    const child = execFile(git, all, options, (error, output, complaint) => {
      if (!error || error.code === 1) resolve(output);
      else reject(new Error(complaint.trim().split('\n')[0] || error.message));
    });
    // Git may end before it has read everything; its exit code says why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** The environment without our key, and without the repository of a hook that this runs in. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^UNIFIED_MEDIA_/i.test(name) && !ofOthers.test(name));
  return { ...Object.fromEntries(kept), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_ALLOW_PROTOCOL: '' };
}
