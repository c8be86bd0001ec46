import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt, videoJob } from '../../support/jobRunner.ts';
import { mp4Bytes, pngBytes } from '../../support/mediaBytes.ts';

const quiet = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };
const script = '<script>alert(1)</script>';

describe('a hostile result (promises 11, 12)', () => {
  let parent: string;
  let root: string;
  let journal: string;

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'hostile-'));
    root = await mkdtemp(join(parent, 'workspace-'));
    journal = await mkdtemp(join(parent, 'journal-'));
  });

  afterEach(() => rm(parent, { recursive: true }));

  /** A service that responds with `answer`, and serves `bytes` at every result URL. */
  function service(answer: unknown, bytes: string | Buffer, headers: OutgoingHttpHeaders = {}) {
    return startHttpServer((request, response) => {
      if (request.method !== 'POST') return response.writeHead(200, headers).end(bytes);
      return request.resume().on('end', () => response.end(JSON.stringify(answer)));
    });
  }

  const files = async () =>
    (await readdir(parent, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => relative(root, join(parentPath, name)).replaceAll('\\', '/'))
      .sort();

  const disguises: readonly (readonly [string, string])[] = [
    ['an SVG', `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`],
    [
      'an SVG with an XML declaration',
      `<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`,
    ],
    ['an SVG after a comment', `\uFEFF<!-- PNG -->\n<svg onload="alert(1)" xmlns="http://www.w3.org/2000/svg"/>`],
    ['a web page', `<!doctype html>${script}`],
    ['a shell script', '#!/bin/sh\nrm -rf ~\n'],
  ];
  for (const [name, text] of disguises) {
    it(`is not saved when it is ${name} that claims to be a PNG, by URL or in the answer`, async () => {
      for (const medium of [{ url: '/x.png' }, { b64_json: Buffer.from(text).toString('base64') }]) {
        await using server = await service({ data: [medium] }, text, { 'content-type': 'image/png' });
        await using job = jobRunnerAt(server.origin, { root, journal });
        const error = await failureOf(job.runner.run(imageJob(root), quiet));
        assert.equal(error.kind, 'download');
        assert.match(error.message, /instead of an image\. The data is kept/);
        assert.deepEqual(await readdir(join(root, 'media/images')), []);
      }
    });
  }

  const names: readonly string[] = [
    '/../../../evil.sh',
    '/..%2f..%2f..%2fevil.sh',
    '/..\\..\\evil.exe',
    '/%2e%2e/evil.sh',
  ];
  for (const path of names) {
    it(`cannot choose its file name: ${path}`, async () => {
      const answer = { id: '../../evil', data: [{ url: path, filename: '../../evil.sh' }] };
      const headers = {
        'content-type': 'application/x-sh',
        'content-disposition': `attachment; filename="../../../evil.sh"; filename*=UTF-8''..%2F..%2Fevil.sh`,
      };
      await using images = await service(answer, pngBytes, headers);
      await using imageJobs = jobRunnerAt(images.origin, { root, journal });
      await imageJobs.runner.run(imageJob(root), quiet);
      await using videos = await service({ video_id: '../../evil', ...answer }, mp4Bytes, headers);
      await using videoJobs = jobRunnerAt(videos.origin, { root, journal });
      await videoJobs.runner.run(videoJob(root), quiet);
      assert.deepEqual(await files(), [
        '.unified-media/library.jsonl',
        'media/images/a-fox.png',
        'media/videos/a-fox.mp4',
      ]);
    });
  }
});
