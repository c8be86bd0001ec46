import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jobRunnerAt, jobsIn } from '../../support/jobRunner.ts';
import { mp4Bytes, pngBytes } from '../../support/mediaBytes.ts';
import { jpegFile } from '../../support/pictureFiles.ts';
import { startStandingService } from '../../support/standingService.ts';
import { kill, spawnJob } from '../../support/startProcess.ts';

/** As base64, too large for the answer to be kept in memory. */
const largeImage = Buffer.concat([pngBytes, Buffer.alloc(6 * 2 ** 20, 7)]);
const largeItem = { b64_json: largeImage.toString('base64') };
const videoStatusPath = '/v1/videos/{id}';

/** The process that runs a job is killed, and the next one recovers the job. */
describe('after a crash (promises 8, 41)', () => {
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
    for (const stage of ['sending', 'waiting', 'polling', 'downloading', 'saving'] as const) {
      if (stage === 'polling' && kind === 'image') continue;
      const isPaid = stage !== 'sending' && stage !== 'waiting';
      it(`while ${stage}: the ${kind} is ${isPaid ? 'saved' : 'unknown'}, and paid once`, async () => {
        await using service = await startStandingService();
        const reached = service.standAt(stage);
        const child = spawnJob({ host: service.origin, root, journal, kind, videoStatusPath });
        await reached;
        await kill(child);
        service.release();

        await using next = jobRunnerAt(service.origin, { root, journal, videoStatusPath });
        const [job, ...others] = await next.recover();
        assert.deepEqual(others, []);
        assert.equal(job?.state, isPaid ? 'done' : 'unknown', job?.error?.message);
        assert.equal(service.paid(), 1);
        if (isPaid) await checkSaved(file, bytes);
        else {
          assert.equal(job?.error?.mayBeBilled, true);
          // The editor finds the folder, and so the job, by this file at its next start.
          assert.equal(await readFile(join(root, '.unified-media/library.jsonl'), 'utf8'), '');
        }

        await using later = jobRunnerAt(service.origin, { root, journal, videoStatusPath });
        assert.deepEqual(await later.recover(), []);
        assert.equal(later.jobs.get(job?.id ?? '')?.state, isPaid ? undefined : 'unknown');
        assert.equal(service.paid(), 1);
      });
    }

    for (const dieAt of ['beforeLink', 'afterLink'] as const) {
      it(`while linking (${dieAt}): the ${kind} is saved and recorded once`, async () => {
        await using service = await startStandingService();
        const child = spawnJob({ host: service.origin, root, journal, kind, dieAt });
        await once(child, 'exit');
        await using next = jobRunnerAt(service.origin, { root, journal });
        const [job] = await next.recover();
        assert.equal(job?.state, 'done', job?.error?.message);
        assert.equal(service.paid(), 1);
        await checkSaved(file, bytes);
      });
    }
  }

  for (const dieAt of ['downloading', 'beforeLink', 'afterLink'] as const) {
    it(`with an exact name (${dieAt}): the picture is converted and saved under that name`, async () => {
      await using service = await startStandingService();
      const options = { host: service.origin, root, journal, place: { exactName: 'hero.jpg' }, converts: true };
      if (dieAt === 'downloading') {
        const reached = service.standAt(dieAt);
        const child = spawnJob(options);
        await reached;
        await kill(child);
        service.release();
      } else await once(spawnJob({ ...options, dieAt }), 'exit');
      await using next = jobRunnerAt(service.origin, { root, journal, convert: async () => jpegFile });
      const [job] = await next.recover();
      assert.equal(job?.state, 'done', job?.error?.message);
      assert.equal(service.paid(), 1);
      await checkSaved('media/images/hero.jpg', jpegFile);
    });
  }

  it('leaves a job alone while its process lives, and recovers it afterwards', async () => {
    await using service = await startStandingService();
    const reached = service.standAt('waiting');
    const child = spawnJob({ host: service.origin, root, journal });
    await reached;
    await using next = jobRunnerAt(service.origin, { root, journal });
    assert.deepEqual(await next.recover(), []);
    await kill(child);
    const reported: unknown[] = [];
    await next.recover(({ state }) => reported.push(state));
    assert.deepEqual(reported, ['unknown']);
    assert.deepEqual(await next.recover(), []);
    assert.equal(next.jobs.all.length, 1);
  });

  it('while a large answer arrives: the job is unknown, paid once, and its partial answer is available', async () => {
    await using service = await startStandingService([largeItem]);
    const isIncoming = service.standAt('answering');
    const child = spawnJob({ host: service.origin, root, journal });
    await isIncoming;
    await answerFile();
    await kill(child);
    service.release();

    await using next = jobRunnerAt(service.origin, { root, journal });
    const [job] = await next.recover();
    assert.equal(job?.state, 'unknown');
    assert.equal(job?.hasAnswer, false);
    assert.equal(service.paid(), 1);
    const [raw] = await next.runner.withRawFiles(job?.id ?? '', async (files) => files);
    assert.equal(raw?.what, 'partial');
    assert.match(await readFile(raw?.path ?? '', 'latin1'), /^\{"id":"v1","data":\[\{"b64_json":"/);
    await next.runner.dismiss(job?.id ?? '');
    assert.deepEqual(await jobsIn(journal), []);
  });

  it('while saving the second image of a large answer: both are saved once and complete', async () => {
    await using service = await startStandingService([largeItem]);
    const reached = service.standAt('saving');
    const child = spawnJob({ host: service.origin, root, journal });
    await reached;
    await kill(child);
    service.release();

    await using next = jobRunnerAt(service.origin, { root, journal });
    const [job] = await next.recover();
    assert.equal(job?.state, 'done', job?.error?.message);
    assert.equal(service.paid(), 1);
    const folder = join(root, 'media/images');
    assert.deepEqual((await readdir(folder)).sort(), ['a-fox-2.png', 'a-fox.png']);
    assert.deepEqual(await readFile(join(folder, 'a-fox.png')), largeImage);
    assert.deepEqual(await readFile(join(folder, 'a-fox-2.png')), pngBytes);
    assert.deepEqual(await jobsIn(journal), []);
  });

  /** Checks for one complete file under its name, one record, and no files of attempts. */
  async function checkSaved(file: string, bytes: Buffer): Promise<void> {
    assert.deepEqual(await readdir(join(root, file, '..')), [file.split('/').at(-1)]);
    assert.deepEqual(await readFile(join(root, file)), bytes);
    const library = await readFile(join(root, '.unified-media/library.jsonl'), 'utf8');
    assert.equal(library.trimEnd().split('\n').length, 1);
    assert.deepEqual(await jobsIn(journal), []);
  }

  /** Resolves when the journal has started to write a large answer. */
  async function answerFile(): Promise<void> {
    for (;;) {
      const [job = ''] = await jobsIn(journal);
      const name = (await readdir(job)).find((file) => file.startsWith('answer-'));
      if (name && (await stat(join(job, name))).size > 0) return;
      await new Promise(setImmediate);
    }
  }
});
