import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunOptions } from '../../../src/work/Attempt.ts';
import { UnknownOutcome } from '../../../src/work/jobErrors.ts';
import { notesOf } from '../../../src/work/Notes.ts';
import { Work } from '../../../src/work/Work.ts';
import { failureOf } from '../../support/failureOf.ts';
import { type HttpServer, startHttpServer } from '../../support/httpServer.ts';
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
    const lease = (await readdir(folder)).findLast((name) => name.startsWith('lease-')) ?? '';
    const holder = JSON.parse(await readFile(join(folder, lease), 'utf8')) as object;
    await writeFile(join(folder, lease), JSON.stringify({ ...holder, run: 'one that has ended' }));
  }

  function nextDownload(): Promise<void> {
    return new Promise((resolve) => {
      onDownload = resolve;
    });
  }

  it('is not sent by the window that lost it before sending', async () => {
    await using mine = jobRunnerAt(server.origin, { root, journal });
    const beforeSending = async () => {
      const [folder = ''] = await jobsIn(journal);
      await seemDead(folder);
      await using other = await Work.take(folder, {});
      assert(other);
      await other.reset();
      await other.sending({
        ...imageJob(root),
        id: crypto.randomUUID(),
        key: 'theirs',
        createdAt: '2026-01-01T00:00:00Z',
      });
    };
    const { message } = await failureOf(mine.runner.run(imageJob(root), { ...quiet, beforeSending }));
    assert.match(message, /^Another window or program is working on this job/);
    assert.equal(server.requests.length, 0);
  });

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

  it('keeps a large answer, which is a file of its own, apart from the work that the other window removes', async () => {
    const large = Buffer.concat([pngBytes, Buffer.alloc(4 * 2 ** 20)]);
    const asked = Promise.withResolvers<ServerResponse>();
    await using slow = await startHttpServer((request, response) => request.resume() && asked.resolve(response));
    await using mine = jobRunnerAt(slow.origin, { root, journal });
    const running = mine.runner.run(imageJob(root), quiet);
    const response = await asked.promise;
    const [folder = ''] = await jobsIn(journal);
    await seemDead(folder);
    const other = await Work.take(folder, {});
    await rm(root, { recursive: true });
    response.end(JSON.stringify({ data: [{ b64_json: large.toString('base64') }] }));
    const { jobId = '' } = await failureOf(running);
    await other?.remove();
    await mkdir(root);
    await using later = jobRunnerAt(slow.origin, { root, journal });
    await later.recover();
    await later.runner.downloadAgain(jobId, quiet);
    assert.deepEqual(await readFile(join(root, 'media/images/a-fox.png')), large);
  });

  describe('and whose request a person has sent again there', () => {
    const key = 'a'.repeat(64);
    let posts: ServerResponse[];
    let onPost: () => void;
    let isThere: boolean;
    let service: HttpServer;
    let input: ReturnType<typeof imageJob> & { readonly key: string };

    beforeEach(async () => {
      posts = [];
      isThere = false;
      input = { ...imageJob(root), key };
      service = await startHttpServer((request, response) => {
        if (request.method !== 'POST') {
          // The first request gets another picture than the second.
          const bytes = request.url === '/mine' ? Buffer.concat([pngBytes, Buffer.from('mine')]) : pngBytes;
          const hasIt = isThere || request.url === '/mine';
          return response.writeHead(hasIt ? 200 : 404).end(hasIt ? bytes : '');
        }
        posts.push(response);
        return onPost();
      });
    });

    afterEach(() => service[Symbol.asyncDispose]());

    const open = () => jobRunnerAt(service.origin, { root, journal });
    const folder = () => join(journal, key);

    /** Runs the request in a window until it is out. */
    async function send({ runner }: ReturnType<typeof open>, options: Partial<RunOptions> = {}) {
      const asked = new Promise<void>((resolve) => (onPost = resolve));
      const running = runner.run(input, { ...quiet, ...options });
      // What is awaited later must not count as unhandled until then.
      running.catch(() => undefined);
      await asked;
      return { running };
    }

    /** Lets the second window fail to download its result, so that it keeps its answer. */
    async function keepTheirs({ running }: Awaited<ReturnType<typeof send>>): Promise<string> {
      posts[1]?.end('{"data":[{"url":"/theirs"}]}');
      const { jobId = '', hasAnswer } = await failureOf(running);
      assert.equal(hasAnswer, true);
      isThere = true;
      return jobId;
    }

    it('does not free that request when its own is refused', async () => {
      await using mine = open();
      const own = await send(mine);
      await seemDead(folder());
      await using theirs = open();
      await send(theirs, { again: true });
      posts[0]?.writeHead(400).end('{"error":{"message":"no"}}');
      assert.equal((await failureOf(own.running)).kind, 'badRequest');
      // Their process is killed as well.
      await seemDead(folder());
      await using later = open();
      assert.equal(await later.runner.store.stateOf(key, input.place), 'unknown');
      assert.deepEqual(await notesOf(input.place.root)?.list(), [key]);
      await assert.rejects(later.runner.run(input, quiet), UnknownOutcome);
      assert.equal(posts.length, 2);
    });

    it('leaves the answer to that request when its own is cancelled', async () => {
      const abort = new AbortController();
      await using mine = open();
      const own = await send(mine, { signal: abort.signal });
      await seemDead(folder());
      await using theirs = open();
      const jobId = await keepTheirs(await send(theirs, { again: true }));
      abort.abort();
      assert.equal((await failureOf(own.running)).kind, 'cancelled');
      await theirs.runner.downloadAgain(jobId, quiet);
      assert.deepEqual(await readFile(join(root, 'media/images/a-fox.png')), pngBytes);
    });

    it('keeps its own answer beside the one to that request, which waits to be saved', async () => {
      await using mine = open();
      const own = await send(mine);
      await seemDead(folder());
      await using theirs = open();
      const jobId = await keepTheirs(await send(theirs, { again: true }));
      posts[0]?.end('{"data":[{"url":"/mine"}]}');
      await own.running;
      await theirs.runner.downloadAgain(jobId, quiet);
      assert.deepEqual((await readdir(join(root, 'media/images'))).toSorted(), ['a-fox-2.png', 'a-fox.png']);
      assert.deepEqual(await readFile(join(root, 'media/images/a-fox-2.png')), pngBytes);
      assert.deepEqual(await jobsIn(journal), []);
    });
  });

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
