import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Disk {
  /** Its only folder. */
  readonly path: string;
  /** Whether it is a file system of its own; elsewhere tests put a folder that fails in its place. */
  readonly isReal: boolean;
  [Symbol.dispose](): void;
}

/**
 * A small disk in memory; only Linux can have one, and only the superuser may mount it.
 *
 * @param options of tmpfs: `size=1m`, `ro`
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
