import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FileWriter } from '../../../src/files/LocalFolder.ts';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { clientOf, sendRequest } from '../../support/clientOf.ts';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { mp4Bytes } from '../../support/mediaBytes.ts';

const mebibyte = 2 ** 20;

describe('large responses that are not results', () => {
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

  /** Sends an endless refusal and counts the bytes sent. */
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
    'a request': (host: string) =>
      sendRequest(clientOf(host, dispatcher), 'generateImage', { model: 'm', prompt: 'p' }),
    'a status': (host: string) =>
      clientOf(host, dispatcher).status('generateVideo', { id: 'v' }, { base: host, ...source }),
    'a download': (host: string) => clientOf(host, dispatcher).download('generateVideo', '/x', { base: host }),
  } as const;
  for (const [name, work] of Object.entries(works)) {
    it(`closes the connection of ${name} once enough of the refusal was read`, async () => {
      const sent = { bytes: 0 };
      await using server = await startHttpServer(endless(sent));
      const incoming = server.next();
      const error = await failureOf(work(server.origin));
      const [{ socket }] = await incoming;
      // `once` would reject on a reset.
      if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
      assert.equal(error.status, 500);
      if (name !== 'a download') assert.match(error.message, /“No GPU left”/);
      // Includes the socket buffers of both ends.
      assert(sent.bytes < 32 * mebibyte, `${sent.bytes} bytes`);
    });
  }

  it('reads a refusal up to 1 MiB after decompression', async () => {
    const words = (end: string) =>
      JSON.stringify({ pad: '.'.repeat(mebibyte - 100), error: { message: `words ${end}` } });
    for (const [end, sentence] of [
      ['at the end', /“words at the end”/],
      ['beyond it'.padEnd(200, '.'), /^(?!.*words)/],
    ] as const) {
      await using server = await startHttpServer((_, response) => {
        response.writeHead(500, { 'content-encoding': 'gzip' }).end(gzipSync(words(end)));
      });
      assert.match((await failureOf(works['a request'](server.origin))).message, sentence);
    }
  });

  it('writes a large status response to a file', async () => {
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
