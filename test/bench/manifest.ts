// Prints one number for a manifest of 1,000 assets:
//   plan    milliseconds that `unified-media plan` takes from start to exit, with 1 KiB files that are already hashed; or
//           that a bare Node process takes
//   check   seconds to check 1,000 files of 1 MiB, by `unified-media check` or `openssl dgst -sha256`
//   memory  MiB that the check takes at its peak, beyond the peak for 10 such files
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeRequest } from '../../src/manifest/describeRequest.ts';
import { lockText } from '../../src/manifest/Lock.ts';
import { readManifest } from '../../src/manifest/readManifest.ts';

const [who = '', what = ''] = process.argv.slice(2);
const cli = join(import.meta.dirname, '../../dist/cli.js');
const folder = await mkdtemp(join(tmpdir(), 'manifest-'));

/** Creates a project whose assets are all up to date. */
async function makeProject(name: string, assets: number, bytes: number): Promise<string> {
  const root = join(folder, name);
  await mkdir(join(root, 'img'), { recursive: true });
  const entries = Array.from({ length: assets }, (_, index) => {
    return [`img/${index}.png`, { operation: 'generateImage', prompt: `number ${index}`, model: 'm' }] as const;
  });
  const text = JSON.stringify({ assets: Object.fromEntries(entries) }, undefined, 2);
  await writeFile(join(root, 'media.jsonc'), text);
  const { manifest } = readManifest(text, join(root, 'media.jsonc'));
  const lock = new Map();
  const content = Buffer.alloc(bytes);
  for (const entry of manifest.entries) {
    if (entry.type !== 'request') continue;
    content.write(entry.path);
    await writeFile(join(root, entry.path), content);
    const facts = { model: 'm', contentOf: () => undefined, videoId: undefined, spoken: undefined };
    const output = createHash('sha256').update(content).digest('hex');
    lock.set(entry.path, { path: entry.path, ...describeRequest(entry, facts), output });
  }
  await writeFile(join(root, 'media.lock.jsonl'), lockText(lock));
  return root;
}

function run(root: string, command: string, words: readonly string[]): void {
  const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };
  const { status, stderr } = spawnSync(command, words, { cwd: root, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${words[0]} exited with ${status}: ${stderr}`);
}

function milliseconds(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

async function plan(): Promise<number> {
  const root = await makeProject('plan', 1000, 1024);
  // Files that have only just changed are hashed every time.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  const words = who === 'node' ? ['-e', '0'] : [cli, 'plan'];
  const work = () => run(root, process.execPath, words);
  work();
  work();
  return milliseconds(work);
}

async function check(): Promise<number> {
  const root = await makeProject('check', 1000, 2 ** 20);
  const files = Array.from({ length: 1000 }, (_, index) => `img/${index}.png`);
  const work =
    who === 'client'
      ? () => run(root, process.execPath, [cli, 'check'])
      : () => run(root, 'openssl', ['dgst', '-sha256', ...files]);
  work();
  return milliseconds(work) / 1000;
}

/** Peak memory of a process that has exited, in MiB, as the system reports it. */
function maxMemory(root: string): number {
  const script = `process.argv = ['node', 'cli', 'check']; process.on('exit', () => process.stderr.write(String(process.resourceUsage().maxRSS))); await import(${JSON.stringify(cli)});`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    encoding: 'utf8',
  });
  return Number(stderr) / 1024;
}

async function memory(): Promise<number> {
  const [small, large] = [await makeProject('small', 10, 2 ** 20), await makeProject('large', 1000, 2 ** 20)];
  return maxMemory(large) - maxMemory(small);
}

const measures: Readonly<Record<string, () => Promise<number>>> = { plan, check, memory };
try {
  const measure = measures[what];
  if (!measure) throw new Error('Usage: manifest.ts client|node|openssl plan|check|memory');
  console.log(await measure());
} finally {
  await rm(folder, { recursive: true });
}
