import { lstat } from 'node:fs/promises';
import type { FileCalls } from './FileCalls.ts';
import { hasCode, retryWhileHeld } from './FileCalls.ts';

/**
 * What file systems answer that have no hard links, or none here: FAT, network and cloud drives. exFAT on Windows
 * answers EISDIR: https://github.com/nodejs/node/issues/65817.
 */
const linklessCodes = [
  'EISDIR',
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EXDEV',
  'EACCES',
  'EMLINK',
  'EINVAL',
] as const;

/**
 * Gives a file a second name by a link, or where the file system has no links, another name. Unlike a rename, neither
 * replaces a file that is there.
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
    if (!hasCode(error, ...linklessCodes)) throw error;
  }
  return (await reserve(target, calls)) && (await replace(source, target, calls)) ? 'moved' : 'taken';
}

/** Takes a name with an empty file. */
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

/** Moves a file over the empty one; false if another program has written to that meanwhile. */
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
