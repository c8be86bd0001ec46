import assert from 'node:assert/strict';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { createDispatcher } from '../../../src/service/createDispatcher.ts';
import { clientOf, downloadAll } from '../../support/clientOf.ts';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';

const image = { model: 'm', prompt: 'p' };
const answer = Buffer.from(JSON.stringify({ data: [{ url: 'https://files.test/a.png' }] }));

/** Content-Encoding, the body under it, and whether the body is sent byte by byte. */
const bodies: readonly (readonly [string, string, Buffer, boolean?])[] = [
  ['gzip', 'gzip', gzipSync(answer)],
  ['gzip, byte by byte', 'gzip', gzipSync(answer), true],
  ['deflate', 'deflate', deflateSync(answer)],
  ['deflate without the zlib header', 'deflate', deflateRawSync(answer)],
  ['Brotli', 'br', brotliCompressSync(answer)],
  ['text that claims to be gzip', 'gzip', answer],
  ['text that claims to be gzip, byte by byte', 'x-gzip', answer, true],
];

describe('a compressed body', () => {
  let dispatcher: ServiceDispatcher;

  beforeEach(() => {
    dispatcher = createDispatcher();
  });

  afterEach(() => dispatcher.destroy());

  async function serve(encoding: string, body: Buffer, isSlow = false, status = 200) {
    return startHttpServer(async (_, response) => {
      response.writeHead(status, { 'content-encoding': encoding });
      for (const byte of isSlow ? body : []) {
        response.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end(isSlow ? undefined : body);
    });
  }

  for (const [name, encoding, body, isSlow] of bodies) {
    it(`is read: ${name}`, async () => {
      await using server = await serve(encoding, body, isSlow);
      const client = clientOf(server.origin, dispatcher);
      const { type, media } = (await client.send('generateImage', image)) as { type: string; media: unknown };
      assert.deepEqual([type, media], ['media', [{ url: 'https://files.test/a.png' }]]);
      assert.deepEqual(await downloadAll(client, '/a.png', server.origin), answer);
    });
  }

  it('may be empty', async () => {
    await using server = await serve('gzip', Buffer.alloc(0), false, 202);
    const status = clientOf(server.origin, dispatcher, { videoStatusPath: '/v1/videos/{id}' });
    const raw = await status.status('generateVideo', { id: 'v' }, { base: server.origin });
    assert.equal(raw.body.length, 0);
  });

  it('is not read when it ends early', async () => {
    await using server = await serve('gzip', gzipSync(answer).subarray(0, 30));
    const error = await failureOf(clientOf(server.origin, dispatcher).send('generateImage', image));
    assert.deepEqual([error.kind, error.mayBeBilled], ['network', true]);
  });

  it('is not read as plain when it is the rest of a download', async () => {
    await using server = await startHttpServer((_, response) => {
      const headers = { 'content-encoding': 'gzip', 'content-range': 'bytes 20-29/30' };
      response.writeHead(206, headers).end(gzipSync(answer).subarray(20, 30));
    });
    const error = await failureOf(downloadAll(clientOf(server.origin, dispatcher), '/a.png', server.origin, 20));
    assert.equal(error.kind, 'download');
  });
});
