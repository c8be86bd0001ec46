import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { link, mkdir, open, rename, unlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from './hasCode.ts';

/** The calls of a local folder to the file system that a test may want to fail, and its pauses. */
export interface FileCalls {
  open(path: string, flags: string | number): Promise<FileHandle>;
  mkdir(path: string): Promise<unknown>;
  link(existing: string, added: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  sleep(milliseconds: number): Promise<unknown>;
}

export const nodeCalls: FileCalls = { open, mkdir, link, rename, unlink, sleep };

/** What Windows answers while another program has the file open. */
const heldCodes = ['EPERM', 'EACCES', 'EBUSY'];

/** Milliseconds between the attempts. A virus scanner or an indexer holds a new file for less than a second. */
const pauses = [20, 50, 100, 200, 400];

/** Repeats a call while another program, such as a virus scanner, holds the file. */
export async function retryWhileHeld(
  call: () => Promise<void>,
  { sleep: pause }: Pick<FileCalls, 'sleep'>,
  codes = heldCodes,
): Promise<void> {
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

/** Names a file for as long as it exists; undefined where the file system has no such names. */
export function identityOf({ dev, ino }: BigIntStats): string | undefined {
  // Depending on the call, libuv gives 32 or 64 bits of the serial number of a Windows volume.
  return ino === 0n ? undefined : `${BigInt.asUintN(32, dev)}:${ino}`;
}

/** Whether both are the same file; true where the file system cannot tell. */
export function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  const identity = identityOf(one);
  return identity === undefined || identity === identityOf(other);
}
