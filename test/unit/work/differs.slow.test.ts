import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LibraryRecord } from '../../../src/library/LibraryRecord.ts';
import type { FurtherValue } from '../../../src/operations/Further.ts';
import type { Disobedience } from '../../../src/sandbox/Exchange.ts';
import { startSandbox } from '../../../src/sandbox/startSandbox.ts';
import type { JobInput } from '../../../src/work/JobRunner.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt, videoJob } from '../../support/jobRunner.ts';
import { pngBytes } from '../../support/mediaBytes.ts';

describe('a job whose result is not what was asked for', () => {
  let root: string;
  let journal: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'differs-'));
    journal = await mkdtemp(join(tmpdir(), 'differs-journal-'));
  });

  afterEach(async () => {
    await rm(root, { recursive: true });
    await rm(journal, { recursive: true });
  });

  const withFields = (job: JobInput, values: Readonly<Record<string, FurtherValue>>): JobInput => ({
    ...job,
    request: { ...job.request, further: { values } },
  });

  async function run(host: string, key: string, job: JobInput) {
    const notices: string[] = [];
    await using runner = jobRunnerAt(host, { root, journal }, 3, key);
    const assets = await runner.runner.run(job, {
      signal: new AbortController().signal,
      onProgress: () => undefined,
      onNotice: (sentence) => void notices.push(sentence),
    });
    const library = await readFile(join(root, '.unified-media/library.jsonl'), 'utf8');
    const records = library
      .trim()
      .split('\n')
      .map((line): LibraryRecord => JSON.parse(line));
    return { assets, notices, records };
  }

  async function disobeyed(disobeys: Disobedience, job: JobInput) {
    const sandbox = await startSandbox({ imageSize: 64, disobeys });
    try {
      const isVideo = job.operation === 'generateVideo';
      return await run(isVideo ? sandbox.videoBaseUrl : sandbox.imageBaseUrl, sandbox.key, job);
    } finally {
      await sandbox.stop();
    }
  }

  const asked = { size: '96x64', background: 'transparent' };

  it('is saved, recorded, and told once for all pictures', async () => {
    const job = withFields(imageJob(root, 2), asked);
    const { assets, notices, records } = await disobeyed({ size: [64, 64], background: 'checkerboard' }, job);
    const differs = [
      { field: 'size', asked: '96x64', got: '64x64' },
      { field: 'background', asked: 'transparent', got: 'opaque' },
    ];
    assert.deepEqual(
      assets.map((asset) => asset.differs),
      [differs, differs],
    );
    assert.deepEqual(
      records.map((record) => record.differs),
      [differs, differs],
    );
    assert.deepEqual(notices, [
      'The result is not what was asked for: size is 64x64 instead of 96x64; background is opaque instead of transparent.',
    ]);
  });

  it('is nothing to tell when the service obeys', async () => {
    const { notices, records } = await disobeyed({}, withFields(imageJob(root, 2), asked));
    assert.deepEqual(notices, []);
    assert.equal(records.length, 2);
    assert(records.every((record) => !('differs' in record)));
  });

  it('tells the length of a video', async () => {
    const { records } = await disobeyed({ seconds: 1 }, withFields(videoJob(root), { seconds: '4' }));
    assert.deepEqual(records[0]?.differs, [{ field: 'seconds', asked: '4', got: '1' }]);
  }).timeout(20_000);

  it('is saved without a word when it cannot be measured', async () => {
    const damaged = Buffer.concat([pngBytes.subarray(0, 25), Buffer.from([6]), pngBytes.subarray(26)]);
    await using server = await startHttpServer((request, response) => {
      const data = [{ b64_json: damaged.toString('base64') }];
      request.resume().on('end', () => response.end(JSON.stringify({ data })));
    });
    const { notices, records } = await run(
      server.origin,
      'key-1',
      withFields(imageJob(root), { background: 'transparent' }),
    );
    assert.deepEqual(notices, []);
    assert.equal(records[0]?.differs, undefined);
    assert.deepEqual(await readdir(join(root, 'media/images')), ['a-fox.png']);
  });
});
