// `npm run mutants`: applies one mutant at a time to a copy of the project and lists those that no test notices.
// `npm run mutants -- Lease` tries those whose file or name contains the word.
import { exitOnSignals } from '../host/processTree.ts';
import type { Mutant } from './Mutant.ts';
import { mutants } from './mutants.ts';
import type { TestRun } from './WorkingCopy.ts';
import { WorkingCopy } from './WorkingCopy.ts';

/** Minimum time limit for a run in milliseconds, and the factor by which it may be slower than the unmutated run. */
const minLimitMs = 60_000;
const slowdown = 5;
/** Time limit for a run without a mutant, in milliseconds. */
const maxTestsMs = 10 * 60_000;

const requested = process.argv[2] ?? '';
const chosen = mutants.filter(({ file, name }) => file.includes(requested) || name.includes(requested));
exitOnSignals(1);
const copies = [await WorkingCopy.create(), await WorkingCopy.create()];
process.on('exit', () => {
  for (const copy of copies) copy.dispose();
});

console.log(`${chosen.length} mutants. First, their tests run without a mutant.`);
const keys = [...new Set(chosen.map(keyOf))];
const unchanged = new Map<string, TestRun>();
await shareOut(keys, async (key, copy) => {
  unchanged.set(key, await copy.run(JSON.parse(key) as string[], maxTestsMs));
});

console.log('\n| mutant | file | noticed by |\n| --- | --- | --- |');
const outcomes = new Map<Mutant, TestRun>();
await shareOut(chosen, async (mutant, copy) => {
  const run = await tryMutant(mutant, copy);
  outcomes.set(mutant, run);
  console.log(`| ${mutant.name} | ${mutant.file} | ${cellOf(run)} |`);
});

const survivors = chosen.filter((mutant) => outcomes.get(mutant)?.outcome === 'passed');
const broken = chosen.filter((mutant) => outcomes.get(mutant)?.outcome === 'broken');
for (const [title, list] of [
  ['No test notices', survivors],
  ['Could not be tried', broken],
] as const) {
  if (list.length > 0) console.log(`\n${title}:\n${list.map(({ file, name }) => `${file}: ${name}`).join('\n')}`);
}
console.log('\n| folder | noticed | mutants | score |\n| --- | --- | --- | --- |');
for (const folder of [...new Set(chosen.map(folderOf))])
  printScore(
    folder,
    chosen.filter((mutant) => folderOf(mutant) === folder),
  );
printScore('all', chosen);
process.exitCode = survivors.length + broken.length > 0 || chosen.length === 0 ? 1 : 0;

async function tryMutant(mutant: Mutant, copy: WorkingCopy): Promise<TestRun> {
  const before = unchanged.get(keyOf(mutant));
  if (before?.outcome === 'failed') {
    return { outcome: 'broken', reason: `its tests fail without it: ${before.noticedBy}` };
  }
  if (before?.outcome !== 'passed') return before ?? { outcome: 'broken', reason: 'its tests did not run' };
  const limit = Math.max(minLimitMs, slowdown * before.milliseconds);
  return copy.runMutant(mutant, limit).catch((error: unknown) => ({ outcome: 'broken', reason: String(error) }));
}

/** Each copy takes the next item as soon as it is idle. */
async function shareOut<T>(items: readonly T[], work: (item: T, copy: WorkingCopy) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    copies.map(async (copy) => {
      for (const item of rest) await work(item, copy);
    }),
  );
}

function keyOf({ tests }: Mutant): string {
  return JSON.stringify(tests);
}

function folderOf({ file }: Mutant): string {
  return file.split('/').slice(0, 2).join('/');
}

function cellOf(run: TestRun): string {
  if (run.outcome === 'failed') return run.noticedBy;
  return run.outcome === 'passed' ? '✗ NO TEST' : `✗ could not be tried: ${run.reason}`;
}

function printScore(folder: string, list: readonly Mutant[]): void {
  const noticed = list.filter((mutant) => outcomes.get(mutant)?.outcome === 'failed').length;
  console.log(`| ${folder} | ${noticed} | ${list.length} | ${((100 * noticed) / list.length).toFixed(1)} % |`);
}
