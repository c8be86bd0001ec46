// The Node of Windows under Wine, in a Debian of its own, outside of the repository.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { takeNode } from '../support/nodeFromNpm.ts';

const { XDG_CACHE_HOME = join(homedir(), '.cache') } = process.env;
const cache = join(XDG_CACHE_HOME, 'unified-media', 'windows');

/** Debian 13 has Wine 10. That of Debian 12, Wine 8, runs out of memory in Node 24, and its `fetch` fails. */
const release = 'trixie';
const debian = join(cache, release);
/** As the Debian sees it: `Z:\project` in Windows. */
const project = join(debian, 'project');

/** Thrown when this computer cannot have a part; the message names it. */
export class CannotInstall extends Error {}

/** Installs Wine, Node for Windows, and a copy of the working tree with the packages that Windows needs. */
export function install(): void {
  const isDebian = existsSync('/usr/bin/apt-get') && process.arch === 'x64' && process.getuid?.() === 0;
  if (!isDebian) throw new CannotInstall('Wine 10: it is installed only on Debian or Ubuntu, x64, by root.');
  mkdirSync(cache, { recursive: true });
  part(`Wine 10 (Debian ${release}, 1.1 GB)`, join(debian, 'usr', 'lib', 'wine'), installDebian);
  // The one name that tests look up.
  writeFileSync(join(debian, 'etc', 'hosts'), '127.0.0.1 localhost\n');
  const { node: version } = devDependencies();
  part(`Node ${version} for Windows`, join(debian, `node-${version}`, 'node.exe'), (target) =>
    takeNode('win-x64', version, target),
  );
  copyProject();
}

function part(name: string, target: string, make: (target: string) => void): void {
  if (existsSync(target)) return;
  console.log(`Installing ${name} …`);
  try {
    make(target);
  } catch (error) {
    throw new CannotInstall(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}

function installDebian(): void {
  // It is a script; unpacked, it needs no installation.
  const tools = join(cache, 'mmdebstrap');
  mkdirSync(tools, { recursive: true });
  run('apt-get', ['download', '-q', 'mmdebstrap'], tools);
  for (const name of readdirSync(tools).filter((one) => one.endsWith('.deb'))) run('dpkg', ['-x', name, '.'], tools);
  const partial = `${debian}.partial`;
  removeUnmounted(partial);
  const path = `${join(tools, 'usr', 'bin')}:/usr/sbin:/sbin:${process.env.PATH}`;
  const without = ['doc', 'man', 'locale'].map((folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`);
  const options = ['--mode=root', '--variant=essential', '--include=wine,wine64', ...without];
  // It mounts /proc, /sys and /dev/shm of this computer. In a namespace of its own they are gone when it ends or is killed.
  const alone = ['--mount', '--pid', '--fork', '--kill-child', 'mmdebstrap'];
  run('unshare', [...alone, ...options, release, partial, 'http://deb.debian.org/debian'], tools, { PATH: path });
  run('mv', [partial, debian]);
}

/** Removes a folder, but never through a mount: what is in one belongs to this computer. */
function removeUnmounted(folder: string): void {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  const inside = mounts.filter((path) => path === folder || path.startsWith(`${folder}/`));
  if (inside.length > 0) throw new Error(`${inside.join(', ')} is still mounted. Unmount it first.`);
  rmSync(folder, { recursive: true, force: true });
}

/** Copies the working tree as git sees it, so that tests of Windows never touch it. */
function copyProject(): void {
  mkdirSync(project, { recursive: true });
  for (const name of readdirSync(project)) {
    if (name !== 'node_modules') rmSync(join(project, name), { recursive: true });
  }
  const files = run('git', ['ls-files', '-co', '--exclude-standard', '-z']).split('\0');
  for (const file of files) if (file !== '' && existsSync(file)) cpSync(file, join(project, file));
  const lock = readFileSync('package-lock.json', 'utf8');
  const installed = join(project, 'node_modules', '.installed-lock');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  console.log('Installing the dependencies for Windows …');
  run('npm', ['ci', '--os=win32', '--cpu=x64', '--ignore-scripts', '--no-audit', '--no-fund'], project);
  writeFileSync(installed, lock);
}

function devDependencies(): { readonly node: string } {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly devDependencies: { readonly node: string };
  };
  return devDependencies;
}

function run(program: string, words: readonly string[], cwd = '.', environment: NodeJS.ProcessEnv = {}): string {
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const env = { ...process.env, ...environment };
  return execFileSync(program, words, { cwd, encoding: 'utf8', env, stdio: [...stdio], maxBuffer: 2 ** 26 });
}

/**
 * Runs a shell script in the Debian, in the copy of the project, as the first process of its own: when it ends, so does
 * everything that it has started. `node` is the Node of Windows. Its output must be a file.
 */
export async function runInWine(script: string): Promise<void> {
  const { node: version } = devDependencies();
  const inside = join(debian, 'tmp', 'windows.sh');
  const node = `#!/bin/sh\nexec wine 'Z:\\node-${version}\\node.exe' "$@"\n`;
  writeFileSync(join(debian, 'usr', 'bin', 'node'), node);
  chmodSync(join(debian, 'usr', 'bin', 'node'), 0o755);
  writeFileSync(inside, `cd /project\n${script}\nwineserver -k\n`);
  const outside = [
    `mount -t proc proc '${debian}/proc'`,
    `mount --bind /dev '${debian}/dev'`,
    `exec env -i HOME=/root LANG=C.UTF-8 PATH=/usr/bin:/bin WINEDEBUG=-all NO_COLOR=1 /usr/sbin/chroot '${debian}' sh /tmp/windows.sh`,
  ].join(' && ');
  const child = spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', outside], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const stop = () => child.kill('SIGKILL');
  process.once('exit', stop);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  await once(child, 'exit');
  process.off('exit', stop);
}

/** Returns the path of a file in the Debian, such as `/tmp/a.json`. */
export function inDebian(path: string): string {
  return join(debian, path);
}
