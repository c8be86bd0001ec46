import assert from 'node:assert/strict';
import { readlinkSync } from 'node:fs';
import { type FileHandle, mkdir, mkdtemp, open, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt } from '../../support/jobRunner.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { skipUnless } from '../../support/skipUnless.ts';

const quiet = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };

/** A flush is what takes longest on this computer, so each has its place here and its reason in `src/work/Work.ts`. */
describe('a paid request (promises 37, 41)', () => {
  let folder: string;
  let prototype: FileHandle;
  let sync: FileHandle['sync'];
  let flushed: string[];

  beforeEach(async function () {
    skipUnless(this, process.platform === 'linux', '/proc');
    folder = await realpath(await mkdtemp(join(tmpdir(), 'flushes-')));
    for (const name of ['project', 'store']) await mkdir(join(folder, name));
    await using handle = await open(folder);
    prototype = Object.getPrototypeOf(handle) as FileHandle;
    sync = prototype.sync;
    flushed = [];
    prototype.sync = function counting(this: FileHandle) {
      const path = readlinkSync(`/proc/self/fd/${this.fd}`).slice(folder.length + 1);
      flushed.push(path.replace(/[0-9a-f]{32,64}/g, 'KEY').replace(/-?[0-9a-f]{8}-[0-9a-f-]+/g, '*'));
      return sync.call(this);
    };
  });

  afterEach(async () => {
    if (process.platform !== 'linux') return;
    prototype.sync = sync;
    await rm(folder, { recursive: true });
  });

  it('flushes once what it needs before it is sent, and each step of saving', async () => {
    let before: readonly string[] = [];
    await using server = await startHttpServer((request, response) => {
      before = flushed.splice(0);
      const data = [{ b64_json: pngBytes.toString('base64') }];
      request.resume().on('end', () => response.end(JSON.stringify({ data })));
    });
    const project = join(folder, 'project');
    await using window = jobRunnerAt(server.origin, { root: project, journal: join(folder, 'store') });
    await window.runner.run({ ...imageJob(project), key: 'a'.repeat(64) }, quiet);
    assert.deepEqual(before.toSorted(), [
      'project/.unified-media',
      'project/.unified-media/jobs',
      'project/.unified-media/jobs/.gitignore',
      'project/.unified-media/jobs/KEY',
      'store',
      'store/KEY',
      'store/KEY/journal.jsonl',
      'store/KEY/reserve',
    ]);
    assert.deepEqual(flushed, [
      'store/KEY/answer*',
      'store/KEY/journal.jsonl',
      'store/KEY',
      'project/media/images/.*.part',
      'store/KEY/journal.jsonl',
      'project/media/images',
      'project/.unified-media/library.jsonl',
      'store/KEY/journal.jsonl',
    ]);
  });
});
