import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Disk {
  /** Path of its root folder. */
  readonly path: string;
  /** Whether it is a real file system. Otherwise tests use a folder class that fails like a full disk. */
  readonly isReal: boolean;
  [Symbol.dispose](): void;
}

/**
 * Mounts a small disk in memory, which works only on Linux and as root.
 *
 * @param options mount options of tmpfs, such as `size=1m` or `ro`
 */
export function mountDisk(options: string): Disk {
  const path = mkdtempSync(join(tmpdir(), 'disk-'));
  const isReal = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]).status === 0;
  return {
    path,
    isReal,
    [Symbol.dispose]: () => {
      if (isReal) spawnSync('umount', [path]);
      rmSync(path, { recursive: true });
    },
  };
}
