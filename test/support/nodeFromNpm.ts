import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../host/versions.mjs';

/**
 * Takes the program of Node from npm, unless it is there.
 *
 * @param system such as `linux-x64`
 * @param file where it belongs, as `…/node` or `…/node.exe`
 * @throws when npm cannot be reached or has no such package
 */
export function takeNode(system: string, version: string, file: string): void {
  if (existsSync(file)) return;
  const folder = `${dirname(file)}.${process.pid}.part`;
  mkdirSync(folder, { recursive: true });
  try {
    const pack = ['pack', '--silent', `node-${system}@${version}`];
    const packed = execFileSync('npm', pack, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
    const inside = `package/bin/node${system.startsWith('win') ? '.exe' : ''}`;
    execFileSync('tar', ['-xzf', packed, '--strip-components=2', inside], { cwd: folder, stdio: 'pipe' });
    rmSync(join(folder, packed));
    renameSync(folder, dirname(file));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the program of a version of Node; undefined where npm has none or cannot be reached. */
export function nodeOf(version: string): string | undefined {
  const file = join(cacheFolder, `node-${version}`, 'node');
  try {
    takeNode(`${process.platform}-${process.arch}`, version, file);
    return file;
  } catch {
    return undefined;
  }
}
