import assert from 'node:assert/strict';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt, jobsIn, videoJob } from '../../support/jobRunner.ts';
import { mp4Bytes, pngBytes } from '../../support/mediaBytes.ts';
import { kill, spawnJob } from '../../support/startProcess.ts';

const quiet = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };
const videoStatusPath = '/v1/videos/{id}';

/** A status answer: JSON, the page of a gateway with status 403, a status code without a body, or text. */
type StatusAnswer = object | number | string;

describe('polling a video job', () => {
  let root: string;
  let journal: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'poll-workspace-'));
    journal = await mkdtemp(join(tmpdir(), 'poll-journal-'));
  });

  afterEach(async () => {
    await rm(root, { recursive: true });
    await rm(journal, { recursive: true });
  });

  /** Responds to the request with `created`, and to each poll with the next of `answers`, repeating the last. */
  async function service(created: object, ...answers: readonly StatusAnswer[]) {
    const rest = [...answers];
    const server = await startHttpServer((request, response) => {
      if (request.method === 'POST') return request.resume().on('end', () => response.end(JSON.stringify(created)));
      if (request.url === '/file.mp4' || request.url?.endsWith('/content')) return response.end(mp4Bytes);
      const next = rest.length > 1 ? rest.shift() : rest[0];
      if (typeof next === 'number') return response.writeHead(next).end();
      if (typeof next === 'object' && 'page' in next)
        return response.writeHead(403, { 'content-type': 'text/html; charset=utf-8' }).end(next.page);
      return response.end(typeof next === 'string' ? next : JSON.stringify(next));
    });
    const asked = (match: (request: IncomingMessage) => boolean) => server.requests.filter(match).length;
    return Object.assign(server, {
      paid: () => asked(({ method }) => method === 'POST'),
      polls: (id: string) => asked(({ method, url }) => method === 'GET' && url === `/v1/videos/${id}`),
    });
  }

  function runnerAt(
    { origin }: { readonly origin: string },
    path: string = videoStatusPath,
    options: { readonly timeoutSeconds?: number; readonly maxConcurrentJobs?: number } = {},
  ) {
    const { maxConcurrentJobs, ...others } = options;
    return jobRunnerAt(origin, { root, journal, videoStatusPath: path, ...others }, maxConcurrentJobs);
  }

  const saved = () => readFile(join(root, 'media/videos/a-fox.mp4'));

  const url = '/file.mp4';
  const video = { url };
  const shapes: readonly (readonly [string, string, object, ...StatusAnswer[]])[] = [
    [
      'OpenAI, which serves the bytes at …/content',
      'video_123',
      { id: 'video_123', object: 'video', status: 'queued', progress: 0, error: null },
      { id: 'video_123', status: 'in_progress', progress: 40 },
      { id: 'video_123', status: 'completed', progress: 100, error: null },
    ],
    [
      'xAI, which sends an empty 202 and does not repeat the id',
      'a3d1',
      { request_id: 'a3d1' },
      202,
      { status: 'pending', progress: 0 },
      { status: 'done', video: { url, duration: 5, respect_moderation: true }, usage: { cost_in_usd_ticks: 25 } },
    ],
    [
      'a service whose envelope reports success while it works',
      'job-9',
      { id: 'job-9', status: 'queued' },
      { status: 'ok', progress: 30 },
      { status: 'success', data: { progress: '60%' } },
      { status: 'success', data: { progress: '100%', ...video } },
    ],
    [
      'Evolink',
      'task-unified-1',
      { created: 1, id: 'task-unified-1', status: 'pending', progress: 0, usage: { credits_reserved: 7 } },
      { id: 'task-unified-1', status: 'processing', progress: 50 },
      { id: 'task-unified-1', status: 'completed', progress: 100, results: [url] },
    ],
    [
      'OpenRouter, with relative URLs',
      'job-abc123',
      { id: 'job-abc123', polling_url: '/api/v1/videos/job-abc123', status: 'pending' },
      { id: 'job-abc123', status: 'in_progress' },
      { id: 'job-abc123', status: 'completed', unsigned_urls: [url], usage: { cost: 0.5 } },
    ],
    [
      'NanoGPT, wrapped in data',
      'r-1',
      { requestId: 'r-1', status: 'queued' },
      { data: { requestId: 'r-1', status: 'processing', progress: 1 } },
      { data: { requestId: 'r-1', status: 'completed', videoUrl: url } },
    ],
    [
      'SiliconFlow',
      'r-2',
      { requestId: 'r-2' },
      { status: 'InQueue', reason: '', results: { videos: [] } },
      { status: 'InProgress', reason: '', results: { videos: [] } },
      { status: 'Succeed', reason: '', results: { videos: [video] } },
    ],
  ];
  for (const [name, id, created, ...answers] of shapes) {
    it(`continues until the video is done: ${name}`, async () => {
      await using server = await service(created, ...answers);
      await using job = runnerAt(server);
      const [asset] = await job.runner.run(videoJob(root), quiet);
      assert.deepEqual(await saved(), mp4Bytes);
      assert.equal(asset?.videoId, id);
      assert.equal(server.polls(id), answers.length);
      assert.equal(server.paid(), 1);
      for (const { headers } of server.requests) assert.equal(headers.authorization, 'key-1');
    });
  }

  it('reports status and progress', async () => {
    const answers = [0.25, 40].map((progress) => ({ id: 'v', status: 'in_progress', progress }));
    await using server = await service({ id: 'v', status: 'queued' }, ...answers, { id: 'v', status: 'done', video });
    await using job = runnerAt(server);
    const waiting: unknown[] = [];
    await job.runner.run(videoJob(root), {
      ...quiet,
      onProgress: (progress) => 'status' in progress && waiting.push([progress.status, progress.progress]),
    });
    assert.deepEqual(waiting, [
      ['queued', undefined],
      ['in_progress', 25],
      ['in_progress', 40],
    ]);
  });

  it('retries after transient errors', async () => {
    const passing = [404, 500, 503, 429, 502, 408, 425, 504];
    await using server = await service({ id: 'v' }, ...passing, { id: 'v', status: 'done', video });
    await using job = runnerAt(server);
    await job.runner.run(videoJob(root), quiet);
    assert.deepEqual(await saved(), mp4Bytes);
    assert.equal(server.polls('v'), passing.length + 1);
  });

  it('gives up after nine consecutive errors, and Download Again polls again without paying', async () => {
    const failures = Array.from({ length: 9 }, () => 503);
    await using server = await service({ id: 'v' }, ...failures, { id: 'v', status: 'done', video });
    await using job = runnerAt(server);
    const error = await failureOf(job.runner.run(videoJob(root), quiet));
    assert.equal(error.status, 503);
    assert.equal(server.polls('v'), 9);
    assert.equal(error.actions[0], 'downloadAgain');
    await job.runner.downloadAgain(error.jobId ?? '', quiet);
    assert.deepEqual(await saved(), mp4Bytes);
    assert.equal(server.paid(), 1);
  });

  for (const status of [401, 403]) {
    it(`stops at once on ${status}`, async () => {
      await using server = await service({ id: 'v' }, status);
      await using job = runnerAt(server);
      assert.equal((await failureOf(job.runner.run(videoJob(root), quiet))).status, status);
      assert.equal(server.polls('v'), 1);
    });
  }

  it("fails with the service's reason, and offers to run again but not to download", async () => {
    const failed = { id: 'v', status: 'failed', error: { code: 'x', message: 'the GPU is on fire' } };
    await using server = await service({ id: 'v' }, { id: 'v', status: 'queued' }, failed);
    await using job = runnerAt(server);
    const error = await failureOf(job.runner.run(videoJob(root), quiet));
    assert.match(error.message, /the GPU is on fire/);
    assert.equal(error.mayBeBilled, true);
    assert.equal(server.polls('v'), 2);
    assert.equal(error.actions[0], 'runAgain');
    assert(!error.actions.includes('downloadAgain'));
    const { jobId = '' } = error;
    assert.equal(job.jobs.get(jobId)?.state, 'failed');
    assert.equal(job.jobs.get(jobId)?.hasAnswer, false);
    await assert.rejects(job.runner.downloadAgain(jobId, quiet), { message: 'This job has no unsaved results.' });
    // The next window shows the same, and the service's words are still available.
    await using later = runnerAt(server);
    assert.deepEqual(await later.recover(), []);
    assert.equal(later.jobs.get(jobId)?.hasAnswer, false);
    const [raw] = await later.runner.withRawFiles(jobId, async (files) => files);
    assert.match(await readFile(raw?.path ?? '', 'utf8'), /the GPU is on fire/);
    await later.runner.dismiss(jobId);
    assert.deepEqual(await jobsIn(journal), []);
  });

  it('ends as unknown when the state does not change for too long, and can be polled again', async () => {
    const queued = { id: 'v', status: 'queued', progress: 0 };
    const states = Array.from({ length: 12 }, () => queued);
    await using server = await service(queued, ...states, { id: 'v', status: 'done', video });
    await using job = runnerAt(server, videoStatusPath, { timeoutSeconds: 60 });
    const error = await failureOf(job.runner.run(videoJob(root), quiet));
    assert.equal(error.kind, 'timeout');
    assert.match(error.message, /same state for 1 min.*checking again later is free/);
    assert.equal(error.actions[0], 'askAgain');
    const { jobId = '' } = error;
    assert.equal(job.jobs.get(jobId)?.state, 'unknown');
    // Pauses of 2, 3, 4.5, 6.75, 10.1, 15.2 and 22.8 s: the first poll reports the state, the others repeat it.
    assert.equal(server.polls('v'), 7);
    await using later = runnerAt(server);
    assert.deepEqual(await later.recover(), []);
    assert.equal(later.jobs.get(jobId)?.state, 'unknown');
    await later.runner.downloadAgain(jobId, quiet);
    assert.deepEqual(await saved(), mp4Bytes);
    assert.equal(server.paid(), 1);
  });

  it('downloads a finished video whose progress is never updated', async () => {
    await using server = await service({ id: 'v', status: 'queued' }, { id: 'v', status: 'success', progress: 0 });
    await using job = runnerAt(server, videoStatusPath, { timeoutSeconds: 60 });
    await job.runner.run(videoJob(root), quiet);
    assert.deepEqual(await saved(), mp4Bytes);
  });

  const page = '<html><title>Billing portal</title></html>';

  it('ignores answers that a gateway sends in place of the service', async () => {
    const unclear = [
      [page, '', '{"cut', { error: { code: 429, message: 'slow down' } }, { error: { code: 504 } }],
      [{ error: { code: 503 } }, { code: 500, message: 'system busy' }, { success: false }, { code: 403 }],
    ];
    const running = { id: 'v', status: 'running' };
    const states = unclear.flatMap((answers) => [...answers, running]);
    await using server = await service({ id: 'v' }, ...states, { id: 'v', status: 'done', video });
    await using job = runnerAt(server);
    await job.runner.run(videoJob(root), quiet);
    assert.deepEqual(await saved(), mp4Bytes);
    assert.equal(server.polls('v'), states.length + 1);
  });

  it('outlives the page of a gateway that refuses a poll', async () => {
    await using server = await service({ id: 'v' }, { page }, { id: 'v', status: 'done', video });
    await using job = runnerAt(server);
    await job.runner.run(videoJob(root), quiet);
    assert.deepEqual([await saved(), server.polls('v'), server.paid()], [mp4Bytes, 2, 1]);
  });

  it('takes the next address of an item when the first is that of a page', async () => {
    await using server = await service({ id: 'v' }, { id: 'v', status: 'done', url: '/watch', video_url: '/file.mp4' });
    await using job = runnerAt(server);
    await job.runner.run(videoJob(root), quiet);
    assert.deepEqual([await saved(), server.paid(), job.jobs.all[0]?.state], [mp4Bytes, 1, 'done']);
  });

  it('keeps an answer that says done and names no result, with what it links to, before it looks anywhere else', async () => {
    await using server = await startHttpServer((request, response) => {
      if (request.method === 'POST') return response.end('{"id":"v"}');
      if (request.url === '/v1/videos/v')
        return response.end(`{"id":"v","status":"done","x":"see ${server.origin}/clip.bin "}`);
      return request.url === '/clip.bin' ? response.end(mp4Bytes) : response.writeHead(410).end();
    });
    await using job = runnerAt(server);
    const error = await failureOf(job.runner.run(videoJob(root), quiet));
    assert.equal(error.kind, 'unreadableAnswer');
    assert.match(error.message, /says that it is done, but its answer was not understood/);
    assert(error.actions.includes('saveRawAnswer'));
    const files = await job.runner.withRawFiles(error.jobId ?? '', (all) =>
      Promise.all(all.map(async ({ what, path }) => [what, await readFile(path)] as const)),
    );
    assert.deepEqual(
      files.map(([what]) => what),
      ['answer', 'linked'],
    );
    assert.match(String(files[0]?.[1]), /"status":"done"/);
    assert.deepEqual(files[1]?.[1], mp4Bytes);
  });

  it('takes the word of a service that is done with an error', async () => {
    await using server = await service({ id: 'v' }, { id: 'v', status: 'completed', error: 'out of memory' });
    await using job = runnerAt(server);
    await assert.rejects(job.runner.run(videoJob(root), quiet), /out of memory/);
    assert.equal(server.polls('v'), 1);
  });

  it('gives up when only such answers arrive, keeps the last one raw, and can be polled again', async () => {
    const pages = Array.from({ length: 9 }, () => page);
    await using server = await service({ id: 'v' }, ...pages, { id: 'v', status: 'done', video });
    await using job = runnerAt(server);
    const { jobId = '' } = await failureOf(job.runner.run(videoJob(root), quiet));
    const [raw] = await job.runner.withRawFiles(jobId, async (files) => files);
    assert.equal(await readFile(raw?.path ?? '', 'utf8'), page);
    await job.runner.downloadAgain(jobId, quiet);
    assert.deepEqual(await saved(), mp4Bytes);
    assert.equal(server.paid(), 1);
  });

  it('fetches a new URL when that of the finished video has expired', async () => {
    let addresses = 0;
    await using server = await startHttpServer((request, response) => {
      if (request.method === 'POST') return response.end('{"id":"v","status":"queued"}');
      if (request.url === '/2.mp4') return response.end(mp4Bytes);
      if (request.url?.endsWith('.mp4')) return response.writeHead(410).end();
      return response.end(JSON.stringify({ id: 'v', status: 'done', video: { url: `/${++addresses}.mp4` } }));
    });
    await using job = runnerAt(server);
    const { jobId = '' } = await failureOf(job.runner.run(videoJob(root), quiet));
    await using later = runnerAt(server);
    await later.recover();
    const [asset] = await later.runner.downloadAgain(jobId, quiet);
    assert.equal(asset?.videoId, 'v');
    assert.deepEqual(await saved(), mp4Bytes);
  });

  /** Asks for pictures again, while their folder cannot be written once the service was polled a second time. */
  async function downloadBlocked(
    { runner }: ReturnType<typeof runnerAt>,
    jobId: string,
    { requests }: { readonly requests: readonly IncomingMessage[] },
  ) {
    const folder = join(root, 'media/images');
    const away = join(root, 'away');
    const onProgress = ({ stage }: { readonly stage: string }) => {
      const isAgain = requests.filter(({ method, url }) => method === 'GET' && url === '/j').length > 1;
      if (stage !== 'saving' || !isAgain || existsSync(away)) return;
      renameSync(folder, away);
      writeFileSync(folder, '');
    };
    const failure = await failureOf(runner.downloadAgain(jobId, { ...quiet, onProgress }));
    await rm(folder);
    await rename(away, folder);
    return failure;
  }

  describe('whose pictures stand elsewhere when it is asked again', () => {
    const pictures = ['/1', '/2', '/3'];
    const bytesOf = (path: string) => Buffer.concat([pngBytes, Buffer.from(path)]);

    /** Each answer lists addresses; those that are not of pictures have expired. */
    async function gallery(...answers: readonly (readonly string[])[]) {
      let polls = 0;
      return startHttpServer((request, response) => {
        const { method, url = '' } = request;
        if (method === 'POST') return response.end('{"id":"j","status":"queued","status_url":"/j"}');
        if (pictures.includes(url)) return response.end(bytesOf(url));
        if (url !== '/j') return response.writeHead(410).end();
        const data = answers[Math.min(polls++, answers.length - 1)]?.map((path) => ({ url: path }));
        return response.end(JSON.stringify({ id: 'j', status: 'succeeded', data }));
      });
    }

    /** @returns the pictures in the folder, by their own addresses */
    async function savedPictures(): Promise<readonly string[]> {
      const folder = join(root, 'media/images');
      const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
      return files.map((bytes) => pictures.find((path) => bytes.equals(bytesOf(path))) ?? 'damaged').sort();
    }

    async function fail(job: ReturnType<typeof runnerAt>, n: number) {
      const { jobId = '' } = await failureOf(job.runner.run(imageJob(root, n), quiet));
      return jobId;
    }

    it('saves each of them once, whatever their order', async () => {
      await using server = await gallery(['/1', '/gone'], ['/2', '/1']);
      await using job = runnerAt(server);
      const jobId = await fail(job, 2);
      const assets = await job.runner.downloadAgain(jobId, quiet);
      assert.deepEqual([assets.length, await savedPictures()], [2, ['/1', '/2']]);
      assert.equal(job.jobs.get(jobId)?.state, 'done');
      assert.deepEqual(await jobsIn(journal), []);
    });

    it('stays failed, with its answer, while the service names fewer than before', async () => {
      await using server = await gallery(['/1', '/gone', '/gone'], ['/2'], ['/3', '/1']);
      await using job = runnerAt(server);
      const jobId = await fail(job, 3);
      const { kind, message } = await failureOf(job.runner.downloadAgain(jobId, quiet));
      assert.deepEqual([kind, await savedPictures()], ['download', ['/1', '/2']]);
      assert.match(message, /2 of 3/);
      assert.deepEqual([job.jobs.get(jobId)?.state, job.jobs.get(jobId)?.hasAnswer], ['failed', true]);
      await using later = runnerAt(server);
      await later.recover();
      await later.runner.downloadAgain(jobId, quiet);
      assert.deepEqual(await savedPictures(), ['/1', '/2', '/3']);
    });

    it('takes two equal pictures for two', async () => {
      await using server = await gallery(['/1', '/gone'], ['/1', '/1']);
      await using job = runnerAt(server);
      assert.equal((await job.runner.downloadAgain(await fail(job, 2), quiet)).length, 2);
      assert.deepEqual(await savedPictures(), ['/1', '/1']);
    });

    it('is done when each is saved, although a saved one has expired', async () => {
      await using server = await gallery(['/1', '/gone', '/3'], ['/gone', '/1', '/2']);
      await using job = runnerAt(server);
      const jobId = await fail(job, 3);
      assert.equal((await job.runner.downloadAgain(jobId, quiet)).length, 3);
      assert.deepEqual([job.jobs.get(jobId)?.state, await savedPictures()], ['done', pictures]);
    });

    it('keeps the missing one, not a saved one, while the folder cannot be written', async () => {
      await using server = await gallery(['/1', '/gone'], ['/2', '/1']);
      await using job = runnerAt(server);
      const jobId = await fail(job, 2);
      assert.equal((await downloadBlocked(job, jobId, server)).kind, 'save');
      await job.runner.downloadAgain(jobId, quiet);
      assert.deepEqual(await savedPictures(), ['/1', '/2']);
    });
  });

  describe('some of whose pictures are saved when it is asked again', () => {
    const images = () => join(root, 'media/images');
    const isPicture = ({ url = '' }: IncomingMessage) => url.startsWith('/picture');

    /** Names the same pictures in each answer. `serve` returns what stands at an address, or a status code. */
    async function gallery(count: number, serve: (path: string) => string | number) {
      return startHttpServer((request, response) => {
        const { method, url = '' } = request;
        if (method === 'POST') return response.end('{"id":"j","status":"queued","status_url":"/j"}');
        const data = Array.from({ length: count }, (_, index) => ({ url: `/picture${index}` }));
        if (!isPicture(request)) return response.end(JSON.stringify({ id: 'j', status: 'succeeded', data }));
        const served = serve(url);
        if (typeof served === 'number') return response.writeHead(served).end();
        return response.end(Buffer.concat([pngBytes, Buffer.from(served)]));
      });
    }

    /** Runs a job one of whose four pictures is late, and asks for it again, until it is there. */
    async function fetchLate(serve: (path: string) => string | number) {
      let isThere = false;
      await using server = await gallery(4, (path) => (path === '/picture2' && !isThere ? 410 : serve(path)));
      await using job = runnerAt(server);
      const { jobId = '' } = await failureOf(job.runner.run(imageJob(root, 4), quiet));
      await failureOf(job.runner.downloadAgain(jobId, quiet));
      await failureOf(job.runner.downloadAgain(jobId, quiet));
      isThere = true;
      await job.runner.downloadAgain(jobId, quiet);
      assert.equal(job.jobs.get(jobId)?.state, 'done');
      return server.requests.filter((request) => isPicture(request) && request.url !== '/picture2').length;
    }

    it('requests only the missing one, since an address may work once', async () => {
      const used = new Set<string>();
      const requests = await fetchLate((path) => (used.has(path) ? 410 : used.add(path) && path));
      assert.deepEqual([requests, (await readdir(images())).length], [3, 4]);
    });

    it('saves each once, although the content differs at each download', async () => {
      let downloads = 0;
      assert.equal(await fetchLate((path) => `${path} ${downloads++}`), 3);
      assert.equal((await readdir(images())).length, 4);
    });

    it('downloads once what is kept because the folder cannot be written', async () => {
      let downloads = 0;
      // The addresses in the first answer have expired when it is asked again.
      await using server = await gallery(2, (path) => (downloads++ < 4 ? 410 : path));
      await using job = runnerAt(server);
      const { jobId = '' } = await failureOf(job.runner.run(imageJob(root, 2), quiet));
      let before: number | undefined;
      const answered = () => server.requests.filter(isPicture).length;
      for (const _ of [1, 2]) {
        assert.equal((await downloadBlocked(job, jobId, server)).kind, 'save');
        before ??= answered();
      }
      assert.equal((await job.runner.downloadAgain(jobId, quiet)).length, 2);
      assert.equal(job.jobs.get(jobId)?.state, 'done');
      assert.equal((await readdir(images())).length, 2);
      assert.equal(answered(), before);
    });
  });

  it('treats alternating states as no change', async () => {
    const states = Array.from({ length: 40 }, (_, index) => ({
      id: 'v',
      status: index % 2 ? 'queued' : 'running',
      progress: index % 2,
    }));
    await using server = await service({ id: 'v' }, ...states);
    await using job = runnerAt(server, videoStatusPath, { timeoutSeconds: 60 });
    assert.equal((await failureOf(job.runner.run(videoJob(root), quiet))).kind, 'timeout');
    // Both states are known after 5 s; another 60 s pass before all 40 answers were sent.
    assert.equal(server.polls('v'), 8);
  });

  it('continues while the progress changes', async () => {
    const states = Array.from({ length: 30 }, (_, index) => ({ id: 'v', status: 'running', progress: index + 2 }));
    await using server = await service({ id: 'v' }, ...states, { id: 'v', status: 'done', video });
    await using job = runnerAt(server, videoStatusPath, { timeoutSeconds: 60 });
    await job.runner.run(videoJob(root), quiet);
    assert.equal(server.polls('v'), 31);
  });

  it('continues while the status word changes, even without progress', async () => {
    const states = Array.from({ length: 30 }, (_, index) => ({ id: 'v', status: `step ${index}` }));
    await using server = await service({ id: 'v' }, ...states, { id: 'v', status: 'done', video });
    await using job = runnerAt(server, videoStatusPath, { timeoutSeconds: 60 });
    await job.runner.run(videoJob(root), quiet);
    assert.equal(server.polls('v'), 31);
  });

  it('continues despite repeated errors as long as states arrive in between', async () => {
    const states = Array.from({ length: 3 }, (_, index) => [
      ...Array.from({ length: 8 }, () => 503),
      { id: 'v', status: 'running', progress: index + 2 },
    ]);
    await using server = await service({ id: 'v' }, ...states.flat(), { id: 'v', status: 'done', video });
    await using job = runnerAt(server);
    await job.runner.run(videoJob(root), quiet);
    assert.deepEqual(await saved(), mp4Bytes);
    assert.equal(server.polls('v'), 28);
  });

  it('does not poll a finished job again when only its download failed', async () => {
    let isForgotten = false;
    await using server = await startHttpServer((request, response) => {
      if (request.method === 'POST') return response.end('{"id":"v","status":"queued"}');
      if (request.url === '/file.mp4')
        return response.writeHead(isForgotten ? 200 : 410).end(isForgotten ? mp4Bytes : '');
      if (isForgotten) return response.writeHead(410).end();
      return response.end(JSON.stringify({ id: 'v', status: 'done', video }));
    });
    await using job = jobRunnerAt(server.origin, { root, journal, videoStatusPath });
    const { jobId = '' } = await failureOf(job.runner.run(videoJob(root), quiet));
    // The service keeps the state of a job for a short time only.
    isForgotten = true;
    const [asset] = await job.runner.downloadAgain(jobId, quiet);
    assert.equal(asset?.videoId, 'v');
    assert.deepEqual(await saved(), mp4Bytes);
  });

  it('keeps the address of the result when the service forgets the job while the download fails', async () => {
    let isFinished = false;
    let isThere = false;
    await using server = await startHttpServer((request, response) => {
      if (request.method === 'POST') return response.end('{"id":"v","status":"queued"}');
      if (request.url === '/file.mp4') return response.writeHead(isThere ? 200 : 503).end(isThere ? mp4Bytes : '');
      const state = isFinished ? { id: 'v', status: 'expired' } : { id: 'v', status: 'done', video };
      isFinished = true;
      return response.end(JSON.stringify(state));
    });
    await using job = runnerAt(server);
    const { jobId = '' } = await failureOf(job.runner.run(videoJob(root), quiet));
    const error = await failureOf(job.runner.downloadAgain(jobId, quiet));
    assert.equal(error.kind, 'download');
    assert.equal(error.actions[0], 'downloadAgain');
    isThere = true;
    await using later = runnerAt(server);
    await later.recover();
    await later.runner.downloadAgain(jobId, quiet);
    assert.deepEqual(await saved(), mp4Bytes);
  });

  it('treats an empty 202 as no news', async () => {
    const nothing = Array.from({ length: 20 }, () => 202);
    await using server = await service({ id: 'v' }, ...nothing, { id: 'v', status: 'done', video });
    await using job = runnerAt(server);
    await job.runner.run(videoJob(root), quiet);
    assert.deepEqual(await saved(), mp4Bytes);
    assert.equal(server.polls('v'), 21);
  });

  for (const [title, isCut, expected] of [
    ['leaves no large unchanged state on disk', false, [0, 0, 0, 0]],
    ['leaves at most one truncated large state on disk', true, [0, 1, 1, 1]],
  ] as const) {
    for (const status of [200, 204, 304]) {
      it(`treats an empty ${status} as no news`, async () => {
        const answers = Array.from({ length: 12 }, () => status);
        await using server = await service({ id: 'v' }, ...answers, { id: 'v', status: 'done', video });
        await using job = runnerAt(server);
        await job.runner.run(videoJob(root), quiet);
        assert.deepEqual(await saved(), mp4Bytes);
        assert.equal(server.polls('v'), 13);
      });
    }

    /** Refuses polls that way until the ninth answer. */
    async function refusing(status: number, body: object | string) {
      let polls = 0;
      return startHttpServer((request, response) => {
        if (request.method === 'POST') return request.resume().on('end', () => response.end('{"id":"v"}'));
        if (request.url === url) return response.end(mp4Bytes);
        if (++polls < 9) return response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
        return response.end(JSON.stringify({ id: 'v', status: 'done', video }));
      });
    }

    for (const [status, body] of [
      [400, { error: { code: 400, message: 'The task is not ready.' } }],
      [400, 'still processing'],
      [409, { error: { message: 'still processing' } }],
      [400, { error: { message: 'The job waits for the safety check.' } }],
      [409, { status: 'error', message: 'still running' }],
      [409, { status: 'ok', message: 'still running' }],
      [409, { error: { message: 'The result is still in moderation.' } }],
      [423, ''],
      [423, { status: 'fail' }],
      [425, { status: 'failed' }],
    ] as const) {
      it(`continues while the service answers ${status}: ${JSON.stringify(body)}`, async () => {
        await using server = await refusing(status, body);
        await using job = runnerAt(server);
        await job.runner.run(videoJob(root), quiet);
        assert.deepEqual(await saved(), mp4Bytes);
      });
    }

    for (const status of [409, 423, 425]) {
      it(`continues for as long as a state may stay the same while the service answers ${status}`, async () => {
        const answers = Array.from({ length: 12 }, () => status);
        await using server = await service({ id: 'v' }, ...answers, { id: 'v', status: 'done', video });
        await using job = runnerAt(server);
        await job.runner.run(videoJob(root), quiet);
        assert.deepEqual(await saved(), mp4Bytes);
        await using stuck = await service({ id: 'v' }, status);
        await using later = runnerAt(stuck, videoStatusPath, { timeoutSeconds: 60 });
        const { kind, hasAnswer } = await failureOf(later.runner.run(videoJob(root), quiet));
        assert.deepEqual([kind, hasAnswer], ['timeout', true]);
      });
    }

    it('takes the word of a service that answers 400 because the job failed, but keeps the way to it', async () => {
      await using server = await refusing(400, { status: 'failed', error: { message: 'the GPU is on fire' } });
      await using job = runnerAt(server);
      const error = await failureOf(job.runner.run(videoJob(root), quiet));
      assert.match(error.message, /the GPU is on fire/);
      assert.deepEqual([server.requests.length, error.hasAnswer], [2, true]);
    });

    for (const status of [301, 302, 303, 307, 308]) {
      it(`downloads without the key from another host that a ${status} leads to`, async () => {
        await using other = await startHttpServer((_, response) => response.end(mp4Bytes));
        await using server = await startHttpServer((request, response) => {
          if (request.method === 'POST') return request.resume().on('end', () => response.end('{"id":"v"}'));
          return response.writeHead(status, { location: `${other.origin}/a.mp4` }).end();
        });
        await using job = runnerAt(server);
        const [asset] = await job.runner.run(videoJob(root), quiet);
        assert.equal(asset?.videoId, 'v');
        assert.deepEqual(await saved(), mp4Bytes);
        assert.deepEqual(
          other.requests.map(({ headers }) => headers.authorization),
          [undefined],
        );
      });
    }

    it('takes no picture that a redirect leads to for the result of an image job', async () => {
      const placeholder = Buffer.concat([pngBytes, Buffer.from('not yet')]);
      await using other = await startHttpServer((_, response) => response.end(placeholder));
      let polls = 0;
      await using server = await startHttpServer((request, response) => {
        const created = '{"id":"i","status_url":"/jobs/i"}';
        if (request.method === 'POST') return request.resume().on('end', () => response.end(created));
        if (++polls < 3) return response.writeHead(302, { location: `${other.origin}/processing.png` }).end();
        return response.end(JSON.stringify({ status: 'done', data: [{ b64_json: pngBytes.toString('base64') }] }));
      });
      await using job = runnerAt(server);
      const [asset] = await job.runner.run(imageJob(root), quiet);
      assert.equal(asset?.bytes, pngBytes.length);
      assert.equal(other.requests.length, 0);
    });

    it('asks again when a redirect led to a page in place of the result', async () => {
      let isBack = false;
      await using other = await startHttpServer((_, response) => response.end('<!doctype html><html></html>'));
      await using server = await startHttpServer((request, response) => {
        if (request.method === 'POST') return request.resume().on('end', () => response.end('{"id":"v"}'));
        if (request.url === url) return response.end(mp4Bytes);
        if (isBack) return response.end(JSON.stringify({ id: 'v', status: 'done', video }));
        return response.writeHead(302, { location: `${other.origin}/login` }).end();
      });
      await using job = runnerAt(server);
      const { jobId = '', kind } = await failureOf(job.runner.run(videoJob(root), quiet));
      assert.equal(kind, 'download');
      isBack = true;
      await job.runner.downloadAgain(jobId, quiet);
      assert.deepEqual(await saved(), mp4Bytes);
    });

    it(title, async () => {
      const files: number[] = [];
      await using server = await startHttpServer(async (request, response) => {
        if (request.method === 'POST') return response.end('{"id":"v","status":"queued"}');
        if (request.url === '/file.mp4') return response.end(mp4Bytes);
        const [folder = ''] = await jobsIn(journal);
        files.push((await readdir(folder)).filter((name) => name.startsWith('status-')).length);
        if (files.length === 4) return response.end(JSON.stringify({ id: 'v', status: 'done', video }));
        const state = JSON.stringify({ id: 'v', status: 'running' }) + ' '.repeat(5 * 2 ** 20);
        if (!isCut) return response.end(state);
        response.writeHead(200, { 'content-length': state.length + 1 });
        return response.write(state, () => setImmediate(() => response.socket?.destroy()));
      });
      await using job = runnerAt(server);
      await job.runner.run(videoJob(root), quiet);
      assert.deepEqual(files, expected);
    });
  }

  it('records the parent of a remixed video', async () => {
    await using server = await service({ id: 'v' }, { id: 'v', status: 'done', video });
    await using job = runnerAt(server);
    const request = { model: 'm', video_id: 'parent', prompt: 'a fox', output_format: 'url' } as const;
    const [asset] = await job.runner.run({ ...videoJob(root), operation: 'remixVideo', request }, quiet);
    assert.equal(asset?.videoId, 'v');
    assert.equal(asset?.parentVideoId, 'parent');
    const record: unknown = JSON.parse(await readFile(join(root, '.unified-media/library.jsonl'), 'utf8'));
    assert.equal((record as { parentVideoId: unknown }).parentVideoId, 'parent');
  });

  /** Responds to the request, and resets every poll for which it is not online. */
  function flaky(isOnline: (poll: number) => boolean) {
    let polls = 0;
    return startHttpServer((request, response) => {
      if (request.method === 'POST') return response.end('{"id":"v","status":"queued"}');
      if (request.url === '/file.mp4') return response.end(mp4Bytes);
      if (!isOnline(++polls)) return void request.socket.resetAndDestroy();
      return response.end(JSON.stringify({ id: 'v', status: 'running', progress: polls }));
    });
  }

  it('gives up once the machine was offline for as long as a state may stay the same', async () => {
    const pauses: number[] = [];
    await using server = await flaky(() => false);
    const onSleep = (milliseconds: number) => void pauses.push(milliseconds / 1000);
    await using job = jobRunnerAt(server.origin, { root, journal, videoStatusPath, timeoutSeconds: 60, onSleep });
    const error = await failureOf(job.runner.run(videoJob(root), quiet));
    assert.equal(error.kind, 'network');
    assert.equal(error.actions[0], 'downloadAgain');
    const offline = pauses.reduce((sum, seconds) => sum + seconds, 0);
    assert(offline >= 60 && offline < 90, `${offline} s`);
  });

  it('counts only the time offline since the last state', async () => {
    const abort = new AbortController();
    // Offline for 60 s in total, but never for 60 s in a row.
    await using server = await flaky((poll) => {
      if (poll === 40) abort.abort();
      return poll % 2 === 0;
    });
    await using job = jobRunnerAt(server.origin, { root, journal, videoStatusPath, timeoutSeconds: 60 });
    const error = await failureOf(job.runner.run(videoJob(root), { ...quiet, signal: abort.signal }));
    assert.equal(error.kind, 'cancelled');
  });

  it('continues while the machine is offline for minutes within the limit', async () => {
    let isOnline = true;
    const pauses: number[] = [];
    await using server = await startHttpServer((request, response) => {
      if (request.method === 'POST') {
        isOnline = false;
        return response.end('{"id":"v","status":"queued"}');
      }
      if (!isOnline) return void request.socket.resetAndDestroy();
      return response.end(request.url === '/file.mp4' ? mp4Bytes : JSON.stringify({ id: 'v', status: 'done', video }));
    });
    await using job = jobRunnerAt(server.origin, {
      root,
      journal,
      videoStatusPath,
      timeoutSeconds: 1800,
      onSleep: (milliseconds) => {
        pauses.push(milliseconds / 1000);
        if (pauses.length === 20) isOnline = true;
      },
    });
    await job.runner.run(videoJob(root), quiet);
    assert.deepEqual(await saved(), mp4Bytes);
    const offline = pauses.reduce((sum, seconds) => sum + seconds, 0);
    assert(offline > 300, `only ${offline} s`);
    assert.deepEqual(pauses.slice(0, 4), [2, 3, 4.5, 6.75]);
    assert.equal(Math.max(...pauses), 30);
  });

  it("waits for the service's Retry-After", async () => {
    const pauses: number[] = [];
    await using server = await startHttpServer((request, response) => {
      if (request.method === 'POST') return response.end('{"id":"v","status":"queued"}');
      if (request.url === '/file.mp4') return response.end(mp4Bytes);
      if (pauses.length === 1) return response.writeHead(429, { 'retry-after': '45' }).end();
      return response.end(JSON.stringify({ id: 'v', status: 'done', video }));
    });
    const onSleep = (milliseconds: number) => void pauses.push(milliseconds / 1000);
    await using job = jobRunnerAt(server.origin, { root, journal, videoStatusPath, onSleep });
    await job.runner.run(videoJob(root), quiet);
    assert.deepEqual(pauses, [2, 45]);
  });

  for (const [status, body] of [
    [503, ''],
    [200, '{"id":"v","status":"running"}'],
    [202, ''],
  ] as const) {
    it(`waits as long as Retry-After of a ${status} says, but at most five minutes`, async () => {
      const pauses: number[] = [];
      const asked = ['120', '86400', '1'];
      await using server = await startHttpServer((request, response) => {
        if (request.method === 'POST') return response.end('{"id":"v","status":"queued"}');
        if (request.url === '/file.mp4') return response.end(mp4Bytes);
        const wait = asked.shift();
        if (wait !== undefined) return response.writeHead(status, { 'retry-after': wait }).end(body);
        return response.end(JSON.stringify({ id: 'v', status: 'done', video }));
      });
      const onSleep = (milliseconds: number) => void pauses.push(milliseconds / 1000);
      await using job = jobRunnerAt(server.origin, { root, journal, videoStatusPath, onSleep });
      await job.runner.run(videoJob(root), quiet);
      assert.deepEqual(pauses, [2, 120, 300, 30]);
    });
  }

  it('lets other jobs run meanwhile', async () => {
    let isImageDone = false;
    await using server = await startHttpServer((request, response) => {
      if (request.url?.includes('images')) return response.end(`{"data":[{"url":"${url}.png"}]}`);
      if (request.method === 'POST') return response.end('{"id":"v","status":"queued"}');
      if (request.url === `${url}.png`) return response.end(pngBytes);
      if (request.url === url) return response.end(mp4Bytes);
      return response.end(JSON.stringify({ id: 'v', status: isImageDone ? 'done' : 'queued', video }));
    });
    await using job = runnerAt(server, videoStatusPath, { maxConcurrentJobs: 1, timeoutSeconds: Infinity });
    const polled = server.next().then(() => server.next());
    const polling = job.runner.run(videoJob(root), quiet);
    await polled;
    await job.runner.run(imageJob(root), quiet);
    isImageDone = true;
    await polling;
  });

  it('can be cancelled, and the video downloaded later', async () => {
    await using server = await service(
      { id: 'v' },
      ...Array.from({ length: 3 }, () => ({ id: 'v', status: 'queued' })),
      {
        id: 'v',
        status: 'done',
        video,
      },
    );
    await using job = runnerAt(server);
    const abort = new AbortController();
    const error = await failureOf(
      job.runner.run(videoJob(root), {
        ...quiet,
        signal: abort.signal,
        onProgress: () => server.polls('v') === 2 && abort.abort(),
      }),
    );
    assert.equal(error.kind, 'cancelled');
    assert.match(error.message, /you can still download the result\. The service may still bill this request\.$/);
    assert.equal(server.polls('v'), 2);
    await job.runner.downloadAgain(error.jobId ?? '', quiet);
    assert.deepEqual(await saved(), mp4Bytes);
    assert.equal(server.paid(), 1);
  });

  it('continues after a restart', async () => {
    await using server = await service({ id: 'v' }, { id: 'v', status: 'queued' }, { id: 'v', status: 'done', video });
    const asked = server.next().then(() => server.next());
    const child = spawnJob({ host: server.origin, root, journal, kind: 'video', videoStatusPath });
    await asked;
    await kill(child);
    await using next = runnerAt(server);
    const [job] = await next.recover();
    assert.equal(job?.state, 'done', job?.error?.message);
    assert.deepEqual(await readdir(join(root, 'media/videos')), ['a-fox.mp4']);
    assert.equal(Object.values(job.assets)[0]?.videoId, 'v');
    assert.equal(server.paid(), 1);
  });

  it('names the missing setting, keeps the id, and fetches the video once the setting is there', async () => {
    await using server = await service({ id: 'v1', status: 'queued' }, { id: 'v1', status: 'done', video });
    await using before = runnerAt(server, '');
    const error = await failureOf(before.runner.run(videoJob(root), quiet));
    assert.equal(error.kind, 'noMedia');
    assert.match(error.message, /as job v1, .*"unifiedMedia\.videoStatusPath" to .*\(such as \/v1\/videos\/\{id\}\)/);
    assert.equal(error.actions[0], 'downloadAgain');
    assert.equal(server.requests.length, 1);

    await using after = runnerAt(server);
    assert.deepEqual(await after.recover(), []);
    const [asset] = await after.runner.downloadAgain(error.jobId ?? '', quiet);
    assert.equal(asset?.videoId, 'v1');
    assert.deepEqual(await saved(), mp4Bytes);
    assert.deepEqual(await jobsIn(journal), []);
    assert.equal(server.paid(), 1);
  });

  for (const [status, body] of [
    [202, ''],
    [201, '{}'],
    [202, 'Accepted'],
    [202, '[]'],
    [201, '{"id":"v-77","status":"queued"}'],
  ] as const) {
    it(`polls the address in the Location of a ${status} with the body “${body}”`, async () => {
      await using server = await startHttpServer((request, response) => {
        if (request.method === 'POST') return response.writeHead(status, { location: '../jobs/v-77' }).end(body);
        if (request.url === '/file.mp4') return response.end(mp4Bytes);
        return response.end(JSON.stringify({ status: 'done', video }));
      });
      await using job = runnerAt(server, '');
      const [asset] = await job.runner.run(videoJob(root), quiet);
      assert.equal(asset?.videoId, 'v-77');
      assert.equal(server.requests[1]?.url, '/v1/jobs/v-77');
      assert.deepEqual(await saved(), mp4Bytes);
    });
  }

  it('does not poll a Location on another host', async () => {
    await using other = await startHttpServer();
    await using server = await startHttpServer((_, response) => {
      return response.writeHead(202, { location: `${other.origin}/v1/jobs/v-77` }).end();
    });
    await using job = runnerAt(server, '');
    assert.equal((await failureOf(job.runner.run(videoJob(root), quiet))).kind, 'noMedia');
    assert.equal(other.requests.length, 0);
  });

  for (const first of [{ task_id: 'i1' }, { data: [{ task_id: 'i1' }] }]) {
    it(`fetches images of ${JSON.stringify(first)} once the setting is there, which it names`, async () => {
      await using server = await startHttpServer(({ method, url: path }, response) => {
        if (path === '/file.png') return response.end(pngBytes);
        return response.end(
          JSON.stringify(method === 'POST' ? first : { status: 'done', data: [{ url: '/file.png' }] }),
        );
      });
      await using before = runnerAt(server);
      const error = await failureOf(before.runner.run(imageJob(root), quiet));
      assert.equal(error.kind, 'noMedia');
      assert.match(error.message, /as job i1, .*"unifiedMedia\.imageStatusPath" to .*\(such as \/v1\/images\/\{id\}\)/);
      assert.equal(server.requests.length, 1);

      await using after = jobRunnerAt(server.origin, { root, journal, imageStatusPath: '/v1/tasks/{id}' });
      assert.deepEqual(await after.recover(), []);
      const [asset] = await after.runner.downloadAgain(error.jobId ?? '', quiet);
      assert.equal(asset?.mediaType, 'image/png');
      assert.deepEqual(
        server.requests.map(({ method, url: path }) => `${method} ${path}`),
        ['POST /v1/images/generations', 'GET /v1/tasks/i1', 'GET /file.png'],
      );
    });
  }
});
