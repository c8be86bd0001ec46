import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PlaceReference } from '../../../src/work/Job.ts';
import { inputAgain } from '../../../src/work/JobRunner.ts';
import { imageJob, jobRunnerAt, jobsIn } from '../../support/jobRunner.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { skipUnless } from '../../support/skipUnless.ts';
import { type Stage, startStandingService } from '../../support/standingService.ts';
import { kill, spawnJob, startRecoverer } from '../../support/startProcess.ts';

const quiet = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };
/** Milliseconds; so short that a stopped process loses its jobs at once. */
const silence = 300;
const longAgo = new Date(Date.now() - 60 * 60 * 1000);

/** Each window is a process of its own, as in the editor. */
describe('two windows on one folder (promise 8)', () => {
  let root: string;
  let journal: string;
  let service: Awaited<ReturnType<typeof startStandingService>>;
  let children: ChildProcess[];

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'windows-workspace-'));
    journal = await mkdtemp(join(tmpdir(), 'windows-journal-'));
    service = await startStandingService();
    children = [];
  });

  afterEach(async () => {
    for (const child of children) if (child.exitCode === null && child.signalCode === null) await kill(child);
    await service[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
    await rm(journal, { recursive: true });
  });

  const folders = () => ({ host: service.origin, root, journal });

  /** Starts a job in a process and waits until it is held at a stage. */
  async function jobAt(stage: Stage, options: { readonly silence?: number } = {}): Promise<ChildProcess> {
    const reached = service.standAt(stage);
    const child = spawnJob({ ...folders(), ...options });
    children.push(child);
    await reached;
    return child;
  }

  async function crashAt(stage: Stage): Promise<void> {
    await kill(await jobAt(stage));
    service.release();
  }

  /** Checks for one complete file and one record, paid once. */
  async function checkSavedOnce(): Promise<void> {
    assert.deepEqual(await readdir(join(root, 'media/images')), ['a-fox.png']);
    assert.deepEqual(await readFile(join(root, 'media/images/a-fox.png')), pngBytes);
    const library = await readFile(join(root, '.unified-media/library.jsonl'), 'utf8');
    assert.equal(library.trimEnd().split('\n').length, 1);
    assert.equal(service.paid(), 1);
  }

  it('know the jobs of each other, so that a manifest does not send their requests again', async () => {
    await jobAt('waiting');
    await using here = jobRunnerAt(service.origin, { root, journal });
    const [key = '', ...others] = await readdir(journal);
    assert.deepEqual(others, []);
    assert.equal(await here.runner.store.stateOf(key, { root: pathToFileURL(root).href }), 'running');
    assert.deepEqual(here.jobs.all, []);
  });

  for (const stage of ['downloading', 'saving'] as const) {
    it(`recover a job that was killed while ${stage} only once, whichever is first`, async () => {
      await crashAt(stage);
      // The first window is still recovering when the second one looks.
      const reached = service.standAt(stage);
      await using first = await startRecoverer(folders());
      await using second = await startRecoverer(folders());
      const ends = Promise.all([first.recover(), second.recover()]);
      await reached;
      await using third = await startRecoverer(folders());
      assert.deepEqual(await third.recover(), []);
      service.release();
      service.answerHeld();
      assert.deepEqual((await ends).flat(), ['done']);
      await checkSavedOnce();
      assert.deepEqual(await jobsIn(journal), []);
    });
  }

  it('leave a job to a process on another machine while its heartbeat is fresh', async () => {
    await crashAt('downloading');
    const [job = ''] = await jobsIn(journal);
    const [name = ''] = (await readdir(job)).filter((file) => file.startsWith('lease-'));
    const holder = JSON.parse(await readFile(join(job, name), 'utf8')) as object;
    await writeFile(join(job, name), JSON.stringify({ ...holder, machine: 'another' }));
    const before = await contents(job);
    await using window = await startRecoverer({ ...folders(), silence });
    assert.deepEqual(await window.recover(), []);
    assert.deepEqual(await contents(job), before, 'files of the other machine were changed');
    // No process renews that heartbeat any more.
    for (let ends: readonly string[] = []; ends.length === 0; ) {
      ends = await window.recover();
      if (ends.length > 0) assert.deepEqual(ends, ['done']);
    }
    await checkSavedOnce();
  });

  async function contents(folder: string): Promise<readonly (readonly [string, string])[]> {
    const names = (await readdir(folder)).sort();
    return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'latin1')] as const));
  }

  it('save the answer of a stopped process that was given up', async function () {
    skipUnless(this, process.platform !== 'win32', 'SIGSTOP');
    const child = await jobAt('waiting', { silence });
    child.kill('SIGSTOP');
    await using other = jobRunnerAt(service.origin, { root, journal, silence });
    await untilEnded(other, 'unknown');
    service.release();
    child.kill('SIGCONT');
    service.answerHeld();
    await once(child, 'exit');
    await checkSavedOnce();
    assert.deepEqual(await other.recover(), []);
    assert.deepEqual(other.jobs.all, [], 'a job that another window has finished is still listed');
  });

  it('save a result only once when a process was stopped while the other one saved it', async function () {
    skipUnless(this, process.platform !== 'win32', 'SIGSTOP');
    const child = await jobAt('saving', { silence });
    child.kill('SIGSTOP');
    service.release();
    await using other = jobRunnerAt(service.origin, { root, journal, silence });
    await untilEnded(other, 'done');
    await checkSavedOnce();
    child.kill('SIGCONT');
    service.answerHeld();
    await once(child, 'exit');
    await checkSavedOnce();
    assert.deepEqual(await jobsIn(journal), []);
  });

  /** Looks for abandoned jobs repeatedly, as a window does, until one has ended. */
  async function untilEnded({ recover }: ReturnType<typeof jobRunnerAt>, state: string): Promise<void> {
    for (;;) {
      const [job] = await recover();
      if (!job) continue;
      assert.equal(job.state, state, job.error?.message);
      return;
    }
  }

  it('reject saving or dismissing a job that the other window is saving', async () => {
    service.failDownloads();
    await using mine = jobRunnerAt(service.origin, { root, journal });
    await assert.rejects(mine.runner.run(imageJob(root), quiet), { kind: 'download' });
    const [{ id = '' } = {}] = mine.jobs.all;
    await using theirs = jobRunnerAt(service.origin, { root, journal });
    await theirs.recover();
    const reached = service.standAt('downloading');
    const saving = mine.runner.downloadAgain(id, quiet);
    await reached;
    const inUse = {
      kind: 'invalidInput',
      message: 'Another window or program is working on this job. Try again when it has finished.',
    };
    await assert.rejects(theirs.runner.downloadAgain(id, quiet), inUse);
    await assert.rejects(theirs.runner.dismiss(id), inUse);
    service.release();
    service.answerHeld();
    await saving;
    await checkSavedOnce();
    await assert.rejects(theirs.runner.downloadAgain(id, quiet), {
      message: /has already dismissed or saved this job/,
    });
    assert.deepEqual(theirs.jobs.all, []);
  });

  it('reject running a job again that the other window is running again', async () => {
    await crashAt('waiting');
    await using mine = jobRunnerAt(service.origin, { root, journal });
    await using theirs = jobRunnerAt(service.origin, { root, journal });
    await mine.recover();
    await theirs.recover();
    const [job] = mine.jobs.all;
    assert(job);
    const reached = service.standAt('waiting');
    const again = mine.runner.runAgain(job.id, (old) => mine.runner.run(inputAgain(old), quiet));
    await reached;
    const work = () => assert.fail('it would be paid twice');
    await assert.rejects(theirs.runner.runAgain(job.id, work), {
      message: 'Another window or program is working on this job. Try again when it has finished.',
    });
    await assert.rejects(mine.runner.runAgain(job.id, work), { message: 'This job is already being run again.' });
    service.release();
    service.answerHeld();
    await again;
    assert.equal(service.paid(), 2);
    await theirs.recover();
    assert.deepEqual(theirs.jobs.all, []);
    assert.deepEqual(await jobsIn(journal), []);
  });

  it('update a job that both show (refresh)', async function () {
    skipUnless(this, process.platform !== 'win32', 'SIGSTOP');
    const child = await jobAt('waiting', { silence });
    child.kill('SIGSTOP');
    await using other = jobRunnerAt(service.origin, { root, journal, silence });
    await untilEnded(other, 'unknown');
    const [job] = other.jobs.all;
    assert.equal(job?.hasAnswer, false);
    service.failDownloads();
    service.release();
    child.kill('SIGCONT');
    service.answerHeld();
    await once(child, 'exit');
    await other.runner.refresh(job?.id ?? '');
    assert.equal(other.jobs.all[0]?.hasAnswer, true, 'Dismiss would discard a paid answer without asking');
  });

  describe('on a folder with another name', () => {
    let home: string;

    beforeEach(async () => {
      home = await mkdtemp(join(tmpdir(), 'windows-home-'));
    });

    afterEach(() => rm(home, { recursive: true }));

    const windowOn = (folder: string) => jobRunnerAt(service.origin, { root: folder, journal });

    for (const stage of ['waiting', 'downloading'] as const) {
      it(`recover a job of a folder that was renamed after it was killed while ${stage}`, async () => {
        await crashAt(stage);
        const renamed = join(home, 'renamed');
        await rename(root, renamed);
        await using window = windowOn(renamed);
        const [job, ...others] = await window.recover();
        assert.deepEqual(others, []);
        assert.equal(job?.state, stage === 'waiting' ? 'unknown' : 'done', job?.error?.message);
        assert.equal(service.paid(), 1);
        if (job?.state === 'unknown') await window.runner.dismiss(job.id);
        else assert.deepEqual(await readFile(join(renamed, 'media/images/a-fox.png')), pngBytes);
        assert.deepEqual(await jobsIn(journal), []);
        assert.deepEqual(await readdir(join(renamed, '.unified-media')), ['library.jsonl']);
        await mkdir(root);
      });
    }

    it('recover a job of a folder that a link leads to, once', async () => {
      await crashAt('downloading');
      const link = join(home, 'link');
      await symlink(root, link, 'junction');
      await using window = windowOn(link);
      await using other = windowOn(root);
      const ended = [...(await window.recover()), ...(await other.recover())];
      assert.deepEqual(
        ended.map(({ state }) => state),
        ['done'],
      );
      await checkSavedOnce();
      assert.deepEqual(await jobsIn(journal), []);
    });

    it('leave a job of a folder to it when a copy of the folder has its note', async () => {
      await crashAt('waiting');
      const copy = join(home, 'copy');
      await cp(root, copy, { recursive: true });
      await using onCopy = windowOn(copy);
      assert.deepEqual(await onCopy.recover(), []);
      assert.deepEqual(onCopy.jobs.all, []);
      await using window = windowOn(root);
      const [job] = await window.recover();
      assert.equal(job?.state, 'unknown');
    });
  });

  describe('and a third one on another folder', () => {
    const elsewhere = [pathToFileURL(join(tmpdir(), 'elsewhere')).href];

    async function crashedJob(place: Partial<PlaceReference> = {}): Promise<void> {
      const child = spawnJob({ ...folders(), place });
      children.push(child);
      await service.standAt('downloading');
      await kill(child);
      service.release();
    }

    it('lets the third recover a job that was started without a folder', async () => {
      await crashedJob({ isChosen: true });
      await using window = jobRunnerAt(service.origin, { root, journal });
      const [job] = await window.runner.recover(elsewhere, quiet.signal);
      assert.equal(job?.state, 'done');
      await checkSavedOnce();
    });

    it('lets the third save a paid result when the window of its folder does not return', async () => {
      await crashedJob();
      await using window = jobRunnerAt(service.origin, { root, journal });
      assert.deepEqual(await window.runner.recover(elsewhere, quiet.signal), []);
      const [job = ''] = await jobsIn(journal);
      for (const name of ['', ...(await readdir(job))]) await utimes(join(job, name), longAgo, longAgo);
      const [saved] = await window.runner.recover(elsewhere, quiet.signal);
      assert.equal(saved?.state, 'done');
      await checkSavedOnce();
    });

    it('does not show the failed jobs of other folders in the third', async () => {
      await crashAt('waiting');
      const [job = ''] = await jobsIn(journal);
      for (const name of ['', ...(await readdir(job))]) await utimes(join(job, name), longAgo, longAgo);
      await using window = jobRunnerAt(service.origin, { root, journal });
      assert.deepEqual(await window.runner.recover(elsewhere, quiet.signal), []);
      assert.deepEqual(window.jobs.all, []);
    });
  });
});
