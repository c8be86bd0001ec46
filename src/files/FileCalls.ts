import { type BigIntStats, realpath as realpathByLinks } from 'node:fs';
import { type FileHandle, link, mkdir, open, realpath, rename, unlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as l10n from '@vscode/l10n';
import { MediaError, reasonOf } from '../operations/MediaError.ts';

/** File system calls and sleep of a local folder, so that tests can make them fail. */
export interface FileCalls {
  open(path: string, flags: string | number): Promise<FileHandle>;
  mkdir(path: string): Promise<unknown>;
  link(existing: string, added: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  sleep(milliseconds: number): Promise<unknown>;
}

export const nodeCalls: FileCalls = { open, mkdir, link, rename, unlink, sleep };

/** Error codes on Windows while another program has the file open. */
const heldCodes = ['EPERM', 'EACCES', 'EBUSY'];

/** Milliseconds between attempts. A virus scanner or an indexer holds a new file for less than a second. */
const pauses = [20, 50, 100, 200, 400];

/** Whether an error of Node has one of these codes, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => error.code === code);
}

/**
 * Words the error of a file that could not be replaced because another program has it open, or it is read-only. Returns any
 * other error as it is.
 *
 * @param name shown to the user
 */
export function heldError(name: string, error: unknown): unknown {
  if (!hasCode(error, ...heldCodes)) return error;
  const sentence = l10n.t(
    '{0} could not be replaced: another program has it open, or it is read-only ({1}). The result is kept. Close that program or make the file writable, and try again; nothing is sent again.',
    name,
    reasonOf(error),
  );
  return new MediaError('save', sentence, { cause: error });
}

/** Flushes a folder to disk, so that a crash cannot lose a new name. */
export async function syncFolder(path: string, calls: Pick<FileCalls, 'open'> = nodeCalls): Promise<void> {
  // Windows cannot open folders, and journals names itself.
  if (process.platform === 'win32') return;
  try {
    await using handle = await calls.open(path, 'r');
    await handle.sync();
  } catch (error) {
    // Some file systems do not support this, and a folder may be writable but not readable.
    if (!hasCode(error, 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES')) throw error;
  }
}

/** Retries a call while another program, such as a virus scanner, has the file open. */
export async function retryWhileHeld<T>(
  call: () => Promise<T>,
  { sleep: pause }: Pick<FileCalls, 'sleep'> = nodeCalls,
  codes = heldCodes,
): Promise<T> {
  for (const milliseconds of pauses) {
    try {
      return await call();
    } catch (error) {
      if (!hasCode(error, ...codes)) throw error;
      await pause(milliseconds);
    }
  }
  return call();
}

/** Returns an id that a file keeps while it exists; undefined when the file system has none. */
export function identityOf({ dev, ino }: BigIntStats): string | undefined {
  // Depending on the call, libuv returns 32 or 64 bits of a Windows volume's serial number.
  return ino === 0n ? undefined : `${BigInt.asUintN(32, dev)}:${ino}`;
}

/** Whether both are the same file; true if the file system cannot tell. */
export function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  const identity = identityOf(one);
  return identity === undefined || identity === identityOf(other);
}

const resolveLinks = promisify(realpathByLinks);

/**
 * Resolves the links of a path. Windows cannot do so on RAM disks and some virtual and mapped drives
 * (https://github.com/nodejs/node/issues/6861), so there each link is followed in JavaScript, which leaves the case of
 * names and short names such as `GIT~1` as they are.
 *
 * @throws errors of node:fs, such as ENOENT
 */
export async function realPath(path: string, native: (path: string) => Promise<string> = realpath): Promise<string> {
  try {
    return await native(path);
  } catch (error) {
    if (!hasCode(error, 'EISDIR', 'UNKNOWN')) throw error;
    return resolveLinks(path);
  }
}
