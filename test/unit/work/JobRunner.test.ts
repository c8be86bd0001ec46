import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MediaError } from '../../../src/operations/MediaError.ts';
import type { JobProgress } from '../../../src/work/Job.ts';
import { inputAgain, type JobInput } from '../../../src/work/JobRunner.ts';
import { failureOf } from '../../support/failureOf.ts';
import { stopTime } from '../../support/fakeTime.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt, jobsIn } from '../../support/jobRunner.ts';
import { pngBytes, wavOf } from '../../support/mediaBytes.ts';

const quiet = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };

describe('JobRunner', () => {
  let root: string;
  let journal: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'jobs-workspace-'));
    journal = await mkdtemp(join(tmpdir(), 'jobs-journal-'));
  });

  afterEach(async () => {
    await rm(root, { recursive: true });
    await rm(journal, { recursive: true });
  });

  /** A service that responds with result URLs of its own, which `download` serves. */
  function service(count: number, download: RequestListener = (_, response) => response.end(pngBytes)) {
    return startHttpServer((request, response) => {
      if (request.method !== 'POST') return download(request, response);
      const data = Array.from({ length: count }, (_, index) => ({ url: `/result/${index}` }));
      request.resume().on('end', () => response.end(JSON.stringify({ data })));
    });
  }

  /** Answers 410 for the second result while `fails` returns true. */
  const failingSecond =
    (fails: () => boolean): RequestListener =>
    ({ url }, response) => {
      const isGone = url?.endsWith('1') && fails();
      response.writeHead(isGone ? 410 : 200).end(isGone ? '' : pngBytes);
    };

  const images = () => readdir(join(root, 'media/images'));

  /** Files of answers that the journal keeps. */
  async function answers(): Promise<readonly string[]> {
    const kept: string[] = [];
    for (const job of await jobsIn(journal)) {
      const names = (await readdir(job)).filter((name) => name.startsWith('answer-'));
      kept.push(...names.map((name) => join(job, name)));
    }
    return kept;
  }

  async function makeOld(job: string, days: number): Promise<void> {
    const file = join(job, 'journal.jsonl');
    const text = await readFile(file, 'utf8');
    const createdAt = new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
    await writeFile(file, text.replace(/"createdAt":"[^"]+"/, `"createdAt":"${createdAt}"`));
  }

  it('keeps nothing about a job once its results are saved', async () => {
    await using server = await service(2);
    await using job = jobRunnerAt(server.origin, { root, journal });
    const assets = await job.runner.run(imageJob(root, 2), quiet);
    assert.equal(assets.length, 2);
    assert.deepEqual(await jobsIn(journal), []);
  });

  it('records and shows the cost that the service reported', async () => {
    await using server = await startHttpServer((request, response) => {
      if (request.method !== 'POST') return response.end(pngBytes);
      const answer = {
        data: [{ url: '/result' }],
        cost: 0.004,
        usage: { total_tokens: 120, note: 'see https://a.example' },
      };
      return request.resume().on('end', () => response.end(JSON.stringify(answer)));
    });
    await using job = jobRunnerAt(server.origin, { root, journal });
    await job.runner.run(imageJob(root), quiet);
    const usage = { cost: 0.004, usage: { total_tokens: 120 } };
    assert.deepEqual(job.jobs.all[0]?.usage, usage);
    const record: unknown = JSON.parse(await readFile(join(root, '.unified-media/library.jsonl'), 'utf8'));
    assert.deepEqual((record as { usage: unknown }).usage, usage);
  });

  it('saves the result when the journal disappears after the request was sent', async () => {
    await using server = await startHttpServer((request, response) => {
      if (request.method !== 'POST') return response.end(pngBytes);
      rmSync(journal, { recursive: true });
      return response.end('{"data":[{"url":"/result"}]}');
    });
    await using job = jobRunnerAt(server.origin, { root, journal });
    const [asset] = await job.runner.run(imageJob(root), quiet);
    assert.equal(asset?.bytes, pngBytes.length);
    assert.deepEqual(await images(), ['a-fox.png']);
    assert.deepEqual(await jobsIn(journal), []);
  });

  it('can download again when the journal disappeared during a failed download', async () => {
    let isGone = true;
    await using server = await service(1, (_, response) => {
      if (isGone) rmSync(journal, { recursive: true, force: true });
      response.writeHead(isGone ? 410 : 200).end(pngBytes);
    });
    await using job = jobRunnerAt(server.origin, { root, journal });
    const { jobId = '' } = await failureOf(job.runner.run(imageJob(root), quiet));
    isGone = false;
    await using later = jobRunnerAt(server.origin, { root, journal });
    await later.recover();
    await later.runner.downloadAgain(jobId, quiet);
    assert.deepEqual(await images(), ['a-fox.png']);
    assert.equal(server.requests.filter(({ method }) => method === 'POST').length, 1);
  });

  it('keeps the state of a job when Download Again is cancelled in the queue', async () => {
    await using server = await service(1, (_, response) => response.writeHead(410).end());
    await using job = jobRunnerAt(server.origin, { root, journal });
    const { jobId = '' } = await failureOf(job.runner.run(imageJob(root), quiet));
    const before = job.jobs.get(jobId);
    const error = await failureOf(job.runner.downloadAgain(jobId, { ...quiet, signal: AbortSignal.abort() }));
    assert.equal(error.message, 'Cancelled. The answer is kept.');
    const after = job.jobs.get(jobId);
    assert.deepEqual([after?.state, after?.hasAnswer, after?.error?.message], ['failed', true, before?.error?.message]);
  });

  it('can download again after the recovery of a job was cancelled in the queue', async () => {
    let isGone = true;
    await using server = await service(1, (_, response) => response.writeHead(isGone ? 410 : 200).end(pngBytes));
    await using job = jobRunnerAt(server.origin, { root, journal });
    const { jobId = '' } = await failureOf(job.runner.run(imageJob(root), quiet));
    const [folder = ''] = await jobsIn(journal);
    const file = join(folder, 'journal.jsonl');
    const lines = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, lines.filter((line) => !line.includes('"event":"ended"')).join('\n'));
    await using busy = await startHttpServer();
    await using later = jobRunnerAt(busy.origin, { root, journal }, 1);
    const incoming = busy.next();
    const first = new AbortController();
    const running = failureOf(later.runner.run(imageJob(root), { ...quiet, signal: first.signal }));
    await incoming;
    const waits = new Promise<void>((resolve) => {
      later.jobs.onDidChange(() => later.jobs.get(jobId)?.state === 'queued' && resolve());
    });
    const recovered = later.recover();
    await waits;
    later.runner.cancel(jobId);
    await recovered;
    const { state, hasAnswer, error } = later.jobs.get(jobId) ?? {};
    assert.deepEqual([state, hasAnswer, error?.message], ['cancelled', true, 'Cancelled. The answer is kept.']);
    first.abort();
    await running;
    isGone = false;
    await later.runner.downloadAgain(jobId, quiet);
    assert.deepEqual(await images(), ['a-fox.png']);
    assert.equal(server.requests.filter(({ method }) => method === 'POST').length, 1);
  });

  it('runs an edit again that was cancelled before sending', async () => {
    await using server = await service(1);
    await using job = jobRunnerAt(server.origin, { root, journal });
    const picture = join(root, 'hero.png');
    await writeFile(picture, pngBytes);
    const url = pathToFileURL(picture).href;
    const request = { model: 'm', prompt: 'a fox', n: 1, output_format: 'url', image_urls: [url] };
    const signal = AbortSignal.abort();
    const edit: JobInput = { ...imageJob(root), operation: 'editImage', request };
    const { jobId = '' } = await failureOf(job.runner.run(edit, { ...quiet, signal }));
    await job.runner.runAgain(jobId, (old) => job.runner.run(inputAgain(old), quiet));
    assert.deepEqual(await images(), ['a-fox.png']);
  });

  it('keeps a job that was cancelled before sending on the list until it is dismissed', async () => {
    await using server = await service(1);
    await using job = jobRunnerAt(server.origin, { root, journal }, 1);
    const abort = new AbortController();
    const incoming = server.next();
    const running = job.runner.run(imageJob(root), quiet);
    await incoming;
    const waiting = failureOf(job.runner.run(imageJob(root), { ...quiet, signal: abort.signal }));
    abort.abort();
    const { jobId = '' } = await waiting;
    await running;
    await job.recover();
    assert.equal(job.jobs.get(jobId)?.state, 'cancelled');
    await job.runner.dismiss(jobId);
    assert.equal(job.jobs.get(jobId), undefined);
  });

  it('saves the results of a large answer and then discards the answer', async () => {
    const image = Buffer.concat([pngBytes, Buffer.alloc(5 * 2 ** 20, 7)]);
    await using server = await startHttpServer((request, response) => {
      const data = [{ b64_json: image.toString('base64') }, { b64_json: pngBytes.toString('base64') }];
      request.resume().on('end', () => response.end(JSON.stringify({ data })));
    });
    await using job = jobRunnerAt(server.origin, { root, journal });
    const assets = await job.runner.run(imageJob(root, 2), quiet);
    assert.deepEqual(
      assets.map(({ bytes }) => bytes),
      [image.length, pngBytes.length],
    );
    assert.deepEqual(await readFile(join(root, 'media/images/a-fox.png')), image);
    assert.deepEqual(await jobsIn(journal), []);
  });

  it('saves a large sound that is the response body itself', async () => {
    const sound = wavOf(Buffer.alloc(9 * 2 ** 20, 0x80));
    await using server = await startHttpServer((_, response) => response.end(sound));
    await using job = jobRunnerAt(server.origin, { root, journal });
    const request = { model: 'm', input: 'a fox', voice: 'alloy', response_format: 'wav' } as const;
    await job.runner.run({ ...imageJob(root), operation: 'speak', request }, quiet);
    assert.deepEqual(await readFile(join(root, 'media/images/a-fox.wav')), sound);
  });

  it('keeps a large answer whose results cannot be saved', async () => {
    const image = Buffer.concat([pngBytes, Buffer.alloc(5 * 2 ** 20, 7)]);
    await using server = await startHttpServer((request, response) => {
      rmSync(join(root, 'media'), { recursive: true });
      writeFileSync(join(root, 'media'), 'no folder');
      const data = [{ b64_json: image.toString('base64') }];
      request.resume().on('end', () => response.end(JSON.stringify({ data })));
    });
    await using job = jobRunnerAt(server.origin, { root, journal });
    assert.equal((await failureOf(job.runner.run(imageJob(root), quiet))).kind, 'save');
    const [file = ''] = await answers();
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), {
      data: [{ b64_json: image.toString('base64') }],
    });
  });

  it('discards a large answer that is cancelled while it arrives', async () => {
    await using server = await startHttpServer((_, response) => response.write(Buffer.alloc(6 * 2 ** 20, 0x20)));
    await using job = jobRunnerAt(server.origin, { root, journal });
    const abort = new AbortController();
    const onProgress = (progress: JobProgress) => {
      if (progress.stage === 'downloading' && progress.bytes > 5 * 2 ** 20) abort.abort();
    };
    const error = await failureOf(job.runner.run(imageJob(root), { ...quiet, signal: abort.signal, onProgress }));
    assert.equal(error.kind, 'cancelled');
    assert.deepEqual(await answers(), []);
    assert(!error.actions.includes('saveRawAnswer'));
    assert.equal(job.jobs.all[0]?.hasRawAnswer, false);
  });

  it('saves the other results when one fails, and names them in the error', async () => {
    await using server = await service(3, (request, response) => {
      if (request.url?.endsWith('1')) response.writeHead(404);
      response.end(request.url?.endsWith('1') ? '' : pngBytes);
    });
    await using job = jobRunnerAt(server.origin, { root, journal });
    const input = imageJob(root, 3);
    const place = { ...input.place, fileName: 'zwei-füchse' };
    const error = await failureOf(job.runner.run({ ...input, place }, quiet));
    assert.equal(error.kind, 'download');
    assert.equal(error.mayBeBilled, true);
    assert.match(error.message, /answered 404.*Already saved: zwei-füchse\.png, zwei-füchse-2\.png\.$/);
    assert.equal(error.saved.length, 2);
    assert.deepEqual((await images()).sort(), ['zwei-füchse-2.png', 'zwei-füchse.png']);
  });

  it('reports that the request may be billed when cancelled while downloading, and keeps the answer', async () => {
    await using server = await service(1, (_, response) => response.writeHead(200).write(pngBytes.subarray(0, 9)));
    await using job = jobRunnerAt(server.origin, { root, journal });
    const abort = new AbortController();
    const error = await failureOf(
      job.runner.run(imageJob(root), {
        ...quiet,
        signal: abort.signal,
        onProgress: ({ stage }) => stage === 'downloading' && server.requests.length > 1 && abort.abort(),
      }),
    );
    assert.equal(error.kind, 'cancelled');
    assert.equal(error.mayBeBilled, true);
    assert.match(error.message, /accepted the request; .*The service may still bill this request\.$/);
    assert.deepEqual(await images(), []);
    assert.equal((await answers()).length, 1);
  });

  it('respects maxConcurrentJobs and removes a cancelled job from the queue', async () => {
    await using server = await startHttpServer();
    await using job = jobRunnerAt(server.origin, { root, journal }, 1);
    const first = new AbortController();
    const second = new AbortController();
    const incoming = server.next();
    const running = failureOf(job.runner.run(imageJob(root), { ...quiet, signal: first.signal }));
    await incoming;
    const waiting = failureOf(job.runner.run(imageJob(root), { ...quiet, signal: second.signal }));
    second.abort();
    const left = await waiting;
    assert.equal(left.kind, 'cancelled');
    assert.equal(left.mayBeBilled, false);
    assert.deepEqual((await jobsIn(journal)).length, 1, 'the job that was never sent is still on disk');
    assert.equal(server.requests.length, 1);
    first.abort();
    assert.equal((await running).mayBeBilled, true);
  });

  it('sends and writes nothing when the results could not be saved', async () => {
    await using server = await service(1);
    await using job = jobRunnerAt(server.origin, { root, journal });
    const outside = { ...imageJob(root), place: { ...imageJob(root).place, path: '../elsewhere' } };
    assert.equal((await failureOf(job.runner.run(outside, quiet))).kind, 'save');
    assert.equal(server.requests.length, 0);
    assert.deepEqual(await jobsIn(journal), []);
  });

  it('keeps a paid, unsaved job however old it is', async () => {
    await using server = await service(1, (_, response) => response.writeHead(403).end());
    await using job = jobRunnerAt(server.origin, { root, journal });
    const error = await failureOf(job.runner.run(imageJob(root), quiet));
    const [folder = ''] = await jobsIn(journal);
    assert(folder.endsWith(error.jobId ?? 'none'));
    await makeOld(folder, 1000);
    await using later = jobRunnerAt(server.origin, { root, journal });
    assert.deepEqual(await later.recover(), []);
    assert.equal(later.jobs.all[0]?.hasAnswer, true);
  });

  it('shows in the list how far a job is', async () => {
    await using server = await service(1);
    await using job = jobRunnerAt(server.origin, { root, journal });
    const states = new Set<string | undefined>();
    job.jobs.onDidChange((id) => states.add(job.jobs.get(id)?.state));
    await job.runner.run(imageJob(root), quiet);
    assert.deepEqual([...states].sort(), ['done', 'downloading', 'queued', 'saving', 'sending', 'waiting']);
  });

  it('ignores a listener that throws', async () => {
    await using server = await service(1);
    await using job = jobRunnerAt(server.origin, { root, journal });
    job.jobs.onDidChange(() => {
      throw new Error('not ours');
    });
    assert.equal((await job.runner.run(imageJob(root), quiet)).length, 1);
  });

  it('keeps a failed job for 30 days', async () => {
    await using server = await startHttpServer((_, response) => response.writeHead(400).end('{"error":"no"}'));
    await using job = jobRunnerAt(server.origin, { root, journal });
    await failureOf(job.runner.run(imageJob(root), quiet));
    await failureOf(job.runner.run(imageJob(root), quiet));
    const [first = '', second = ''] = await jobsIn(journal);
    await makeOld(first, 30.1);
    await makeOld(second, 29.9);
    await using later = jobRunnerAt(server.origin, { root, journal });
    assert.deepEqual(await later.recover(), []);
    assert.deepEqual(await jobsIn(journal), [second]);
    assert.deepEqual(
      later.jobs.all.map(({ id }) => join(second, '..', id)),
      [second],
    );
  });

  it('marks a request that timed out as unknown, also after a restart', async () => {
    await using server = await startHttpServer();
    await using job = jobRunnerAt(server.origin, { root, journal });
    const incoming = server.next();
    let error: MediaError;
    {
      using clock = stopTime();
      const failed = failureOf(job.runner.run(imageJob(root), quiet));
      await incoming;
      error = await clock.passUntil(failed, 30);
    }
    assert.equal(error.kind, 'timeout');
    assert.equal(error.mayBeBilled, true);
    assert.equal(job.jobs.all[0]?.state, 'unknown');
    await using later = jobRunnerAt(server.origin, { root, journal });
    assert.deepEqual(await later.recover(), []);
    assert.equal(later.jobs.all[0]?.state, 'unknown');
  });

  it('marks a request as unknown when its connection broke or a gateway timed out', async () => {
    for (const status of [undefined, 504]) {
      await using server = await startHttpServer((request, response) => {
        if (status === undefined) return void request.socket.resetAndDestroy();
        return response.writeHead(status).end();
      });
      await using job = jobRunnerAt(server.origin, { root, journal });
      const error = await failureOf(job.runner.run(imageJob(root), quiet));
      assert.equal(error.kind, status === undefined ? 'network' : 'gatewayTimeout');
      assert.equal(job.jobs.all[0]?.state, 'unknown');
      assert.equal(job.jobs.all[0]?.error?.mayBeBilled, true);
    }
  });

  it('marks a request that never connected as failed', async () => {
    // Another test's server may get a port that was free a moment ago, but not this one.
    await using job = jobRunnerAt('http://127.0.0.1:1', { root, journal });
    const error = await failureOf(job.runner.run(imageJob(root), quiet));
    assert.equal(error.kind, 'network');
    assert.match(error.message, /Nothing was sent/);
    assert.equal(job.jobs.all[0]?.state, 'failed');
  });

  it('marks a job as failed and billed when its result cannot be reached', async () => {
    await using server = await startHttpServer((_, response) => {
      response.end(JSON.stringify({ data: [{ url: 'http://127.0.0.1:1/result' }] }));
    });
    await using job = jobRunnerAt(server.origin, { root, journal });
    const error = await failureOf(job.runner.run(imageJob(root), quiet));
    assert.equal(error.kind, 'network');
    assert.equal(error.mayBeBilled, true);
    assert.equal(error.actions[0], 'downloadAgain');
    assert.equal(job.jobs.all[0]?.state, 'failed');
  });

  for (const [kind, text] of [
    ['noMedia', '{"artefact":{"href":"x"}}'],
    ['unreadableAnswer', 'Here you are.'],
  ] as const) {
    it(`keeps an answer that it cannot read, for a later version: ${kind}`, async () => {
      await using server = await startHttpServer((_, response) => response.end(text));
      await using job = jobRunnerAt(server.origin, { root, journal });
      const error = await failureOf(job.runner.run(imageJob(root), quiet));
      assert.equal(error.kind, kind);
      assert(error.actions.includes('downloadAgain'));
      await using later = jobRunnerAt(server.origin, { root, journal });
      await later.recover();
      assert.equal(later.jobs.all[0]?.hasAnswer, true);
    });
  }

  it('runs the next job after a failed and after a successful one', async () => {
    let status = 400;
    await using server = await startHttpServer((request, response) => {
      if (request.method !== 'POST') return response.end(pngBytes);
      return request.resume().on('end', () => response.writeHead(status).end('{"data":[{"url":"/result"}]}'));
    });
    await using job = jobRunnerAt(server.origin, { root, journal }, 1);
    await failureOf(job.runner.run(imageJob(root), quiet));
    status = 200;
    await job.runner.run(imageJob(root), quiet);
    await job.runner.run(imageJob(root), quiet);
    assert.equal((await images()).length, 2);
  });

  /** Saves the first of two images, makes a change, and saves the rest after a restart. @returns the images then */
  async function savedAfter(change: (journalFolder: string) => Promise<void>): Promise<readonly string[]> {
    let isThere = false;
    await using server = await service(
      2,
      failingSecond(() => !isThere),
    );
    await using job = jobRunnerAt(server.origin, { root, journal });
    const { jobId = '' } = await failureOf(job.runner.run(imageJob(root, 2), quiet));
    const [folder = ''] = await jobsIn(journal);
    await change(folder);
    isThere = true;
    await using later = jobRunnerAt(server.origin, { root, journal });
    await later.recover();
    await later.runner.downloadAgain(jobId, quiet);
    const library = await readFile(join(root, '.unified-media/library.jsonl'), 'utf8');
    assert.equal(library.trimEnd().split('\n').length, 2);
    return (await images()).sort();
  }

  it('does not record a result twice when a crash hid that it was recorded', async () => {
    const saved = await savedAfter(async (folder) => {
      const file = join(folder, 'journal.jsonl');
      const lines = (await readFile(file, 'utf8')).split('\n');
      const kept = lines.filter((line) => !line.includes('"event":"saved"'));
      assert.equal(kept.length, lines.length - 1);
      await writeFile(file, kept.join('\n'));
    });
    assert.deepEqual(saved, ['a-fox-2.png', 'a-fox.png']);
  });

  it('does not save a result again that was saved, recorded and moved', async () => {
    const saved = await savedAfter(() => rename(join(root, 'media/images/a-fox.png'), join(root, 'moved.png')));
    assert.deepEqual(saved, ['a-fox.png']);
  });

  it('marks the records of sandbox jobs', async () => {
    await using server = await service(1);
    await using job = jobRunnerAt(server.origin, { root, journal });
    await job.runner.run({ ...imageJob(root), sandbox: true }, quiet);
    const record: unknown = JSON.parse(await readFile(join(root, '.unified-media/library.jsonl'), 'utf8'));
    assert.equal((record as { sandbox: unknown }).sandbox, true);
  });

  it('reads a journal whose last line is truncated', async () => {
    await using server = await startHttpServer();
    await using mine = jobRunnerAt(server.origin, { root, journal });
    const abort = new AbortController();
    const incoming = server.next();
    const running = failureOf(mine.runner.run(imageJob(root), { ...quiet, signal: abort.signal }));
    await incoming;
    const [folder = ''] = await jobsIn(journal);
    await appendFile(join(folder, 'journal.jsonl'), '{"event":"answ');
    abort.abort();
    await running;
    await using later = jobRunnerAt(server.origin, { root, journal });
    await later.recover();
    assert.equal(later.jobs.all[0]?.state, 'cancelled');
  });

  it('does not recover jobs that it runs itself', async () => {
    await using server = await startHttpServer();
    await using mine = jobRunnerAt(server.origin, { root, journal });
    const abort = new AbortController();
    const incoming = server.next();
    const running = failureOf(mine.runner.run(imageJob(root), { ...quiet, signal: abort.signal }));
    await incoming;
    assert.deepEqual(await mine.recover(), []);
    abort.abort();
    await running;
  });
});
