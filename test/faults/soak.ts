// `npm run soak`: runs 1,000 jobs against the sandbox with random faults, while a second window looks for abandoned
// jobs. Checks that every paid request is saved or explained, and that no job is taken from the window that runs it.
// `-- --jobs 400 --seed S` runs fewer, or the same again.
import '../support/compileCache.ts';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { noVoice } from '../support/audioRequests.ts';
import { type FaultySandbox, startFaultySandbox } from '../support/faultySandbox.ts';
import { canaries } from './FaultServer.ts';
import { numbersFrom } from './numbersFrom.ts';
import type { SoakResult } from './soakJobs.ts';
import type { SoakWindowResult } from './soakWindow.ts';

const { values } = parseArgs({ options: { jobs: { type: 'string' }, seed: { type: 'string' } } });
const jobs = Number(values.jobs ?? 1000);
const seed = Number(values.seed ?? Date.now() % 100_000);
const random = numbersFrom(seed);

const base = await mkdtemp(join(tmpdir(), 'soak-'));
const sandbox = await startFaultySandbox({ key: canaries.key, ports: 0, imageSize: 64, findVoice: noVoice });
try {
  // The client runs in its own process, because its memory is measured.
  const child = fork(
    join(import.meta.dirname, 'soakJobs.ts'),
    [sandbox.imageBaseUrl, base, String(jobs), String(seed)],
    { execArgv: ['--expose-gc'] },
  );
  const window = fork(join(import.meta.dirname, 'soakWindow.ts'), [sandbox.imageBaseUrl, base, String(seed)]);
  child.on('message', (message) => {
    if (message === 'job') setFault(sandbox);
    else report(message as SoakResult);
  });
  window.on('message', (message) => reportWindow(message as SoakWindowResult));
  const [code] = (await once(child, 'exit')) as [number];
  window.send('stop');
  const [windowCode] = (await once(window, 'exit')) as [number];
  if (code !== 0 || windowCode !== 0) process.exitCode = 1;
} finally {
  await sandbox.stop();
  await rm(base, { recursive: true, force: true });
}

/** The fault hits the next request of its target, whichever job sends it. */
function setFault({ faults }: FaultySandbox): void {
  const chance = random();
  const status = [400, 401, 429, 500, 502, 503, 504][Math.floor(random() * 7)] ?? 500;
  if (chance < 0.15) faults.nextStatus(status, { target: 'operation' });
  else if (chance < 0.25) faults.nextStatus([403, 404, 503][Math.floor(random() * 3)] ?? 404, { target: 'result' });
  else if (chance < 0.35) faults.cutAfter(Math.floor(random() * 400), { target: 'result' });
  else if (chance < 0.4) faults.cutAfter(Math.floor(random() * 400), { target: 'operation' });
}

function reportWindow({ looks, taken }: SoakWindowResult): void {
  console.log(`A second window looked for abandoned jobs ${looks} times and took ${taken}.`);
  if (taken > 0 || looks < 10) process.exitCode = 1;
}

function report({ saved, explained, uncertain, unexplained, files, grown }: SoakResult): void {
  const paid = Object.values(sandbox.counts).reduce((sum, count) => sum + count, 0);
  console.log(
    `${jobs} jobs, seed ${seed}: ${paid} paid requests, ${saved} saved, ${explained} explained ` +
      `(${uncertain} of them may be billed), memory ${grown.toFixed(1)} MB more.`,
  );
  const problems = [
    saved + explained !== jobs && `${jobs} jobs have ${saved + explained} endings`,
    unexplained.length > 0 && `unexplained: ${unexplained.join('; ')}`,
    // Every paid request is either a saved result or one that the user was told about.
    paid > saved + uncertain && `${paid - saved - uncertain} paid requests are neither saved nor explained`,
    saved > paid && 'more was saved than paid',
    files !== saved && `${saved} results are ${files} files`,
    grown > jobs / 8 && `memory grew by more than ${jobs / 8} MB`,
  ].filter((problem) => problem !== false);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
