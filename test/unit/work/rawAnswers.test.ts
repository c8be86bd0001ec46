import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import type { MediaError } from '../../../src/operations/MediaError.ts';
import { saveRawAnswer } from '../../../src/work/rawAnswer.ts';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt } from '../../support/jobRunner.ts';
import { pngBytes, wavBytes } from '../../support/mediaBytes.ts';

const quiet = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><circle r="1"/></svg>';

/** A paid answer that cannot be read must not be discarded. */
describe('saveRawAnswer (promise 41)', () => {
  let root: string;
  let journal: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'raw-workspace-'));
    journal = await mkdtemp(join(tmpdir(), 'raw-journal-'));
  });

  afterEach(async () => {
    await rm(root, { recursive: true });
    await rm(journal, { recursive: true });
  });

  async function saveRaw(window: ReturnType<typeof jobRunnerAt>, { jobId = '' }: MediaError) {
    const job = window.jobs.get(jobId);
    assert(job);
    const folder = new LocalFolder(join(root, 'raw'), root);
    const [uri = '', ...others] = await saveRawAnswer(
      job,
      await window.runner.withRawFiles(jobId, async (files) => files),
      { folder },
    );
    assert.deepEqual(others, []);
    assert.deepEqual(await readdir(join(root, 'raw')), [fileURLToPath(uri).split(/[/\\]/).at(-1)]);
    return fileURLToPath(uri);
  }

  it('saves an answer that cannot be read', async () => {
    const text = '{"artefact":{"href":"x"}}';
    await using server = await startHttpServer((_, response) => response.end(text));
    await using window = jobRunnerAt(server.origin, { root, journal });
    const error = await failureOf(window.runner.run(imageJob(root), quiet));
    assert.equal(error.kind, 'noMedia');
    assert(error.actions.includes('saveRawAnswer'));
    const file = await saveRaw(window, error);
    assert.match(file, /generateImage-raw-answer\.json$/);
    assert.equal(await readFile(file, 'utf8'), text);
  });

  it('saves a result of unknown type after its URL expired and the window was closed', async () => {
    let downloads = 0;
    await using server = await startHttpServer((request, response) => {
      if (request.method === 'POST') return response.end('{"data":[{"url":"/result"}]}');
      return response.writeHead(++downloads > 1 ? 410 : 200).end(svg);
    });
    await using window = jobRunnerAt(server.origin, { root, journal });
    const error = await failureOf(window.runner.run(imageJob(root), quiet));
    assert.equal(error.kind, 'download');
    assert.match(error.message, /an SVG drawing, which may hold scripts, instead of an image\. The data is kept/);
    assert(error.actions.includes('saveRawAnswer'));
    assert.deepEqual(await readdir(join(root, 'media/images')), []);
    await using later = jobRunnerAt(server.origin, { root, journal });
    await later.recover();
    assert.equal(later.jobs.all[0]?.hasRawAnswer, true);
    const file = await saveRaw(later, error);
    assert.match(file, /generateImage-raw-result\.svg$/);
    assert.equal(await readFile(file, 'utf8'), svg);
    assert.equal(downloads, 1);
  });

  it('saves sound without a signature that arrived as plain bytes, unless such sound was asked for', async () => {
    const samples = Buffer.alloc(4096, 1);
    await using server = await startHttpServer((request, response) => {
      if (request.method === 'POST') return response.end('{"audio":{"url":"/sound"}}');
      return response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(samples);
    });
    await using window = jobRunnerAt(server.origin, { root, journal });
    const speak = (response_format: 'mp3' | 'pcm') => {
      const request = { model: 'm', input: 'a fox', voice: 'alloy', response_format };
      return window.runner.run({ ...imageJob(root), operation: 'speak', request }, quiet);
    };
    assert.deepEqual(await readFile(await saveRaw(window, await failureOf(speak('mp3')))), samples);
    const [asset] = await speak('pcm');
    assert.deepEqual([asset?.mediaType, asset?.bytes], ['audio/pcm', samples.length]);
  });

  const good = pngBytes.toString('base64');
  const unread: Readonly<Record<string, unknown>> = {
    'is damaged': { b64_json: `${good.slice(0, 40)}!!!!${good.slice(40)}` },
    'has an unknown shape': { file: { href: 'relative.png' } },
  };
  for (const [what, item] of Object.entries(unread)) {
    it(`saves the answer whose second result ${what}, after the first was saved`, async () => {
      const text = JSON.stringify({ data: [{ b64_json: good }, item] });
      await using server = await startHttpServer((_, response) => response.end(text));
      await using window = jobRunnerAt(server.origin, { root, journal });
      const error = await failureOf(window.runner.run(imageJob(root, 2), quiet));
      assert.match(error.message, /^1 of 2 results in the answer cannot be read\..* Already saved: a-fox\.png\./);
      assert(error.actions.includes('saveRawAnswer'));
      assert.deepEqual(await readdir(join(root, 'media/images')), ['a-fox.png']);
      assert.equal(await readFile(await saveRaw(window, error), 'utf8'), text);
    });
  }

  for (const item of [{ error: { message: 'moderated' } }, { url: '/gone.png', respect_moderation: false }]) {
    it(`does not miss a result that the service did not make: ${JSON.stringify(item)}`, async () => {
      const text = JSON.stringify({ data: [{ b64_json: good }, item] });
      await using server = await startHttpServer((_, response) => response.end(text));
      await using window = jobRunnerAt(server.origin, { root, journal });
      assert.equal((await window.runner.run(imageJob(root, 2), quiet)).length, 1);
    });
  }

  it('does not miss a result that was not asked for', async () => {
    const text = JSON.stringify({ data: [{ b64_json: good }, { seed: 1 }] });
    await using server = await startHttpServer((_, response) => response.end(text));
    await using window = jobRunnerAt(server.origin, { root, journal });
    assert.equal((await window.runner.run(imageJob(root), quiet)).length, 1);
  });

  it('does not miss a result that the service did not send', async () => {
    const output = [{ type: 'reasoning' }, { type: 'image_generation_call', result: good }];
    await using server = await startHttpServer((_, response) => response.end(JSON.stringify({ output })));
    await using window = jobRunnerAt(server.origin, { root, journal });
    assert.equal((await window.runner.run(imageJob(root, 2), quiet)).length, 1);
  });

  it('saves what arrived before the connection broke, marked as partial', async () => {
    const half = wavBytes.subarray(0, 30);
    await using server = await startHttpServer((_, response) => {
      response.writeHead(200, { 'content-length': wavBytes.length });
      // After a reset, Windows discards what has arrived.
      response.write(half, () => setImmediate(() => response.socket?.destroy()));
    });
    await using window = jobRunnerAt(server.origin, { root, journal });
    const error = await failureOf(window.runner.run(imageJob(root), quiet));
    assert.equal(window.jobs.all[0]?.state, 'unknown');
    assert.equal(window.jobs.all[0]?.hasAnswer, false, 'a part was taken for the complete answer');
    assert(error.actions.includes('saveRawAnswer'));
    await using later = jobRunnerAt(server.origin, { root, journal });
    await later.recover();
    const file = await saveRaw(later, error);
    assert.match(file, /generateImage-raw-partial\./);
    assert.deepEqual(await readFile(file), half);
    await assert.rejects(later.runner.downloadAgain(error.jobId ?? '', quiet), { kind: 'invalidInput' });
  });

  it('saves what an unreadable answer links to, even after the URL expired', async () => {
    let downloads = 0;
    await using server = await startHttpServer((request, response) => {
      const { origin } = server;
      if (request.method === 'POST') return response.end(JSON.stringify({ preview: { href: `${origin}/x?a=1&b=2` } }));
      return response.writeHead(++downloads > 1 ? 410 : 200).end(wavBytes);
    });
    await using window = jobRunnerAt(server.origin, { root, journal });
    const error = await failureOf(window.runner.run(imageJob(root), quiet));
    assert.equal(error.kind, 'noMedia');
    assert.equal(server.requests[1]?.url, '/x?a=1&b=2');
    const folder = new LocalFolder(join(root, 'raw'), root);
    const job = window.jobs.get(error.jobId ?? '');
    assert(job);
    const uris = await saveRawAnswer(job, await window.runner.withRawFiles(job.id, async (files) => files), { folder });
    assert.deepEqual(
      uris.map((uri) => uri.slice(uri.lastIndexOf('/') + 1)),
      ['generateImage-raw-answer.json', 'generateImage-raw-linked.wav'],
    );
    assert.deepEqual(await readFile(fileURLToPath(uris[1] ?? '')), wavBytes);
  });

  it('rejects when the job has no answer', async () => {
    await using server = await startHttpServer((request) => void request.socket.resetAndDestroy());
    await using window = jobRunnerAt(server.origin, { root, journal });
    const { jobId = '' } = await failureOf(window.runner.run(imageJob(root), quiet));
    await assert.rejects(
      window.runner.withRawFiles(jobId, async (files) => files),
      {
        message: 'No data from the service is kept for this job.',
      },
    );
  });
});
