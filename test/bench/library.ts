// Prints one measurement of a library with the number of records in the first argument, or 100,000:
//   open    milliseconds from a cold start until its videos, a tenth of the records, are read
//   newest  milliseconds from a cold start until its newest records are read
//   again   milliseconds until an open reader has read on after one more record
//   at      milliseconds to find the record of one file
//   append  milliseconds to add a record
//   memory  MiB that an open reader of the whole library takes
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LocalFolder } from '../../src/files/LocalFolder.ts';
import { Library } from '../../src/library/Library.ts';
import { videoRecord, writeLibrary } from '../support/largeLibrary.ts';

const [who = '', what = ''] = process.argv.slice(2);
const records = Number(who) || 100_000;
const root = await mkdtemp(join(tmpdir(), 'library-'));
await writeLibrary(root, records);
const library = new Library(new LocalFolder(join(root, '.unified-media'), root));

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function append(): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < 20; index++) {
    times.push(await milliseconds(() => library.append(videoRecord(1_000_000 + index))));
  }
  return times.sort((a, b) => a - b)[10] ?? Number.NaN;
}

async function memory(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const before = process.memoryUsage();
  const reader = library.reader();
  const entries = await reader.entries();
  collect();
  const after = process.memoryUsage();
  if (entries.length !== records) throw new Error('Some records were not read.');
  return (after.heapUsed + after.external - before.heapUsed - before.external) / 2 ** 20;
}

async function again(): Promise<number> {
  const reader = library.reader();
  await reader.entries();
  await library.append(videoRecord(1_000_000));
  return milliseconds(() => reader.entries());
}

const measures: Readonly<Record<string, () => Promise<number>>> = {
  open: () => milliseconds(() => library.entries('videos')),
  newest: () => milliseconds(() => library.reader().newest()),
  again,
  at: () => milliseconds(() => library.entriesAt(['media/videos/a-lighthouse-in-a-storm-500.mp4'])),
  append,
  memory,
};

try {
  const measure = measures[what];
  if (!measure) throw new Error('Usage: library.ts client|<records> open|newest|again|at|append|memory');
  console.log(await measure());
} finally {
  await rm(root, { recursive: true });
}
