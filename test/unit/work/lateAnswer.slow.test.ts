import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inputAgain } from '../../../src/work/JobRunner.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { jobRunnerAt, jobsIn } from '../../support/jobRunner.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { skipUnless } from '../../support/skipUnless.ts';
import { startStandingService } from '../../support/standingService.ts';
import { kill, spawnJob } from '../../support/startProcess.ts';

const quiet = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };
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

  /** Starts a job in a process that stops, like a computer that sleeps, before the answer arrives. */
  async function stopWhileWaiting(): Promise<ChildProcess> {
    const waiting = service.standAt('waiting');
    child = spawnJob({ host: service.origin, root, journal, silence });
    await waiting;
    child.kill('SIGSTOP');
    return child;
  }

  async function receiveAnswerAndDie(stopped: ChildProcess): Promise<void> {
    const downloading = service.standAt('downloading');
    stopped.kill('SIGCONT');
    service.answerHeld();
    await downloading;
    await kill(stopped);
    service.release();
  }

  it('is saved when its answer arrived late and the process that received it died', async function () {
    skipUnless(this, process.platform !== 'win32', 'SIGSTOP');
    const stopped = await stopWhileWaiting();
    await using other = jobRunnerAt(service.origin, { root, journal, silence });
    while (other.jobs.all.length === 0) await other.recover();
    assert.equal(other.jobs.all[0]?.state, 'unknown');

    await receiveAnswerAndDie(stopped);
    const [recovered] = await other.recover();
    assert.equal(recovered?.state, 'done', `the list still says ${other.jobs.all[0]?.state}`);
    assert.deepEqual(await readdir(join(root, 'media/images')), ['a-fox.png']);
    assert.equal(service.paid(), 1);
  });

  it('is not run again when its answer arrived while the person was asked', async function () {
    skipUnless(this, process.platform !== 'win32', 'SIGSTOP');
    const stopped = await stopWhileWaiting();
    await using other = jobRunnerAt(service.origin, { root, journal, silence });
    while (other.jobs.all.length === 0) await other.recover();
    const [{ id = '' } = {}] = other.jobs.all;

    await receiveAnswerAndDie(stopped);
    const never = () => Promise.reject(new Error('it ran again'));
    await assert.rejects(other.runner.runAgain(id, never), { kind: 'invalidInput', message: /Nothing was sent/ });
    const [recovered] = await other.recover();
    assert.equal(recovered?.state, 'done');
    assert.deepEqual(await readdir(join(root, 'media/images')), ['a-fox.png']);
  });

  const byKey = 'a'.repeat(64);
  const keys = {
    '': undefined,
    'by its key ': byKey,
    'by the key of an answer that was given up ': `${byKey}.${crypto.randomUUID()}`,
  };
  for (const [what, key] of Object.entries(keys)) {
    for (const dies of [false, true]) {
      const name = `${what}${dies ? 'and its process dies' : 'and its process goes on'}`;
      it(`is kept and saved when its answer arrives while it is run again, ${name}`, async function () {
        skipUnless(this, process.platform !== 'win32', 'SIGSTOP');
        const posts: ServerResponse[] = [];
        const downloads: ServerResponse[] = [];
        let onRequest: () => void = () => undefined;
        await using server = await startHttpServer((request, response) => {
          (request.method === 'POST' ? posts : downloads).push(response);
          onRequest();
        });
        const nextRequest = () => new Promise<void>((resolve) => (onRequest = resolve));

        let asked = nextRequest();
        child = spawnJob({ host: server.origin, root, journal, silence, ...(key === undefined ? {} : { key }) });
        await asked;
        child.kill('SIGSTOP');
        await using other = jobRunnerAt(server.origin, { root, journal, silence });
        while (other.jobs.all.length === 0) await other.recover();
        const [{ id = '' } = {}] = other.jobs.all;
        asked = nextRequest();
        const again = other.runner.runAgain(id, (job) => other.runner.run(inputAgain(job), { ...quiet, again: true }));
        await asked;

        // The answer to the first request arrives, while the second one is out.
        asked = nextRequest();
        const exited = once(child, 'exit');
        child.kill('SIGCONT');
        posts[0]?.end('{"data":[{"url":"/result"}]}');
        await asked;
        if (dies) child.kill('SIGKILL');
        else downloads[0]?.end(pngBytes);
        await exited;

        asked = nextRequest();
        posts[1]?.end('{"data":[{"url":"/result"}]}');
        await asked;
        downloads[1]?.end(pngBytes);
        await again;
        if (dies) {
          asked = nextRequest();
          const recovering = recoverOne(other);
          await asked;
          downloads[2]?.end(pngBytes);
          assert.equal(await recovering, 'done');
        }
        assert.equal(posts.length, 2);
        assert.deepEqual(await readdir(join(root, 'media/images')), ['a-fox-2.png', 'a-fox.png']);
        assert.deepEqual(await jobsIn(journal), []);
        assert.deepEqual(await readdir(join(root, '.unified-media')), ['library.jsonl']);
      });
    }
  }

  /** Looks for abandoned jobs repeatedly, as a window does, until one has ended. */
  async function recoverOne({ recover }: ReturnType<typeof jobRunnerAt>): Promise<string> {
    for (;;) {
      const [job] = await recover();
      if (job) return job.state;
    }
  }
});
