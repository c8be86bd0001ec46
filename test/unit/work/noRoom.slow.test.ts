import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CreatedFile } from '../../../src/files/Folder.ts';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt, jobsIn, videoJob } from '../../support/jobRunner.ts';
import { mp4Bytes, pngBytes } from '../../support/mediaBytes.ts';
import type { Disk } from '../../support/mountDisk.ts';
import { mountDisk } from '../../support/mountDisk.ts';
import { skipUnless } from '../../support/skipUnless.ts';

const quiet = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };
const megabyte = 1024 * 1024;
/** More than a full disk has left. */
const video = Buffer.concat([mp4Bytes, Buffer.alloc(2 * megabyte)]);
/** Larger than the space that is reserved for an answer. */
const large = Buffer.concat([pngBytes, Buffer.alloc(megabyte / 4, 7)]);

/** A paid result must survive when it cannot be written. */
describe('JobRunner without disk space (promise 41)', () => {
  let root: string;
  let other: string;
  let journal: string;
  /** Path of the stand-in for a full disk. */
  let fullPath: string | undefined;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'room-workspace-'));
    other = await mkdtemp(join(tmpdir(), 'room-other-'));
    journal = await mkdtemp(join(tmpdir(), 'room-journal-'));
    fullPath = undefined;
  });

  afterEach(() => Promise.all([root, other, journal].map((path) => rm(path, { recursive: true, force: true }))));

  /** Stands in for a full disk where none can be mounted. */
  class FullFolder extends LocalFolder {
    get #isFull(): boolean {
      return fullPath !== undefined && this.uri.startsWith(pathToFileURL(fullPath).href);
    }
    override create(name: string, data: AsyncIterable<Uint8Array>): Promise<CreatedFile> {
      return this.#isFull ? Promise.reject(new Error('ENOSPC: no space left on device')) : super.create(name, data);
    }
    protected override room(): Promise<bigint | undefined> {
      return this.#isFull ? Promise.resolve(0n) : super.room();
    }
  }

  function fill(disk: Disk): void {
    if (!disk.isReal) fullPath = disk.path;
    else writeFileSync(join(disk.path, 'filler'), Buffer.alloc(23 * megabyte));
  }

  function clear(disk: Disk): void {
    fullPath = undefined;
    rmSync(join(disk.path, 'filler'), { force: true });
  }

  /**
   * Calls `whenPaid` on the request. The result URL works twice, for a failed save and for keeping the result, then
   * responds with 410.
   */
  function service(result: Buffer, whenPaid: () => void) {
    let downloads = 0;
    return startHttpServer((request, response) => {
      if (request.method !== 'POST') return response.writeHead(++downloads > 2 ? 410 : 200).end(result);
      return request.resume().on('end', () => {
        whenPaid();
        response.end('{"id":"v1","data":[{"url":"/result"}]}');
      });
    });
  }

  function runnerAt(server: { readonly origin: string }, path = root) {
    return jobRunnerAt(server.origin, { root: path, journal, folderAt: (at, inside) => new FullFolder(at, inside) });
  }

  const paid = (server: { readonly requests: readonly { readonly method?: string }[] }) =>
    server.requests.filter(({ method }) => method === 'POST').length;

  for (const elsewhere of [false, true]) {
    it(`keeps the result when the disk fills up, and saves it ${elsewhere ? 'elsewhere' : 'later'}`, async () => {
      using disk = mountDisk('size=24m');
      await using server = await service(video, () => fill(disk));
      await using jobs = runnerAt(server, disk.path);
      const error = await failureOf(jobs.runner.run(videoJob(disk.path), quiet));
      assert.equal(error.kind, 'save');
      assert.match(
        error.message,
        /cannot be saved in .*no space.* kept in the extension's storage\. Save it elsewhere/,
      );
      assert.deepEqual(error.actions.slice(0, 2), ['saveElsewhere', 'downloadAgain']);
      assert.deepEqual(await readdir(join(disk.path, 'media/videos')), []);

      // The next window finds it too.
      await using later = runnerAt(server, disk.path);
      assert.deepEqual(await later.recover(), []);
      const { jobId = '' } = error;
      if (!elsewhere) clear(disk);
      const place = elsewhere ? { ...videoJob(other).place, path: '' } : undefined;
      const [asset] = await later.runner.downloadAgain(jobId, quiet, place);
      const file = elsewhere ? join(other, 'a-fox.mp4') : join(disk.path, 'media/videos/a-fox.mp4');
      assert.equal(asset?.uri, pathToFileURL(file).href);
      assert.deepEqual(await readFile(file), video);
      assert.deepEqual(await jobsIn(journal), []);
      assert.equal(paid(server), 1);
    });
  }

  it('rejects before sending when the disk is full', async () => {
    using disk = mountDisk('size=24m');
    fill(disk);
    await using server = await startHttpServer();
    await using jobs = runnerAt(server, disk.path);
    const error = await failureOf(jobs.runner.run(videoJob(disk.path), quiet));
    assert.equal(error.kind, 'save');
    assert.match(error.message, /^Nothing was sent\. Files cannot be saved in .*the disk is full: [\d,]+ KiB are free/);
    assert.equal(server.requests.length, 0);
    clear(disk);
  });

  it('rejects before sending when the disk is read-only', async function () {
    using disk = mountDisk('ro');
    skipUnless(this, disk.isReal, 'root and tmpfs');
    await using server = await startHttpServer();
    await using jobs = runnerAt(server, disk.path);
    const error = await failureOf(jobs.runner.run(videoJob(disk.path), quiet));
    assert.match(error.message, /^Nothing was sent\. Files cannot be saved in .*read-only/);
    assert.equal(server.requests.length, 0);
  });

  it('makes the folder again when it was removed meanwhile', async () => {
    await using server = await service(pngBytes, () => rmSync(join(root, 'media'), { recursive: true }));
    await using jobs = runnerAt(server);
    await jobs.runner.run(imageJob(root), quiet);
    assert.deepEqual(await readdir(join(root, 'media/images')), ['a-fox.png']);
    assert.deepEqual(await readFile(join(root, 'media/images/a-fox.png')), pngBytes);
    assert.deepEqual(await jobsIn(journal), []);
  });

  /** Puts a file in the place of the folder. */
  function blockFolder(): void {
    rmSync(join(root, 'media'), { recursive: true });
    writeFileSync(join(root, 'media'), 'no folder');
  }

  it('keeps the result when its folder is blocked meanwhile, and saves it on Download Again', async () => {
    await using server = await service(pngBytes, blockFolder);
    await using jobs = runnerAt(server);
    const error = await failureOf(jobs.runner.run(imageJob(root), quiet));
    assert.equal(error.kind, 'save');
    assert.match(error.message, /kept in the extension's storage/);
    await rm(join(root, 'media'));
    const twice = [1, 2].map(() => jobs.runner.downloadAgain(error.jobId ?? '', quiet));
    const results = await Promise.allSettled(twice);
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.deepEqual(await readdir(join(root, 'media/images')), ['a-fox.png']);
    assert.deepEqual(await readFile(join(root, 'media/images/a-fox.png')), pngBytes);
    assert.deepEqual(await jobsIn(journal), []);
    assert.equal(paid(server), 1);
  });

  it('saves the result elsewhere when the workspace is gone, however often saving failed', async () => {
    await using server = await service(pngBytes, () => rmSync(root, { recursive: true }));
    await using jobs = runnerAt(server);
    const { jobId = '' } = await failureOf(jobs.runner.run(imageJob(root), quiet));
    const again = await failureOf(jobs.runner.downloadAgain(jobId, quiet));
    assert.equal(again.kind, 'save');
    assert.doesNotMatch(again.message, /Nothing was sent/);
    assert.deepEqual(again.actions.slice(0, 2), ['saveElsewhere', 'downloadAgain']);
    assert.equal(jobs.jobs.get(jobId)?.hasAnswer, true);
    await jobs.runner.downloadAgain(jobId, quiet, { ...imageJob(other).place, path: 'here' });
    assert.deepEqual(await readFile(join(other, 'here/a-fox.png')), pngBytes);
    assert.equal(paid(server), 1);
  });

  it('keeps the result once when writing fails despite free space, and does not download it again', async () => {
    let isFull = true;
    class TightFolder extends LocalFolder {
      override create(name: string, data: AsyncIterable<Uint8Array>): Promise<CreatedFile> {
        return isFull ? Promise.reject(new Error('EDQUOT: disk quota exceeded')) : super.create(name, data);
      }
    }
    await using server = await service(pngBytes, () => undefined);
    await using jobs = jobRunnerAt(server.origin, {
      root,
      journal,
      folderAt: (at, inside) => new TightFolder(at, inside),
    });
    const { jobId = '' } = await failureOf(jobs.runner.run(imageJob(root), quiet));
    for (let attempt = 0; attempt < 2; attempt++) {
      const again = await failureOf(jobs.runner.downloadAgain(jobId, quiet));
      assert.match(again.message, /quota exceeded.* kept in the extension's storage/);
    }
    isFull = false;
    await jobs.runner.downloadAgain(jobId, quiet);
    assert.deepEqual(await readFile(join(root, 'media/images/a-fox.png')), pngBytes);
    // One download for the attempt to save, one for keeping the result.
    assert.equal(server.requests.filter(({ method }) => method === 'GET').length, 2);
  });

  it('keeps a result that cannot get its name, whose URL worked only once', async () => {
    let isHeld = true;
    class HeldFolder extends LocalFolder {
      override moveIfAbsent(created: CreatedFile, to: string): Promise<boolean> {
        return isHeld ? Promise.reject(new Error('EPERM: operation not permitted')) : super.moveIfAbsent(created, to);
      }
    }
    let downloads = 0;
    await using server = await startHttpServer((request, response) => {
      if (request.method === 'POST') return response.end('{"data":[{"url":"/result"}]}');
      return response.writeHead(++downloads > 1 ? 410 : 200).end(pngBytes);
    });
    await using jobs = jobRunnerAt(server.origin, {
      root,
      journal,
      folderAt: (at, inside) => new HeldFolder(at, inside),
    });
    const { jobId = '', message } = await failureOf(jobs.runner.run(imageJob(root), quiet));
    assert.match(message, /could not be renamed \(EPERM.*\)\. The result is kept in the extension's storage\./);
    assert.deepEqual(await readdir(join(root, 'media/images')), []);
    isHeld = false;
    await jobs.runner.downloadAgain(jobId, quiet);
    assert.deepEqual(await readdir(join(root, 'media/images')), ['a-fox.png']);
    assert.deepEqual(await readFile(join(root, 'media/images/a-fox.png')), pngBytes);
    assert.equal(downloads, 1);
  });

  it('does not mistake a result that broke off while it was kept for the complete one', async () => {
    let isBroken = true;
    let downloads = 0;
    await using server = await startHttpServer((request, response) => {
      if (request.method === 'POST') {
        blockFolder();
        return response.end('{"data":[{"url":"/result"}]}');
      }
      if (++downloads === 1 || !isBroken) return response.end(pngBytes);
      response.writeHead(200, { 'content-length': pngBytes.length });
      return response.write(pngBytes.subarray(0, 40), () => setImmediate(() => request.socket.resetAndDestroy()));
    });
    await using jobs = runnerAt(server);
    const { jobId = '', message } = await failureOf(jobs.runner.run(imageJob(root), quiet));
    assert.match(message, /cannot be kept in the extension's storage either/);
    isBroken = false;
    await rm(join(root, 'media'));
    await jobs.runner.downloadAgain(jobId, quiet);
    assert.deepEqual(await readFile(join(root, 'media/images/a-fox.png')), pngBytes);
  });

  it('keeps the answer on disk when the journal was removed during the request', async () => {
    let isThere = false;
    await using server = await startHttpServer((request, response) => {
      if (request.method !== 'POST') return response.writeHead(isThere ? 200 : 410).end(isThere ? pngBytes : '');
      rmSync(journal, { recursive: true });
      return response.end('{"data":[{"url":"/result"}]}');
    });
    await using jobs = runnerAt(server);
    const { jobId = '' } = await failureOf(jobs.runner.run(imageJob(root), quiet));
    await using later = runnerAt(server);
    await later.recover();
    isThere = true;
    await later.runner.downloadAgain(jobId, quiet);
    assert.deepEqual(await readFile(join(root, 'media/images/a-fox.png')), pngBytes);
  });

  it('dismisses a job when the disk is too full for a lease', async function () {
    using disk = mountDisk('size=1m');
    skipUnless(this, disk.isReal, 'root and tmpfs');
    const journalFolder = join(disk.path, 'jobs');
    await using server = await startHttpServer((_, response) => response.writeHead(500).end());
    await using jobs = jobRunnerAt(server.origin, { root, journal: journalFolder });
    const { jobId = '' } = await failureOf(jobs.runner.run(imageJob(root), quiet));
    const filler = join(disk.path, 'filler');
    assert.throws(() => writeFileSync(filler, Buffer.alloc(2 * megabyte)), { code: 'ENOSPC' });
    await jobs.runner.dismiss(jobId);
    assert.deepEqual(jobs.jobs.all, []);
    assert.deepEqual(await jobsIn(journalFolder), []);
  });

  it('reports that the result cannot be kept either', async () => {
    await using server = await service(pngBytes, () => {
      for (const path of [root, journal]) rmSync(path, { recursive: true });
      writeFileSync(journal, 'no folder');
    });
    await using jobs = runnerAt(server);
    const error = await failureOf(jobs.runner.run(imageJob(root), quiet));
    assert.match(
      error.message,
      /cannot be kept in the extension's storage either \(.*\), and its address may expire\./,
    );
    assert.match(error.message, /in memory only\. Save it before you close this window\./);
  });

  it('keeps a small answer on disk when the disk fills up, in the space that was reserved for it', async function () {
    using disk = mountDisk('size=1m');
    skipUnless(this, disk.isReal, 'root and tmpfs');
    await using server = await startHttpServer((request, response) => {
      if (request.method !== 'POST') return response.writeHead(500).end();
      return request.resume().on('end', () => {
        assert.throws(() => writeFileSync(join(disk.path, 'filler'), Buffer.alloc(2 * megabyte)), { code: 'ENOSPC' });
        response.end('{"data":[{"url":"/result"}]}');
      });
    });
    await using jobs = jobRunnerAt(server.origin, { root, journal: join(disk.path, 'jobs') });
    const { jobId = '', message } = await failureOf(jobs.runner.run(imageJob(root), quiet));
    assert.doesNotMatch(message, /in memory only/);
    await using later = jobRunnerAt(server.origin, { root, journal: join(disk.path, 'jobs') });
    await later.recover();
    assert.equal(later.jobs.get(jobId)?.hasAnswer, true);
  });

  it('keeps the answer in memory when the journal has no space, and writes it once there is space', async () => {
    using disk = mountDisk('size=1m');
    const journalFolder = join(disk.path, 'jobs');
    const filler = join(disk.path, 'filler');
    await using server = await startHttpServer((request, response) => {
      request.resume().on('end', () => {
        if (disk.isReal) assert.throws(() => writeFileSync(filler, Buffer.alloc(2 * megabyte)), { code: 'ENOSPC' });
        else {
          rmSync(journalFolder, { recursive: true });
          writeFileSync(journalFolder, 'no folder');
        }
        rmSync(root, { recursive: true });
        response.end(JSON.stringify({ data: [{ b64_json: large.toString('base64') }] }));
      });
    });
    await using jobs = jobRunnerAt(server.origin, { root, journal: journalFolder });
    const { jobId = '', message } = await failureOf(jobs.runner.run(imageJob(root), quiet));
    assert.match(message, /in memory only\. Save it before you close this window\./);
    if (disk.isReal) {
      rmSync(filler);
      const again = await failureOf(jobs.runner.downloadAgain(jobId, quiet));
      assert.doesNotMatch(again.message, /in memory only/);
      const [job = ''] = await jobsIn(journalFolder);
      assert(job.endsWith(jobId));
      assert((await readdir(job)).some((name) => name.startsWith('answer-')));
    }
    await jobs.runner.downloadAgain(jobId, quiet, { ...imageJob(other).place, path: '' });
    assert.deepEqual(await readFile(join(other, 'a-fox.png')), large);
    assert.equal(server.requests.length, 1);
  });
});
