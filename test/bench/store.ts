// Prints one number for `unified-media plan` beside this many works of other projects, half of them pictures and half
// parts of long texts, whose outcomes are unknown:
//   pictures  milliseconds from start to exit for 300 pictures that are missing
//   text      the same for one long text
//   memory    MiB that the plan of both takes at its peak
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashOf } from '../../src/files/sha256.ts';
import type { JobFacts } from '../../src/work/Job.ts';
import { Store } from '../../src/work/Store.ts';

const [works = '', what = ''] = process.argv.slice(2);
const cli = join(import.meta.dirname, '../../dist/cli.js');
const folder = await mkdtemp(join(tmpdir(), 'store-'));
const root = join(folder, 'project');
const state = join(folder, 'state');

const prompt = 'A lighthouse on a cliff at dusk, painted in oil. '.repeat(4);
const text = 'The light turns twice a minute, and the sea answers. '.repeat(400);

const pictures = Array.from({ length: 300 }, (_, index) => {
  return [`img/${index}.png`, { operation: 'generateImage', prompt: `${prompt} ${index}`, model: 'm' }] as const;
});
const speech = [['long.mp3', { operation: 'speak', input: text, model: 'm', voice: 'alloy' }]] as const;

async function makeProject(entries: readonly (readonly [string, unknown])[]): Promise<void> {
  await mkdir(root);
  await writeFile(join(root, 'media.jsonc'), JSON.stringify({ assets: Object.fromEntries(entries) }));
}

/** Fills the store with copies of two works, which are made as a program makes them that is killed while it sends. */
async function makeWorks(count: number): Promise<void> {
  const store = new Store(join(state, 'unified-media/work'));
  const place = {
    root: 'file:///home/me/other',
    path: '.unified-media/variants/other',
    fileName: 'variant',
    transcriptFormat: 'markdown',
    manifest: 'media.jsonc',
  } as const;
  const spoken = { model: 'm', voice: 'alloy', response_format: 'mp3' as const, input: text };
  const facts = { createdAt: new Date().toISOString(), place, sandbox: false };
  const picture = {
    ...facts,
    operation: 'generateImage',
    request: { prompt, model: 'm', size: 'auto', n: 1 },
  } as const;
  const part = {
    ...facts,
    operation: 'speak',
    whole: { key: hashOf('other'), request: spoken, place, maxCharacters: 4096 },
    request: { ...spoken, input: text.slice(0, 4096) },
  } as const;
  const texts: string[] = [];
  for (const job of [picture, part]) {
    const id = crypto.randomUUID();
    const work = await store.open(id);
    if (!work) throw new Error('the work is held');
    await work.sending({ ...job, id, key: id } as JobFacts);
    texts.push(await readFile(join(work.folder, 'journal.jsonl'), 'utf8'));
    await work.remove();
  }
  for (let index = 0; index < count; index++) {
    const key = hashOf(index).slice(0, index % 2 === 0 ? 32 : 64);
    await mkdir(store.folderOf(key), { recursive: true });
    await writeFile(join(store.folderOf(key), 'journal.jsonl'), texts[index % 2] ?? '');
    await writeFile(join(store.folderOf(key), 'lease-1'), '{"isReleased":true}');
  }
}

function plan(script: readonly string[]): string {
  const env = { ...process.env, XDG_STATE_HOME: state };
  const { status, stdout, stderr } = spawnSync(process.execPath, script, { cwd: root, env, encoding: 'utf8' });
  if (status !== 2) throw new Error(`plan exited with ${status}: ${stdout}${stderr}`);
  return stderr;
}

function milliseconds(): number {
  plan([cli, 'plan']);
  const start = performance.now();
  plan([cli, 'plan']);
  return performance.now() - start;
}

/** Peak memory of a process that has exited, in MiB, as the system reports it. */
function memory(): number {
  const script = `process.argv = ['node', 'cli', 'plan']; process.on('exit', () => process.stderr.write(String(process.resourceUsage().maxRSS))); await import(${JSON.stringify(cli)});`;
  return Number(plan(['--input-type=module', '-e', script])) / 1024;
}

const measures: Readonly<Record<string, () => Promise<number>>> = {
  pictures: () => makeProject(pictures).then(milliseconds),
  text: () => makeProject(speech).then(milliseconds),
  memory: () => makeProject([...pictures, ...speech]).then(memory),
};
try {
  const measure = measures[what];
  if (!measure) throw new Error('Usage: store.ts <number of works> pictures|text|memory');
  await makeWorks(Number(works));
  console.log(await measure());
} finally {
  await rm(folder, { recursive: true });
}
