import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agreed, readAgreed } from '../../../src/files/AgreedFile.ts';
import { makeAssets } from '../../../src/wholes/makeAssets.ts';
import { runPart } from '../../../src/wholes/parts.ts';
import { inputAgain, type JobInput } from '../../../src/work/JobRunner.ts';
import { failureOf } from '../../support/failureOf.ts';
import { type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt, jobsIn } from '../../support/jobRunner.ts';
import { pngBytes, wavBytes } from '../../support/mediaBytes.ts';

const quiet = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };

describe('runAgain', () => {
  let root: string;
  let journal: string;
  let server: HttpServer;
  /** Status codes of the service for requests and for downloads. */
  let status: number;
  let download: number;
  const answer = '{"text":"Said.","data":[{"url":"/result"}]}';

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'again-workspace-'));
    journal = await mkdtemp(join(tmpdir(), 'again-journal-'));
    status = 500;
    download = 200;
    server = await startHttpServer((request, response) => {
      if (request.method !== 'POST') return response.writeHead(download).end(pngBytes);
      return request.resume().on('end', () => response.writeHead(status).end(answer));
    });
  });

  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
    await rm(journal, { recursive: true });
  });

  const paid = () => server.requests.filter(({ method }) => method === 'POST').length;

  it('replaces the failed job', async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    const { jobId = '' } = await failureOf(window.runner.run(imageJob(root), quiet));
    status = 200;
    await window.runner.runAgain(jobId, (job) => window.runner.run(inputAgain(job), quiet));
    assert.deepEqual(
      window.jobs.all.map(({ state }) => state),
      ['done'],
    );
    assert.deepEqual(await jobsIn(journal), []);
  });

  it('keeps the failed job when the new one fails too', async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    const { jobId = '' } = await failureOf(window.runner.run(imageJob(root), quiet));
    await failureOf(window.runner.runAgain(jobId, (job) => window.runner.run(inputAgain(job), quiet)));
    assert.equal(window.jobs.all.length, 2);
    assert.equal((await jobsIn(journal)).length, 2);
  });

  it('keeps a job with an unsaved answer, which was paid for', async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    status = 200;
    download = 410;
    const { jobId = '' } = await failureOf(window.runner.run(imageJob(root), quiet));
    download = 200;
    await window.runner.runAgain(jobId, (job) => window.runner.run(inputAgain(job), quiet));
    assert.equal(window.jobs.get(jobId)?.hasAnswer, true);
    await window.runner.downloadAgain(jobId, quiet);
    assert.equal(paid(), 2);
    assert.deepEqual(await jobsIn(journal), []);
  });

  it('rejects a second call while the first runs, in this or another window', async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    const { jobId = '' } = await failureOf(window.runner.run(imageJob(root), quiet));
    await using other = jobRunnerAt(server.origin, { root, journal });
    await other.recover();
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const running = window.runner.runAgain(jobId, () => {
      begun.resolve();
      return end.promise;
    });
    await begun.promise;
    const never = () => Promise.reject(new Error('it ran again'));
    await assert.rejects(window.runner.runAgain(jobId, never), { message: 'This job is already being run again.' });
    await assert.rejects(other.runner.runAgain(jobId, never), {
      message: 'Another window or program is working on this job. Try again when it has finished.',
    });
    end.resolve();
    await running;
    await assert.rejects(other.runner.runAgain(jobId, never), { kind: 'invalidInput' });
  });

  it('sends nothing for a recording with a key that was replaced since, and still knows what was sent', async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    const key = 'a'.repeat(64);
    const file = join(root, 'call.wav');
    await writeFile(file, wavBytes);
    const input: JobInput = { ...imageJob(root), key, operation: 'transcribe', request: { model: 'm', file } };
    const limits = { speechMaxCharacters: 0, soundOnly: true, maxBytes: 0 };
    const { jobId = '' } = await failureOf(makeAssets(input, window.runner, limits, quiet));
    const again = (agreed?: Agreed) =>
      window.runner.runAgain(jobId, (job) =>
        makeAssets(inputAgain(job), window.runner, limits, { ...quiet, again: true, agreed }),
      );
    status = 200;
    await writeFile(file, Buffer.concat([wavBytes, Buffer.from('another')]));
    const isChanged = { kind: 'invalidInput', message: /call\.wav has changed .*nothing was sent/ };
    await assert.rejects(again(), isChanged);
    await assert.rejects(again([await readAgreed(file)]), isChanged);
    assert.equal(paid(), 1);
    assert.equal(await window.runner.store.stateOf(key, input.place), 'unknown');
    await writeFile(file, wavBytes);
    await again();
    assert.equal(paid(), 2);
  });

  it('sends a part that was given up under the key that its whole looks for', async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    const { place } = imageJob(root);
    const key = 'a'.repeat(64);
    const request = { model: 'm', input: 'One.', voice: 'nova', response_format: 'wav' } as const;
    const whole = { key: 'b'.repeat(64), request, place, entry: 'guide.wav' };
    status = 200;
    const { runner } = window;
    const part = { operation: 'speak', request, key, whole, place, sandbox: false } as const;
    assert.match((await failureOf(runPart(part, runner, quiet))).message, /The data is kept/);
    await runner.giveUp(key, place);
    const [copy] = await runner.store.parts();
    assert(copy);
    assert(copy.key.startsWith(`${key}.`), copy.key);
    assert.equal(inputAgain(copy).key, key);
    assert.equal(inputAgain({ ...copy, id: key }).key, undefined);
  });

  it('takes no job as an input, since its id would become the key of another', () => {
    const job = {
      ...imageJob('/'),
      id: 'a',
      key: 'a',
      createdAt: '',
      assets: {},
      hasAnswer: false,
      state: 'failed',
    } as const;
    // @ts-expect-error a job has an id
    const input: JobInput = job;
    assert(!('id' in inputAgain(job)) && 'id' in input);
  });
});
