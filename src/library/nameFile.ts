import { lstat } from 'node:fs/promises';
import type { FileCalls } from './FileCalls.ts';
import { hasCode, retryWhileHeld } from './FileCalls.ts';

/**
 * Errors that a move would end with as well. Any other may come from a file system without hard links, each of which has
 * its own: ENOTSUP, EPERM, EISDIR of exFAT on Windows (https://github.com/nodejs/node/issues/65817), UNKNOWN of OneDrive
 * (https://github.com/astral-sh/uv/issues/9500).
 */
const lastingCodes = ['ENOENT', 'ENOSPC', 'EROFS'] as const;

/**
 * Links a file to a second name, or moves it if the file system has no hard links. Unlike a plain rename, never
 * replaces an existing file.
 */
export async function nameFile(
  source: string,
  target: string,
  calls: FileCalls,
): Promise<'linked' | 'moved' | 'taken'> {
  try {
    await retryWhileHeld(() => calls.link(source, target), calls, ['EBUSY']);
    return 'linked';
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return 'taken';
    if (hasCode(error, ...lastingCodes)) throw error;
  }
  return (await reserve(target, calls)) && (await replace(source, target, calls)) ? 'moved' : 'taken';
}

/** Reserves a name with an empty file. */
async function reserve(path: string, { open }: FileCalls): Promise<boolean> {
  try {
    const handle = await open(path, 'wx');
    await handle.close();
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Moves a file over the empty one. Returns false if another program has written to the empty one in the meantime. */
async function replace(source: string, target: string, calls: FileCalls): Promise<boolean> {
  if (!(await isEmpty(target))) return false;
  try {
    await retryWhileHeld(() => calls.rename(source, target), calls);
    return true;
  } catch (error) {
    if (await isEmpty(target)) await retryWhileHeld(() => calls.unlink(target), calls).catch(() => undefined);
    throw error;
  }
}

/** Whether a file is empty, or missing. */
async function isEmpty(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats === undefined || stats.size === 0;
}
