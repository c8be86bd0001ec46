import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FileWriter } from '../../../src/library/FileWriter.ts';
import type { ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { createDispatcher } from '../../../src/service/createDispatcher.ts';
import { clientOf } from '../../support/clientOf.ts';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { mp4Bytes } from '../../support/mediaBytes.ts';

const mebibyte = 2 ** 20;

describe('a large answer that is no result', () => {
  let dispatcher: ServiceDispatcher;
  let folder: string;

  beforeEach(async () => {
    dispatcher = createDispatcher();
    folder = await mkdtemp(join(tmpdir(), 'large-refusals-'));
  });

  afterEach(async () => {
    await dispatcher.destroy();
    await rm(folder, { recursive: true });
  });

  /** Refuses without end, and counts the bytes that it could send. */
  function endless(sent: { bytes: number }): RequestListener {
    return async (request, response) => {
      request.resume();
      response.writeHead(500, { 'content-type': 'text/html' }).write('<title>No GPU left</title> ');
      const gone = new Promise((resolve) => response.once('close', resolve));
      while (!response.destroyed) {
        sent.bytes += mebibyte;
        const drained = new Promise((resolve) => response.once('drain', resolve));
        if (!response.write(Buffer.alloc(mebibyte, '.'))) await Promise.race([gone, drained]);
      }
    };
  }

  const source = { videoStatusPath: '/v1/videos/{id}' };
  const works = {
    'a request': (host: string) => clientOf(host, dispatcher).send('generateImage', { model: 'm', prompt: 'p' }),
    'a status': (host: string) =>
      clientOf(host, dispatcher).status('generateVideo', { id: 'v' }, { base: host, ...source }),
    'a download': (host: string) => clientOf(host, dispatcher).download('generateVideo', '/x', { base: host }),
  } as const;
  for (const [name, work] of Object.entries(works)) {
    it(`closes the connection of ${name} when enough of a refusal is read`, async () => {
      const sent = { bytes: 0 };
      await using server = await startHttpServer(endless(sent));
      const incoming = server.next();
      const error = await failureOf(work(server.origin));
      const [{ socket }] = await incoming;
      // A reset is an error to `once`.
      if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
      assert.equal(error.status, 500);
      if (name !== 'a download') assert.match(error.message, /“No GPU left”/);
      // What lies in the buffers of both ends counts too.
      assert(sent.bytes < 32 * mebibyte, `${sent.bytes} bytes`);
    });
  }

  it('is read up to 1 MiB, also when it was compressed', async () => {
    const words = (end: string) =>
      JSON.stringify({ pad: '.'.repeat(mebibyte - 100), error: { message: `words ${end}` } });
    for (const [end, sentence] of [
      ['at the end', /“words at the end”/],
      ['behind it'.padEnd(200, '.'), /^(?!.*words)/],
    ] as const) {
      await using server = await startHttpServer((_, response) => {
        response.writeHead(500, { 'content-encoding': 'gzip' }).end(gzipSync(words(end)));
      });
      assert.match((await failureOf(works['a request'](server.origin))).message, sentence);
    }
  });

  it('goes to a file when it tells of a job', async () => {
    const video = Buffer.concat([mp4Bytes, Buffer.alloc(6 * mebibyte, 7)]);
    await using server = await startHttpServer((_, response) => {
      response.end(JSON.stringify({ id: 'v', status: 'completed', videos: [{ base64: video.toString('base64') }] }));
    });
    const client = clientOf(server.origin, dispatcher);
    const path = join(folder, 'answer');
    const openFile = () => FileWriter.open(path, 'wx+');
    const raw = await client.status('generateVideo', { id: 'v' }, { base: server.origin, ...source }, { openFile });
    assert(!(raw.body instanceof Uint8Array));
    assert.equal(raw.body.path, path);
    const answer = await client.read('generateVideo', raw, 'v');
    assert(answer.type === 'media' && 'data' in answer.media[0]);
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.media[0].data) chunks.push(chunk);
    assert(video.equals(Buffer.concat(chunks)));
  });
});
