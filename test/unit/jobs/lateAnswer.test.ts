import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill, spawnJob } from '../../support/jobProcess.ts';
import { jobRunnerAt } from '../../support/jobRunner.ts';
import { skipUnless } from '../../support/skipUnless.ts';
import { startStandingService } from '../../support/standingService.ts';

/** Milliseconds; so short that a stopped process loses its jobs at once. */
const silence = 300;

describe('a job that was given up', () => {
  let root: string;
  let journal: string;
  let service: Awaited<ReturnType<typeof startStandingService>>;
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'late-workspace-'));
    journal = await mkdtemp(join(tmpdir(), 'late-journal-'));
    service = await startStandingService();
  });

  afterEach(async () => {
    if (child && child.exitCode === null && child.signalCode === null) await kill(child);
    await service[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
    await rm(journal, { recursive: true });
  });

  it('is saved when its answer arrived late and the process that received it died', async function () {
    skipUnless(this, process.platform !== 'win32', 'SIGSTOP');
    const waiting = service.standAt('waiting');
    child = spawnJob({ host: service.origin, root, journal, silence });
    await waiting;
    child.kill('SIGSTOP');
    await using other = jobRunnerAt(service.origin, { root, journal, silence });
    while (other.jobs.all.length === 0) await other.recover();
    assert.equal(other.jobs.all[0]?.state, 'unknown');

    const downloading = service.standAt('downloading');
    child.kill('SIGCONT');
    service.answerHeld();
    await downloading;
    await kill(child);
    service.release();
    const [recovered] = await other.recover();
    assert.equal(recovered?.state, 'done', `the list still says ${other.jobs.all[0]?.state}`);
    assert.deepEqual(await readdir(join(root, 'media/images')), ['a-fox.png']);
    assert.equal(service.paid(), 1);
  });

  it('is not run again when its answer arrived while the person was asked', async function () {
    skipUnless(this, process.platform !== 'win32', 'SIGSTOP');
    const waiting = service.standAt('waiting');
    child = spawnJob({ host: service.origin, root, journal, silence });
    await waiting;
    child.kill('SIGSTOP');
    await using other = jobRunnerAt(service.origin, { root, journal, silence });
    while (other.jobs.all.length === 0) await other.recover();
    const [{ id = '' } = {}] = other.jobs.all;

    const downloading = service.standAt('downloading');
    child.kill('SIGCONT');
    service.answerHeld();
    await downloading;
    await kill(child);
    service.release();
    const never = () => Promise.reject(new Error('it ran again'));
    await assert.rejects(other.runner.runAgain(id, never), { kind: 'invalidInput', message: /Nothing was sent/ });
    const [recovered] = await other.recover();
    assert.equal(recovered?.state, 'done');
    assert.deepEqual(await readdir(join(root, 'media/images')), ['a-fox.png']);
  });
});
