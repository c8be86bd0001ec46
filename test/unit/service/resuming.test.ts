import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { clientOf } from '../../support/clientOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';

const whole = Buffer.from('0123456789');

describe('resuming a download', () => {
  let dispatcher: ServiceDispatcher;

  beforeEach(() => {
    dispatcher = createDispatcher();
  });

  afterEach(() => dispatcher.destroy());

  async function resume(answer: RequestListener, from = 4) {
    await using server = await startHttpServer(answer);
    const client = clientOf(server.origin, dispatcher);
    const { start, data } = await client.download('generateImage', '/x', { base: server.origin }, { from });
    const chunks: Uint8Array[] = [];
    for await (const chunk of data) chunks.push(chunk);
    return { start, text: String(Buffer.concat(chunks)), range: server.requests[0]?.headers.range };
  }

  it('continues where a 206 response starts', async () => {
    const headers = { 'content-range': 'bytes 4-9/10' };
    const resumed = await resume((_, response) => response.writeHead(206, headers).end(whole.subarray(4)));
    assert.deepEqual(resumed, { start: 4, text: '456789', range: 'bytes=4-' });
  });

  it('returns another start when the 206 response has one', async () => {
    const headers = { 'content-range': 'bytes 2-9/10' };
    const resumed = await resume((_, response) => response.writeHead(206, headers).end(whole.subarray(2)));
    assert.equal(resumed.start, 2);
  });

  it('starts over on 200, whatever its headers say', async () => {
    for (const headers of [{}, { 'content-range': 'bytes 4-9/10' }]) {
      const resumed = await resume((_, response) => response.writeHead(200, headers).end(whole));
      assert.deepEqual([resumed.start, resumed.text], [0, String(whole)]);
    }
  });

  it('is complete when nothing is left, although the connection was cut', async () => {
    const resumed = await resume((_, response) => response.writeHead(416, { 'content-range': 'bytes */10' }).end(), 10);
    assert.deepEqual(resumed, { start: 10, text: '', range: 'bytes=10-' });
  });

  it('is rejected when the result is shorter than what arrived before', async () => {
    const short = resume((_, response) => response.writeHead(416, { 'content-range': 'bytes */9' }).end(), 10);
    await assert.rejects(short, { kind: 'download', status: 416 });
  });

  it('sends no Range header for a download from the start', async () => {
    const resumed = await resume((_, response) => response.end(whole), 0);
    assert.deepEqual(resumed, { start: 0, text: String(whole), range: undefined });
  });
});
