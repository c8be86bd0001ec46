// The jobs of soak.ts: soakJobs.ts <host> <base> <jobs> <seed>
import { mkdir, writeFile } from 'node:fs/promises';
import type { Asset } from '../../src/library/LibraryRecord.ts';
import { MediaError } from '../../src/operations/MediaError.ts';
import type { OperationId } from '../../src/operations/operations.ts';
import { wavBytes } from '../support/mediaBytes.ts';
import { faultJob, faultRunner } from './faultJob.ts';
import { numbersFrom } from './numbersFrom.ts';
import { soakFolders } from './soakFolders.ts';

export interface SoakResult {
  readonly saved: number;
  readonly explained: number;
  /** The explained ones whose message says that they may be billed. */
  readonly uncertain: number;
  readonly unexplained: readonly string[];
  /** Number of distinct saved files. */
  readonly files: number;
  /** Growth in MB from after the first fifth of the jobs to the end. */
  readonly grown: number;
}

const atOnce = 20;
/** Videos take seconds; these operations cover the same paths. */
const operations: readonly OperationId[] = ['generateImage', 'generateImage', 'speak', 'transcribe', 'translate'];
const [host = '', base = '', count = '', seed = ''] = process.argv.slice(2);
const random = numbersFrom(Number(seed) + 1);
const folders = soakFolders(base);
const saved: Asset[] = [];
const explained: MediaError[] = [];
const unexplained: string[] = [];

await mkdir(folders.root);
await writeFile(folders.recording, wavBytes);
const { runner, ...window } = faultRunner({ ...folders, host, timeoutSeconds: 30 });
try {
  // Load and cache everything once before the first measurement, so that it does not count as growth.
  await runJobs(Number(count) / 5);
  const before = memory();
  await runJobs((Number(count) * 4) / 5);
  const result: SoakResult = {
    saved: saved.length,
    explained: explained.length,
    uncertain: explained.filter(({ mayBeBilled }) => mayBeBilled).length,
    unexplained,
    files: new Set(saved.map(({ uri }) => uri)).size,
    grown: memory() - before,
  };
  process.send?.(result);
} finally {
  await window[Symbol.asyncDispose]();
  process.disconnect();
}

async function runJobs(jobs: number): Promise<void> {
  let left = jobs;
  const work = async () => {
    while (left-- > 0) await runJob();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

async function runJob(): Promise<void> {
  const operation = operations[Math.floor(random() * operations.length)] ?? 'generateImage';
  const abort = new AbortController();
  process.send?.('job');
  if (random() < 0.05) setTimeout(() => abort.abort(), random() * 100).unref();
  const options = { signal: abort.signal, onProgress: () => undefined, onNotice: () => undefined };
  try {
    saved.push(...(await runner.run(faultJob(operation, folders), options)));
  } catch (error) {
    if (error instanceof MediaError) explained.push(error);
    else unexplained.push(String(error));
  }
}

/** Memory in use after a garbage collection, in MB. The rest that the process has reserved varies by chance. */
function memory(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}
