import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, watch } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jobRunnerAt } from '../../support/jobRunner.ts';
import { mp4Bytes, pngBytes } from '../../support/mediaBytes.ts';
import { startStandingService } from '../../support/standingService.ts';

/** As base64 too large for an answer to be kept in memory. */
const largeImage = Buffer.concat([pngBytes, Buffer.alloc(6 * 2 ** 20, 7)]);
const largeItem = { b64_json: largeImage.toString('base64') };

/** The process that runs a job is killed; the next one finds out what became of it. */
describe('after a crash', () => {
  let root: string;
  let journal: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'crash-workspace-'));
    journal = await mkdtemp(join(tmpdir(), 'crash-journal-'));
  });

  afterEach(async () => {
    await rm(root, { recursive: true });
    await rm(journal, { recursive: true });
  });

  for (const [kind, bytes, file] of [
    ['image', pngBytes, 'media/images/a-fox.png'],
    ['video', mp4Bytes, 'media/videos/a-fox.mp4'],
  ] as const) {
    for (const stage of ['sending', 'waiting', 'downloading', 'saving'] as const) {
      const isPaid = stage === 'downloading' || stage === 'saving';
      it(`while ${stage}: the ${kind} is ${isPaid ? 'saved' : 'unknown'}, and paid once`, async () => {
        await using service = await startStandingService();
        const reached = service.standAt(stage);
        const child = spawnJob(service.origin, kind);
        await reached;
        child.kill('SIGKILL');
        await once(child, 'exit');
        service.release();

        await using next = jobRunnerAt(service.origin, { root, journal });
        const [job, ...others] = await next.runner.recover(new AbortController().signal);
        assert.deepEqual(others, []);
        assert.equal(job?.state, isPaid ? 'done' : 'unknown', job?.error?.message);
        assert.equal(service.paid(), 1);
        if (isPaid) {
          assert.deepEqual(await readdir(join(root, file, '..')), [file.split('/').at(-1)]);
          assert.deepEqual(await readFile(join(root, file)), bytes);
          const library = await readFile(join(root, '.unified-media/library.jsonl'), 'utf8');
          assert.equal(library.trimEnd().split('\n').length, 1);
        } else {
          assert.equal(job?.error?.mayBeBilled, true);
          // By it the editor finds the folder, and so the job, at its next start.
          assert.equal(await readFile(join(root, '.unified-media/library.jsonl'), 'utf8'), '');
        }

        await using later = jobRunnerAt(service.origin, { root, journal });
        assert.deepEqual(await later.runner.recover(new AbortController().signal), []);
        assert.equal(service.paid(), 1);
      });
    }
  }

  it('is left alone while its process lives, and found when one looks again', async () => {
    await using service = await startStandingService();
    const reached = service.standAt('waiting');
    const child = spawnJob(service.origin, 'image');
    await reached;
    await using next = jobRunnerAt(service.origin, { root, journal });
    const { signal } = new AbortController();
    assert.deepEqual(await next.runner.recover(signal), []);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const told: unknown[] = [];
    await next.runner.recover(signal, ({ state }) => told.push(state));
    assert.deepEqual(told, ['unknown']);
    assert.deepEqual(await next.runner.recover(signal), []);
    assert.equal(next.jobs.all.length, 1);
  });

  it('while a large answer comes in: it is unknown, paid once, and nothing of it stays', async () => {
    await using service = await startStandingService([largeItem]);
    void service.standAt('answering');
    const written = answerFile();
    const child = spawnJob(service.origin, 'image');
    await written;
    child.kill('SIGKILL');
    await once(child, 'exit');
    service.release();

    await using next = jobRunnerAt(service.origin, { root, journal });
    const [job] = await next.runner.recover(new AbortController().signal);
    assert.equal(job?.state, 'unknown');
    assert.equal(service.paid(), 1);
    assert.deepEqual(
      (await readdir(journal)).filter((file) => file.endsWith('.answer')),
      [],
    );
  });

  it('while the second image of a large answer is saved: the first is not saved again, and both are whole', async () => {
    await using service = await startStandingService([largeItem]);
    const reached = service.standAt('saving');
    const child = spawnJob(service.origin, 'image');
    await reached;
    child.kill('SIGKILL');
    await once(child, 'exit');
    service.release();

    await using next = jobRunnerAt(service.origin, { root, journal });
    const [job] = await next.runner.recover(new AbortController().signal);
    assert.equal(job?.state, 'done', job?.error?.message);
    assert.equal(service.paid(), 1);
    const folder = join(root, 'media/images');
    assert.deepEqual((await readdir(folder)).sort(), ['a-fox-2.png', 'a-fox.png']);
    assert.deepEqual(await readFile(join(folder, 'a-fox.png')), largeImage);
    assert.deepEqual(await readFile(join(folder, 'a-fox-2.png')), pngBytes);
    assert.deepEqual(await readdir(journal), []);
  });

  /** Resolves when the journal begins to keep a large answer. */
  async function answerFile(): Promise<void> {
    for await (const { filename } of watch(journal)) if (filename?.endsWith('.answer')) return;
  }

  function spawnJob(origin: string, kind: string): ChildProcess {
    const script = join(import.meta.dirname, '../../support/runJobInProcess.ts');
    return spawn(process.execPath, [script, origin, root, journal, kind], { stdio: 'inherit' });
  }
});
