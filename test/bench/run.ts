// `npm run bench`: measures each row in a process of its own, several times, and prints medians and ratios.
import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

const runs = 5;

interface Row {
  readonly name: string;
  readonly unit: string;
  /** The script and its arguments; it prints one number. The first is ours, the others are the peers. */
  readonly contenders: readonly (readonly [name: string, script: string, ...args: string[]])[];
}

const rows: readonly Row[] = [
  {
    name: 'small request (1 image as base64, one after the other)',
    unit: 'ms',
    contenders: [
      ['MediaClient', 'smallRequest.ts', 'client'],
      ['plain undici', 'smallRequest.ts', 'undici'],
    ],
  },
  {
    name: 'upload of a 512 MiB recording: time',
    unit: 's',
    contenders: [
      ['MediaClient', 'upload.ts', 'client', 'seconds'],
      ['curl', 'upload.ts', 'curl', 'seconds'],
    ],
  },
  {
    name: 'upload of a 512 MiB recording: memory growth',
    unit: 'MiB',
    contenders: [['MediaClient', 'upload.ts', 'client', 'memory']],
  },
  { name: 'library of 100,000: open', unit: 'ms', contenders: [['Library', 'library.ts', 'open']] },
  { name: 'library of 100,000: find the record of a file', unit: 'ms', contenders: [['Library', 'library.ts', 'at']] },
  { name: 'library of 100,000: memory', unit: 'MiB', contenders: [['Library', 'library.ts', 'memory']] },
  {
    name: 'append to a library of 100,000, of 10,000 and of 100',
    unit: 'ms',
    contenders: [
      ['100,000', 'library.ts', 'append', '100000'],
      ['10,000', 'library.ts', 'append', '10000'],
      ['100', 'library.ts', 'append', '100'],
    ],
  },
  { name: 'tree of 10,000: open', unit: 'ms', contenders: [['Videos', 'videoTree.ts', 'open']] },
  { name: 'tree of 10,000: a new one appears', unit: 'ms', contenders: [['Videos', 'videoTree.ts', 'new']] },
];

console.log(`${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`);
console.log(`Medians of ${runs} runs after a warm-up.\n`);
console.log('| what | who | median | ours / theirs |\n| --- | --- | --- | --- |');
for (const row of rows) {
  const medians = measure(row);
  for (const [index, [name]] of row.contenders.entries()) {
    const value = medians[index] ?? Number.NaN;
    const ratio = index === 0 ? '' : ((medians[0] ?? Number.NaN) / value).toFixed(2);
    console.log(`| ${row.name} | ${name} | ${value.toFixed(2)} ${row.unit} | ${ratio} |`);
  }
}

/** Runs the contenders in turn, so that a busy moment of the machine meets all of them. */
function measure({ contenders }: Row): readonly number[] {
  const results: number[][] = contenders.map(() => []);
  for (let run = 0; run <= runs; run++) {
    for (const [index, [, script, ...args]] of contenders.entries()) {
      const text = execFileSync(process.execPath, [join(import.meta.dirname, script), ...args], { encoding: 'utf8' });
      if (run > 0) results[index]?.push(Number(text));
    }
  }
  return results.map((values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN);
}
