import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { JobInput } from '../../../src/jobs/JobRunner.ts';
import { failureOf } from '../../support/failureOf.ts';
import type { HttpServer } from '../../support/httpServer.ts';
import { bodyOf, startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt, jobsIn } from '../../support/jobRunner.ts';
import { pngBytes } from '../../support/mediaBytes.ts';

const quiet = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };
const photo = Buffer.concat([pngBytes, Buffer.alloc(2 ** 20, 7)]);
const dataUrl = `data:image/png;base64,${photo.toString('base64')}`;

describe('the images that a job sends', () => {
  let root: string;
  let journal: string;
  let server: HttpServer;
  /** What the service received, and the status it responds with. */
  let received: readonly string[][];
  let status: number;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'inputs-workspace-'));
    journal = await mkdtemp(join(tmpdir(), 'inputs-journal-'));
    await writeFile(join(root, 'photo.png'), photo);
    received = [];
    status = 500;
    server = await startHttpServer(async (request, response) => {
      if (request.method !== 'POST') return response.end(pngBytes);
      const { image_urls = [] } = JSON.parse(String(await bodyOf(request))) as { image_urls?: string[] };
      received = [...received, image_urls];
      return response.writeHead(status).end('{"data":[{"url":"/result.png"}]}');
    });
  });

  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
    await rm(journal, { recursive: true });
  });

  function editJob(...image_urls: readonly string[]): JobInput {
    const request = { model: 'm', prompt: 'at night', image_urls, n: 1, output_format: 'url' } as const;
    return { ...imageJob(root), operation: 'editImage', request };
  }

  const photoUrl = () => pathToFileURL(join(root, 'photo.png')).href;

  async function inputsOf(job: string): Promise<readonly string[]> {
    return (await readdir(job)).filter((name) => name.startsWith('input-')).map((name) => join(job, name));
  }

  it('are stored in a file, not in the journal or the job list', async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    await failureOf(window.runner.run(editJob(photoUrl(), dataUrl, 'https://a.example/x.png'), quiet));
    assert.deepEqual(received, [[dataUrl, dataUrl, 'https://a.example/x.png']]);
    const [job = ''] = await jobsIn(journal);
    assert((await stat(join(job, 'journal.jsonl'))).size < 4096);
    assert(JSON.stringify(window.jobs.all).length < 4096);
    // The same image twice is stored once.
    const [input = '', ...others] = await inputsOf(job);
    assert.deepEqual(others, []);
    assert.deepEqual(await readFile(input), photo);
  });

  it('are sent in the order in which they were chosen', async () => {
    await writeFile(join(root, 'other.png'), pngBytes);
    const other = `data:image/png;base64,${pngBytes.toString('base64')}`;
    await using window = jobRunnerAt(server.origin, { root, journal });
    await failureOf(window.runner.run(editJob(pathToFileURL(join(root, 'other.png')).href, photoUrl()), quiet));
    assert.deepEqual(received, [[other, dataUrl]]);
  });

  it('are stored for a video as for an edit', async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    const request = { model: 'm', prompt: 'it runs', image_url: dataUrl, output_format: 'url' } as const;
    await failureOf(window.runner.run({ ...imageJob(root), operation: 'animateImage', request }, quiet));
    const [job = ''] = await jobsIn(journal);
    assert((await stat(join(job, 'journal.jsonl'))).size < 4096);
    const [input = ''] = await inputsOf(job);
    assert.deepEqual(await readFile(input), photo);
  });

  it('are stored once for all failed jobs that use them', async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    for (let count = 0; count < 3; count++) await failureOf(window.runner.run(editJob(photoUrl()), quiet));
    const files = await Promise.all((await jobsIn(journal)).map(inputsOf));
    const identities = await Promise.all(files.flat().map(async (file) => (await stat(file)).ino));
    assert.equal(identities.length, 3);
    assert.equal(new Set(identities).size, 1);
  });

  it("are sent complete even when another job's copy is damaged", async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    await failureOf(window.runner.run(editJob(photoUrl()), quiet));
    const [first = ''] = await jobsIn(journal);
    const [copy = ''] = await inputsOf(first);
    await truncate(copy, 1000);
    await failureOf(window.runner.run(editJob(photoUrl()), quiet));
    assert.deepEqual(received, [[dataUrl], [dataUrl]]);
  });

  it('are sent again unchanged after the file changed, and removed when the job is done', async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    await failureOf(window.runner.run(editJob(photoUrl()), quiet));
    await writeFile(join(root, 'photo.png'), pngBytes);
    status = 200;
    const [failed] = window.jobs.all;
    assert(failed);
    await window.runner.run(failed, quiet);
    await window.runner.dismiss(failed.id);
    assert.deepEqual(received, [[dataUrl], [dataUrl]]);
    assert.deepEqual(await jobsIn(journal), []);
  });

  it('are sent unchanged when their type is unknown', async () => {
    const heic = 'data:image/x-own;base64,AAAA';
    await using window = jobRunnerAt(server.origin, { root, journal });
    await failureOf(window.runner.run(editJob(heic), quiet));
    assert.deepEqual(received, [[heic]]);
  });

  it('end the job before anything is sent or stored when they cannot be read', async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    const missing = pathToFileURL(join(root, 'missing.png')).href;
    const error = await failureOf(window.runner.run(editJob(missing), quiet));
    assert.equal(error.kind, 'invalidInput');
    assert.equal(error.field, 'image_urls');
    assert.match(error.message, /missing\.png cannot be read/);
    assert.equal(server.requests.length, 0);
    assert.deepEqual(await jobsIn(journal), []);
  });

  it('are copied before the job waits in the queue', async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    const abort = new AbortController();
    const { promise: queued, resolve } = Promise.withResolvers<void>();
    window.jobs.onDidChange((id) => window.jobs.get(id)?.state === 'queued' && resolve());
    const running = failureOf(window.runner.run(editJob(photoUrl()), { ...quiet, signal: abort.signal }));
    await queued;
    const [job] = window.jobs.all;
    assert(job && 'image_urls' in job.request);
    assert.deepEqual(await readFile(fileURLToPath(job.request.image_urls[0] ?? '')), photo);
    abort.abort();
    await running;
  });
});
