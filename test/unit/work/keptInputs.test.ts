import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inputAgain, type JobInput } from '../../../src/work/JobRunner.ts';
import { keepInputs } from '../../../src/work/keepInputs.ts';
import { failureOf } from '../../support/failureOf.ts';
import { bodyOf, type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt, jobsIn } from '../../support/jobRunner.ts';
import { lfsPointer } from '../../support/lfsPointer.ts';
import { pngBytes } from '../../support/mediaBytes.ts';

const quiet = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };
const photo = Buffer.concat([pngBytes, Buffer.alloc(2 ** 20, 7)]);
const dataUrl = `data:image/png;base64,${photo.toString('base64')}`;

describe('the images that a job sends', () => {
  let root: string;
  let journal: string;
  let server: HttpServer;
  /** What the service received, and the status it responds with. */
  let received: string[][];
  let status: number;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'inputs-workspace-'));
    journal = await mkdtemp(join(tmpdir(), 'inputs-journal-'));
    await writeFile(join(root, 'photo.png'), photo);
    received = [];
    status = 500;
    server = await startHttpServer(async (request, response) => {
      if (request.method !== 'POST') return response.end(pngBytes);
      type Body = { readonly image_urls?: readonly string[]; readonly mask?: string; readonly size?: string };
      const { image_urls = [], mask = [], size = [] } = JSON.parse(String(await bodyOf(request))) as Body;
      received.push([image_urls, mask, size].flat());
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
    const folders = (await readdir(job)).filter((name) => name.startsWith('input-'));
    const names = await Promise.all(folders.map((name) => readdir(join(job, name))));
    return folders.flatMap((folder, index) => (names[index] ?? []).map((name) => join(job, folder, name)));
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

  for (const name of ['.DS_Store', '._photo.png', 'Thumbs.db']) {
    it(`are sent, not the ${name} that a file manager left beside a copy`, async () => {
      const [job, other] = [join(journal, 'a'), join(journal, 'b')];
      const kept = async (folder: string) => {
        await mkdir(folder, { recursive: true });
        const { request } = await keepInputs(editJob(photoUrl()), folder, undefined);
        assert('image_urls' in request);
        return basename(request.image_urls[0] ?? '');
      };
      assert.equal(await kept(job), 'photo.png');
      const [copies = ''] = await readdir(job);
      await writeFile(join(job, copies, name), 'other');
      for (const folder of [job, other]) assert.equal(await kept(folder), 'photo.png');
      assert.equal((await stat(join(other, copies, 'photo.png'))).nlink, 2);
    });
  }

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
    await window.runner.run(inputAgain(failed), quiet);
    await window.runner.dismiss(failed.id);
    assert.deepEqual(received, [[dataUrl], [dataUrl]]);
    assert.deepEqual(await jobsIn(journal), []);
  });

  it('are sent again with further fields and their files, whatever is declared by then', async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    const further = { values: { mask: photoUrl(), size: '1536x1024' }, files: ['mask'] };
    const { request, ...job } = editJob('https://a.example/x.png');
    await failureOf(window.runner.run({ ...job, request: { ...request, further } }, quiet));
    await rm(join(root, 'photo.png'));
    status = 200;
    const [failed] = window.jobs.all;
    assert(failed);
    await window.runner.run(inputAgain(failed), quiet);
    const all = ['https://a.example/x.png', dataUrl, '1536x1024'];
    assert.deepEqual(received, [all, all]);
  });

  for (const [failure, again] of [
    [400, false],
    [500, true],
  ] as const) {
    it(`are sent again for a request with a key after a ${failure}, also when its raw answer is kept`, async () => {
      const key = 'a'.repeat(64);
      await using window = jobRunnerAt(server.origin, { root, journal });
      status = failure;
      await failureOf(window.runner.run({ ...editJob(photoUrl()), key }, quiet));
      await writeFile(join(root, 'photo.png'), pngBytes);
      status = 200;
      const [failed] = window.jobs.all;
      assert(failed);
      assert.equal((await window.runner.run(inputAgain(failed), { ...quiet, again })).length, 1);
      assert.deepEqual(received, [[dataUrl], [dataUrl]]);
      assert.deepEqual(await jobsIn(journal), []);
    });
  }

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

  for (const kept of ['nothing', 'half of an answer'] as const) {
    it(`are the same when a request with a key is run again, and ${kept} is kept of the first`, async () => {
      const key = 'a'.repeat(64);
      let isFirst = true;
      await using cut = await startHttpServer(async (request, response) => {
        if (request.method !== 'POST') return response.end(pngBytes);
        const { image_urls = [] } = JSON.parse(String(await bodyOf(request))) as { image_urls?: string[] };
        received.push(image_urls);
        if (!isFirst) return response.end('{"data":[{"url":"/result.png"}]}');
        isFirst = false;
        if (kept === 'nothing') return response.writeHead(500).end();
        response.writeHead(200, { 'content-length': 100 });
        return response.write('{"data":[', () => setImmediate(() => response.destroy()));
      });
      await using window = jobRunnerAt(cut.origin, { root, journal });
      await failureOf(window.runner.run({ ...editJob(photoUrl()), key }, quiet));
      await rm(join(root, 'photo.png'));
      const [job] = window.jobs.all;
      assert(job);
      assert.equal(job.hasRawAnswer === true, kept !== 'nothing');
      const [asset] = await window.runner.runAgain(job.id, (old) =>
        window.runner.run(inputAgain(old), { ...quiet, again: true }),
      );
      assert(asset);
      assert.deepEqual(received, [[dataUrl], [dataUrl]]);
    });
  }

  it("are called by the person's names in messages, whatever the copies are for", async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    await writeFile(join(root, 'in.png'), lfsPointer);
    await writeFile(join(root, 'notes.png'), 'Notes');
    for (const [name, sentence] of [
      [
        'in.png',
        /^Images \(image_urls\): in\.png is a Git LFS pointer, not the file itself\. Run “git lfs pull” first\.$/,
      ],
      ['notes.png', /^Images \(image_urls\): notes\.png is not an image\.$/],
    ] as const) {
      const error = await failureOf(window.runner.run(editJob(pathToFileURL(join(root, name)).href), quiet));
      assert.match(error.message, sentence);
      assert.deepEqual([error.kind, error.field, error.mayBeBilled], ['invalidInput', 'image_urls', false]);
      const again = window.jobs.all[0];
      assert(again);
      // Run Again copies the copy.
      assert.match((await failureOf(window.runner.run(inputAgain(again), quiet))).message, sentence);
    }
    assert.deepEqual(server.requests, []);
  });

  it('share a copy on disk under the name that each job knows', async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    await writeFile(join(root, 'same.png'), photo);
    await failureOf(window.runner.run(editJob(photoUrl()), quiet));
    await failureOf(window.runner.run(editJob(pathToFileURL(join(root, 'same.png')).href), quiet));
    const files = (await Promise.all((await jobsIn(journal)).map(inputsOf))).flat();
    assert.deepEqual(files.map((file) => basename(file)).sort(), ['photo.png', 'same.png']);
    assert.equal(new Set(await Promise.all(files.map(async (file) => (await stat(file)).ino))).size, 1);
  });

  it('are named in the record with the values, also after Run Again, but neither by a foreign path nor a signed address', async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    const outside = join(journal, 'secret', 'logo.png');
    await mkdir(join(journal, 'secret'));
    await writeFile(outside, photo);
    const signed = 'https://user:word@a.example/x.png?signature=abc#part';
    const job = editJob(photoUrl(), pathToFileURL(outside).href, signed);
    await failureOf(window.runner.run({ ...job, request: { ...job.request, n: 3 } as JobInput['request'] }, quiet));
    const [failed] = window.jobs.all;
    assert(failed);
    status = 200;
    await window.runner.run(inputAgain(failed), quiet);
    const { inputs, values } = JSON.parse(await readFile(join(root, '.unified-media/library.jsonl'), 'utf8'));
    const sha256 = createHash('sha256').update(photo).digest('hex');
    assert.deepEqual(inputs, [
      { field: 'image_urls', file: 'photo.png', sha256 },
      { field: 'image_urls', name: 'logo.png', sha256 },
      { field: 'image_urls', address: 'https://a.example/x.png' },
    ]);
    assert.deepEqual(values, { n: 3 });
  });

  it('may be read-only, as in a checkout of Perforce', async () => {
    await using window = jobRunnerAt(server.origin, { root, journal });
    await chmod(join(root, 'photo.png'), 0o444);
    await failureOf(window.runner.run(editJob(photoUrl()), quiet));
    assert.deepEqual(received, [[dataUrl]]);
    const [job = ''] = await jobsIn(journal);
    const [input = ''] = await inputsOf(job);
    // Root, as which some tests run, could write to the copy in any case.
    assert.equal((await stat(input)).mode & 0o200, 0o200);
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
