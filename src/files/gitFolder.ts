import { lstatSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { realPath } from './FileCalls.ts';
import { LocalFolder } from './LocalFolder.ts';

/** More than the longest path that a system knows, in bytes. */
const maxPathBytes = 40_000;

/**
 * Finds the folder of git that all work trees of a repository share, without running git.
 *
 * A work tree names it in a file `.git`, which may have come with an untrusted folder. So it counts only if git's own
 * record of its work trees names this file, too.
 *
 * @param folder absolute path
 * @returns an absolute path without links; undefined without a repository, in a submodule, if the repository belongs to
 *   another user, whom git does not trust either, and wherever anything is unusual
 */
export async function sharedGitFolder(folder: string): Promise<string | undefined> {
  try {
    const git = nearestGit(await realPath(folder));
    if (git === undefined) return undefined;
    const stats = await lstat(git);
    const shared = stats.isFile() ? await sharedByTree(git) : git;
    return shared !== undefined && (await isRepository(shared)) ? shared : undefined;
  } catch {
    return undefined;
  }
}

function nearestGit(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const git = join(folder, '.git');
    if (isThere(git)) return git;
    if (dirname(folder) === folder) return undefined;
  }
}

/** @param git path of the file `.git` of a linked work tree */
async function sharedByTree(git: string): Promise<string | undefined> {
  const named = await lineIn(dirname(git), basename(git));
  if (!named?.startsWith('gitdir: ')) return undefined;
  const own = await realPath(resolve(dirname(git), named.slice('gitdir: '.length)));
  const trees = dirname(own);
  if (basename(trees) !== 'worktrees') return undefined;
  const [shared, back] = [await lineIn(own, 'commondir'), await lineIn(own, 'gitdir')];
  if (shared === undefined || back === undefined) return undefined;
  if ((await realPath(resolve(own, shared))) !== dirname(trees)) return undefined;
  return (await realPath(resolve(own, back))) === git ? dirname(trees) : undefined;
}

async function isRepository(folder: string): Promise<boolean> {
  const [own, head, objects] = await Promise.all(['.', 'HEAD', 'objects'].map((name) => lstat(join(folder, name))));
  if (!own?.isDirectory() || !head?.isFile() || !objects?.isDirectory()) return false;
  // Windows has no such numbers.
  const user = process.getuid?.();
  if (user !== undefined && own.uid !== user) return false;
  return !isThere(join(folder, 'commondir'));
}

/** Returns the only line of a file; undefined if it is missing or longer than a path. */
async function lineIn(folder: string, name: string): Promise<string | undefined> {
  const files = new LocalFolder(folder, undefined);
  if (((await files.size(name)) ?? maxPathBytes) >= maxPathBytes) return undefined;
  return Buffer.from((await files.read(name)) ?? '')
    .toString()
    .trimEnd();
}

/** Whether something has this path, and be it a link that leads nowhere. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
