import assert from 'node:assert/strict';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { clientOf, downloadAll, sendRequest } from '../../support/clientOf.ts';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';

const image = { model: 'm', prompt: 'p' };
const answer = Buffer.from(JSON.stringify({ data: [{ url: 'https://files.test/a.png' }] }));
/** The same as a list of lines, whose first bytes look like those of a raw deflate stream. */
const indented = Buffer.from(JSON.stringify(JSON.parse(String(answer)), null, 1));
const wrongChecksum = Buffer.concat([gzipSync(answer).subarray(0, -8), Buffer.alloc(8)]);

/** Content-Encoding, the body under it, and whether the body is sent byte by byte. */
const bodies: readonly (readonly [string, string | string[], Buffer, boolean?])[] = [
  ['gzip', 'gzip', gzipSync(answer)],
  ['gzip, byte by byte', 'gzip', gzipSync(answer), true],
  ['deflate', 'deflate', deflateSync(answer)],
  ['deflate without the zlib header', 'deflate', deflateRawSync(answer)],
  ['Brotli', 'br', brotliCompressSync(answer)],
  ['Zstandard', 'zstd', zstdCompressSync(answer)],
  ['Zstandard, byte by byte', 'zstd', zstdCompressSync(answer), true],
  ['text that claims to be Zstandard', 'zstd', answer],
  ['text that claims to be gzip', 'gzip', answer],
  ['text that claims to be gzip, byte by byte', 'x-gzip', answer, true],
  ['text that claims to be deflate', 'deflate', answer],
  ['text with line breaks that claims to be deflate, byte by byte', 'deflate', indented, true],
  ['text that claims to be Brotli', 'br', answer],
  ['text with line breaks that claims to be Brotli, byte by byte', 'br', indented, true],
  ['gzip with a wrong checksum', 'gzip', wrongChecksum],
  ['deflate with a wrong checksum', 'deflate', Buffer.concat([deflateSync(answer).subarray(0, -4), Buffer.alloc(4)])],
  ['gzip with a wrong checksum, byte by byte', 'gzip', wrongChecksum, true],
  ['gzip that is named twice', ['gzip', 'gzip'], gzipSync(answer)],
  ['gzip beside an encoding that changes nothing', 'GZIP, identity', gzipSync(answer)],
  ['two encodings', 'deflate, gzip', gzipSync(deflateSync(answer))],
];

function parse(bytes: Buffer): unknown {
  return JSON.parse(String(bytes));
}

describe('a compressed body', () => {
  let dispatcher: ServiceDispatcher;

  beforeEach(() => {
    dispatcher = createDispatcher();
  });

  afterEach(() => dispatcher.destroy());

  async function serve(encoding: string | string[], body: Buffer, isSlow = false, status = 200) {
    return startHttpServer(async (_, response) => {
      response.setHeader('content-encoding', encoding).writeHead(status);
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
      const { type, media } = (await sendRequest(client, 'generateImage', image)) as { type: string; media: unknown };
      assert.deepEqual([type, media], ['media', [{ url: 'https://files.test/a.png' }]]);
      assert.deepEqual(parse(await downloadAll(client, '/a.png', server.origin)), parse(answer));
    });
  }

  it('may be empty', async () => {
    await using server = await serve('gzip', Buffer.alloc(0), false, 202);
    const status = clientOf(server.origin, dispatcher, { videoStatusPath: '/v1/videos/{id}' });
    const raw = await status.status('generateVideo', { id: 'v' }, { base: server.origin });
    assert.equal(raw.body.length, 0);
  });

  for (const [name, encoding, body] of [
    ['gzip', 'gzip', gzipSync(answer).subarray(0, -8)],
    ['deflate', 'deflate', deflateSync(answer).subarray(0, -4)],
  ] as const) {
    it(`is read without its checksum if all announced bytes arrived: ${name}`, async () => {
      await using server = await startHttpServer((_, response) => {
        response.writeHead(200, { 'content-encoding': encoding, 'content-length': body.length }).end(body);
      });
      const { type } = await sendRequest(clientOf(server.origin, dispatcher), 'generateImage', image);
      assert.equal(type, 'media');
    });
  }

  it('is not read when fewer bytes arrive than announced', async () => {
    await using server = await startHttpServer((_, response) => {
      const body = gzipSync(answer);
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': body.length });
      response.write(body.subarray(0, -8), () => response.destroy());
    });
    const error = await failureOf(sendRequest(clientOf(server.origin, dispatcher), 'generateImage', image));
    assert.deepEqual([error.kind, error.mayBeBilled], ['network', true]);
  });

  it('is not read when it ends early', async () => {
    await using server = await serve('gzip', gzipSync(answer).subarray(0, 30));
    const error = await failureOf(sendRequest(clientOf(server.origin, dispatcher), 'generateImage', image));
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
