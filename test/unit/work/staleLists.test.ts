import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt, videoJob } from '../../support/jobRunner.ts';
import { pngBytes } from '../../support/mediaBytes.ts';

const quiet = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };
const videoStatusPath = '/v1/videos/{id}';

describe('a job on the lists of two windows', () => {
  let root: string;
  let journal: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'stale-workspace-'));
    journal = await mkdtemp(join(tmpdir(), 'stale-journal-'));
  });

  afterEach(async () => {
    await rm(root, { recursive: true });
    await rm(journal, { recursive: true });
  });

  it('is updated on the other list by recover', async () => {
    let state: object = { id: 'v', status: 'queued' };
    await using server = await startHttpServer((_, response) => response.end(JSON.stringify(state)));
    const options = { root, journal, videoStatusPath, timeoutSeconds: 10 };
    await using mine = jobRunnerAt(server.origin, options);
    const { jobId = '' } = await failureOf(mine.runner.run(videoJob(root), quiet));
    await using theirs = jobRunnerAt(server.origin, options);
    await theirs.recover();
    assert.equal(theirs.jobs.get(jobId)?.state, 'unknown');
    state = { id: 'v', status: 'failed', error: { message: 'the GPU is on fire' } };
    await failureOf(mine.runner.downloadAgain(jobId, quiet));
    await theirs.recover();
    const job = theirs.jobs.get(jobId);
    assert.deepEqual([job?.state, job?.hasAnswer], ['failed', false]);
    assert.match(job?.error?.message ?? '', /the GPU is on fire/);
  });

  it("continues from its state on disk, not from the other window's list", async () => {
    let available: readonly string[] = [];
    await using server = await startHttpServer((request, response) => {
      if (request.method === 'POST') return response.end('{"data":[{"url":"/0"},{"url":"/1"}]}');
      return response.writeHead(available.includes(request.url ?? '') ? 200 : 410).end(pngBytes);
    });
    await using mine = jobRunnerAt(server.origin, { root, journal });
    const { jobId = '' } = await failureOf(mine.runner.run(imageJob(root, 2), quiet));
    await using theirs = jobRunnerAt(server.origin, { root, journal });
    await theirs.recover();
    available = ['/0'];
    await failureOf(mine.runner.downloadAgain(jobId, quiet));
    await rename(join(root, 'media/images/a-fox.png'), join(root, 'moved.png'));
    available = ['/0', '/1'];
    await theirs.runner.downloadAgain(jobId, quiet);
    assert.deepEqual(await readdir(join(root, 'media/images')), ['a-fox.png']);
    const library = await readFile(join(root, '.unified-media/library.jsonl'), 'utf8');
    assert.equal(library.trimEnd().split('\n').length, 2);
  });
});
