import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt, videoJob } from '../../support/jobRunner.ts';
import { mp4Bytes } from '../../support/mediaBytes.ts';

const quiet = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };
const videoStatusPath = '/v1/videos/{id}';

/** A status answer: JSON, or a status code with nothing. */
type Told = object | number;

describe('a video that is a job of the service', () => {
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

  /** Answers a request with `created`, and each question for its state with the next of `told`; the last stays. */
  async function service(created: object, ...told: readonly Told[]) {
    const rest = [...told];
    const server = await startHttpServer((request, response) => {
      if (request.method === 'POST') return request.resume().on('end', () => response.end(JSON.stringify(created)));
      if (request.url === '/file.mp4' || request.url?.endsWith('/content')) return response.end(mp4Bytes);
      const next = rest.length > 1 ? rest.shift() : rest[0];
      if (typeof next === 'number') return response.writeHead(next).end();
      return response.end(JSON.stringify(next));
    });
    const asked = (match: (request: IncomingMessage) => boolean) => server.requests.filter(match).length;
    return Object.assign(server, {
      paid: () => asked(({ method }) => method === 'POST'),
      polls: (id: string) => asked(({ method, url }) => method === 'GET' && url === `/v1/videos/${id}`),
    });
  }

  function runnerAt({ origin }: { readonly origin: string }, path: string = videoStatusPath) {
    return jobRunnerAt(origin, { root, journal, videoStatusPath: path });
  }

  const saved = () => readFile(join(root, 'media/videos/a-fox.mp4'));

  const url = '/file.mp4';
  const video = { url };
  const shapes: readonly (readonly [string, string, object, ...Told[]])[] = [
    [
      'OpenAI, whose bytes are at …/content',
      'video_123',
      { id: 'video_123', object: 'video', status: 'queued', progress: 0, error: null },
      { id: 'video_123', status: 'in_progress', progress: 40 },
      { id: 'video_123', status: 'completed', progress: 100, error: null },
    ],
    [
      'xAI, which answers 202 with nothing, and does not repeat the id',
      'a3d1',
      { request_id: 'a3d1' },
      202,
      { status: 'pending', progress: 0 },
      { status: 'done', video: { url, duration: 5, respect_moderation: true }, usage: { cost_in_usd_ticks: 25 } },
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
  for (const [name, id, created, ...told] of shapes) {
    it(`is asked about until it is done: ${name}`, async () => {
      await using server = await service(created, ...told);
      await using job = runnerAt(server);
      const [asset] = await job.runner.run(videoJob(root), quiet);
      assert.deepEqual(await saved(), mp4Bytes);
      assert.equal(asset?.videoId, id);
      assert.equal(server.polls(id), told.length);
      assert.equal(server.paid(), 1);
      for (const { headers } of server.requests) assert.equal(headers.authorization, 'key-1');
    });
  }

  it('tells how far it is', async () => {
    const told = [0.25, 40].map((progress) => ({ id: 'v', status: 'in_progress', progress }));
    await using server = await service({ id: 'v', status: 'queued' }, ...told, { id: 'v', status: 'done', video });
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

  it('goes on when it cannot be asked for a while', async () => {
    const passing = [404, 500, 503, 429, 502];
    await using server = await service({ id: 'v' }, ...passing, { id: 'v', status: 'done', video });
    await using job = runnerAt(server);
    await job.runner.run(videoJob(root), quiet);
    assert.deepEqual(await saved(), mp4Bytes);
    assert.equal(server.polls('v'), passing.length + 1);
  });

  it('gives up asking after nine failures in a row, and can be asked again for nothing', async () => {
    const failures = Array.from({ length: 9 }, () => 503);
    await using server = await service({ id: 'v' }, ...failures, { id: 'v', status: 'done', video });
    await using job = runnerAt(server);
    const error = await failureOf(job.runner.run(videoJob(root), quiet));
    assert.equal(error.status, 503);
    assert.equal(error.actions[0], 'downloadAgain');
    await job.runner.downloadAgain(error.jobId ?? '', quiet);
    assert.deepEqual(await saved(), mp4Bytes);
    assert.equal(server.paid(), 1);
  });

  for (const status of [401, 403]) {
    it(`does not ask on after ${status}`, async () => {
      await using server = await service({ id: 'v' }, status);
      await using job = runnerAt(server);
      assert.equal((await failureOf(job.runner.run(videoJob(root), quiet))).status, status);
      assert.equal(server.polls('v'), 1);
    });
  }

  it('says why it failed, in the words of the service', async () => {
    const failed = { id: 'v', status: 'failed', error: { code: 'x', message: 'the GPU is on fire' } };
    await using server = await service({ id: 'v' }, { id: 'v', status: 'queued' }, failed);
    await using job = runnerAt(server);
    const error = await failureOf(job.runner.run(videoJob(root), quiet));
    assert.match(error.message, /the GPU is on fire/);
    assert.equal(error.mayBeBilled, true);
    assert.equal(server.polls('v'), 2);
  });

  it('can be cancelled while it is waited for, and fetched later all the same', async () => {
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
    assert.match(error.message, /may bill it; what it made can still be downloaded/);
    assert.equal(server.polls('v'), 2);
    await job.runner.downloadAgain(error.jobId ?? '', quiet);
    assert.deepEqual(await saved(), mp4Bytes);
    assert.equal(server.paid(), 1);
  });

  it('is asked about again after a restart', async () => {
    await using server = await service({ id: 'v' }, { id: 'v', status: 'queued' }, { id: 'v', status: 'done', video });
    const asked = server.next().then(() => server.next());
    const script = join(import.meta.dirname, '../../support/runJobInProcess.ts');
    const child = spawn(process.execPath, [script, server.origin, root, journal, 'video', videoStatusPath]);
    await asked;
    child.kill('SIGKILL');
    await once(child, 'exit');
    await using next = runnerAt(server);
    const [job] = await next.runner.recover(quiet.signal);
    assert.equal(job?.state, 'done', job?.error?.message);
    assert.deepEqual(await readdir(join(root, 'media/videos')), ['a-fox.mp4']);
    assert.equal(Object.values(job.assets)[0]?.videoId, 'v');
    assert.equal(server.paid(), 1);
  });

  it('without the setting says what to set, keeps the id, and is fetched once it is set', async () => {
    await using server = await service({ id: 'v1', status: 'queued' }, { id: 'v1', status: 'done', video });
    await using before = runnerAt(server, '');
    const error = await failureOf(before.runner.run(videoJob(root), quiet));
    assert.equal(error.kind, 'noMedia');
    assert.match(error.message, /as v1 .*"unifiedMedia\.videoStatusPath" \(such as \/v1\/videos\/\{id\}\)/);
    assert.equal(error.actions[0], 'downloadAgain');
    assert.equal(server.requests.length, 1);

    await using after = runnerAt(server);
    assert.deepEqual(await after.runner.recover(quiet.signal), []);
    const [asset] = await after.runner.downloadAgain(error.jobId ?? '', quiet);
    assert.equal(asset?.videoId, 'v1');
    assert.deepEqual(await saved(), mp4Bytes);
    assert.deepEqual(await readdir(journal), []);
    assert.equal(server.paid(), 1);
  });

  it('says of an image that is a job that it cannot be fetched', async () => {
    await using server = await service({ task_id: 'i1' });
    await using job = runnerAt(server);
    const error = await failureOf(job.runner.run(imageJob(root), quiet));
    assert.equal(error.kind, 'noMedia');
    assert.match(error.message, /as job i1, but named no address/);
    assert.equal(server.requests.length, 1);
  });
});
