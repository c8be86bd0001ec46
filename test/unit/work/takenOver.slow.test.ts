import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Work } from '../../../src/work/Work.ts';
import { failureOf } from '../../support/failureOf.ts';
import type { HttpServer } from '../../support/httpServer.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt, jobsIn } from '../../support/jobRunner.ts';
import { pngBytes } from '../../support/mediaBytes.ts';

const quiet = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };

/** The window seemed dead, so another one downloads its result; then its own download fails. */
describe('a job that another window took over', () => {
  let root: string;
  let journal: string;
  let server: HttpServer;
  /** Downloads that wait for a response, and a callback for the next one. */
  let downloads: ServerResponse[];
  let onDownload: () => void;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'taken-workspace-'));
    journal = await mkdtemp(join(tmpdir(), 'taken-journal-'));
    downloads = [];
    server = await startHttpServer((request, response) => {
      if (request.method === 'POST') return response.end('{"data":[{"url":"/result"}]}');
      downloads.push(response);
      return onDownload();
    });
  });

  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
    await rm(journal, { recursive: true });
  });

  async function seemDead(folder: string): Promise<void> {
    const [lease = ''] = (await readdir(folder)).filter((name) => name.startsWith('lease-'));
    const holder = JSON.parse(await readFile(join(folder, lease), 'utf8')) as object;
    await writeFile(join(folder, lease), JSON.stringify({ ...holder, run: 'one that has ended' }));
  }

  function nextDownload(): Promise<void> {
    return new Promise((resolve) => {
      onDownload = resolve;
    });
  }

  for (const downloads of ['is saved', 'can be saved again after its download failed'] as const) {
    it(`keeps an answer on disk that arrives while another window holds its work: it ${downloads}`, async () => {
      const asked = Promise.withResolvers<ServerResponse>();
      let isGone = downloads !== 'is saved';
      await using slow = await startHttpServer((request, response) => {
        if (request.method === 'POST') return asked.resolve(response);
        return response.writeHead(isGone ? 410 : 200).end(isGone ? '' : pngBytes);
      });
      await using mine = jobRunnerAt(slow.origin, { root, journal });
      const running = mine.runner.run(imageJob(root), quiet);
      const response = await asked.promise;
      const [folder = ''] = await jobsIn(journal);
      await seemDead(folder);
      const other = await Work.take(folder, {});
      response.end('{"data":[{"url":"/result"}]}');
      if (isGone) {
        const { jobId = '', message, hasAnswer } = await failureOf(running);
        assert.equal(hasAnswer, true);
        assert.doesNotMatch(message, /in memory only/);
        isGone = false;
        await mine.runner.downloadAgain(jobId, quiet);
      } else {
        await running;
      }
      assert.deepEqual(await readFile(join(root, 'media/images/a-fox.png')), pngBytes);
      assert.deepEqual(await jobsIn(journal), [folder], 'the work that the other window holds is left alone');
      await other?.release();
    });
  }

  it('is kept in memory when the other window has no answer, and nothing can be written for this one', async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    await using slow = await startHttpServer((request, response) => {
      return request.method === 'POST' ? asked.resolve(response) : response.writeHead(410).end();
    });
    await using mine = jobRunnerAt(slow.origin, { root, journal });
    // The folder of a late answer has a longer name, which file systems do not take.
    const running = mine.runner.run({ ...imageJob(root), key: 'a'.repeat(230) }, quiet);
    const early = running.then(() => assert.fail('it has ended before'));
    const response = await Promise.race([asked.promise, early]);
    early.catch(() => undefined);
    const [folder = ''] = await jobsIn(journal);
    await seemDead(folder);
    const other = await Work.take(folder, {});
    response.end('{"data":[{"url":"/result"}]}');
    const { message, hasAnswer } = await failureOf(running);
    assert.equal(hasAnswer, true);
    assert.match(message, /in memory only/);
    await other?.release();
  });

  for (const end of ['is still downloading', 'has saved it'] as const) {
    it(`does not fail in this window when the other ${end}`, async () => {
      await using mine = jobRunnerAt(server.origin, { root, journal });
      const begun = nextDownload();
      const running = failureOf(mine.runner.run(imageJob(root), quiet));
      await begun;
      const [folder = ''] = await jobsIn(journal);
      await seemDead(folder);

      await using theirs = jobRunnerAt(server.origin, { root, journal });
      const begunThere = nextDownload();
      const recovering = theirs.recover();
      await begunThere;
      const [myDownload, theirDownload] = downloads;
      if (end === 'has saved it') {
        theirDownload?.end(pngBytes);
        await recovering;
      }
      myDownload?.writeHead(410).end();
      const error = await running;
      assert.match(error.message, /Another window took over this job/);
      assert.deepEqual(mine.jobs.all, []);

      theirDownload?.end(pngBytes);
      const [job] = await recovering;
      assert.equal(job?.state, 'done', job?.error?.message);
      assert.deepEqual(await readdir(join(root, 'media/images')), ['a-fox.png']);
      const library = await readFile(join(root, '.unified-media/library.jsonl'), 'utf8');
      assert.equal(library.trimEnd().split('\n').length, 1);
      assert.deepEqual(await jobsIn(journal), []);
    });
  }
});
