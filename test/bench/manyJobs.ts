// Prints the 99th percentile of the event loop delay, in ms, while 100 image jobs run: manyJobs.ts client <concurrent
// jobs>
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { root } from '../host/versions.mjs';
import { imageJob, jobRunnerAt } from '../support/jobRunner.ts';

const atOnce = Number(process.argv[3]);
const nothing = () => undefined;
const options = { signal: new AbortController().signal, onProgress: nothing, onNotice: nothing };
const base = await mkdtemp(join(tmpdir(), 'many-jobs-'));
// The sandbox gets its own process, so that its painting is not measured.
const sandbox = spawn(process.execPath, [join(root, 'src/sandbox/main.ts')], { stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = (await once(createInterface(sandbox.stdout), 'line')) as [string];
const { imageBaseUrl, key } = JSON.parse(line) as { imageBaseUrl: string; key: string };
const { runner, ...window } = jobRunnerAt(imageBaseUrl, { root: base, journal: join(base, '.jobs') }, atOnce, key);
try {
  await runner.run(imageJob(base), options);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await Promise.all(Array.from({ length: 100 }, () => runner.run(imageJob(base), options)));
  console.log(delay.percentile(99) / 1e6);
} finally {
  await window[Symbol.asyncDispose]();
  sandbox.kill();
  await rm(base, { recursive: true, force: true });
}
