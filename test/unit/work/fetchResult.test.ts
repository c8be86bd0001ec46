import assert from 'node:assert/strict';
import { MediaError } from '../../../src/operations/MediaError.ts';
import { createDispatcher } from '../../../src/service/createDispatcher.ts';
import type { Download } from '../../../src/service/send.ts';
import { fetchResult, type OpenResult } from '../../../src/work/fetchResult.ts';
import { clientOf } from '../../support/clientOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';

const whole = Buffer.from('0123456789abcdefghij');
const broken = new MediaError('download', 'broke off', { cause: new Error('reset') });

/** Plays one attempt after another: what the server sends from a position, and how it ends. */
function server(...attempts: readonly ((from: number) => Download)[]) {
  const positions: number[] = [];
  const open = async (from: number): Promise<Download> => {
    positions.push(from);
    const attempt = attempts[positions.length - 1];
    assert(attempt, 'one request too many');
    return attempt(from);
  };
  return { positions, open };
}

const ranged = (bytes: number, end?: Error) => (from: number) => ({
  start: from,
  data: send(whole.subarray(from, from + bytes), end),
});
const fromStart = (bytes: Buffer, end?: Error) => () => ({ start: 0, data: send(bytes, end) });
const refuse = (error: Error) => () => {
  throw error;
};

async function* send(bytes: Buffer, end?: Error) {
  for (let at = 0; at < bytes.length; at += 3) yield bytes.subarray(at, at + 3);
  if (end) throw end;
}

async function fetchAll(open: OpenResult, signal = new AbortController().signal) {
  const pauses: number[] = [];
  const chunks: Uint8Array[] = [];
  const options = {
    signal,
    onProgress: () => undefined,
    sleep: async (milliseconds: number) => {
      signal.throwIfAborted();
      pauses.push(milliseconds / 1000);
    },
  };
  let error: unknown;
  try {
    for await (const chunk of fetchResult(open, options)) chunks.push(chunk);
  } catch (thrown) {
    error = thrown;
  }
  return { bytes: Buffer.concat(chunks), pauses, error };
}

describe('fetchResult', () => {
  for (const [what, first, second] of [
    ['etag', '"a"', '"b"'],
    ['total', 20, 21],
  ] as const) {
    it(`does not join two versions of a result that differ in their ${what}`, async () => {
      const of = (value: string | number, attempt: (from: number) => Download) => (from: number) => ({
        ...attempt(from),
        version: { etag: undefined, total: undefined, [what]: value },
      });
      const { open } = server(of(first, ranged(9, broken)), of(second, ranged(20)));
      const { bytes, error } = await fetchAll(open);
      assert.equal(bytes.length, 9);
      assert(error instanceof MediaError);
      assert.equal(error.message, 'The result changed while it was being downloaded.');
    });
  }

  it('requests the rest of the same version with If-Range', async () => {
    await using host = await startHttpServer((request, response) => {
      const headers = { etag: '"v1"' };
      if (request.headers['if-range'] === '"v1"') {
        response.writeHead(206, { ...headers, 'content-range': 'bytes 9-19/20' }).end(whole.subarray(9));
      } else {
        response.writeHead(200, { ...headers, 'content-length': 20 });
        // After a reset, Windows discards what has arrived.
        response.write(whole.subarray(0, 9), () => setImmediate(() => response.socket?.destroy()));
      }
    });
    const dispatcher = createDispatcher();
    const client = clientOf(host.origin, dispatcher);
    const source = { base: host.origin };
    const open: OpenResult = (from, version) =>
      client.download('generateImage', `${host.origin}/x`, source, { from, version });
    assert.deepEqual((await fetchAll(open)).bytes, whole);
    assert.deepEqual(
      host.requests.map(({ headers }) => headers['if-range']),
      [undefined, '"v1"'],
    );
    await dispatcher.destroy();
  });

  it('returns a result that arrives in one piece', async () => {
    const { open } = server(ranged(20));
    assert.deepEqual(await fetchAll(open), { bytes: whole, pauses: [], error: undefined });
  });

  it('resumes after a break, and resets the pause once bytes arrive', async () => {
    const { open, positions } = server(ranged(6, broken), ranged(5, broken), ranged(9));
    const { bytes, pauses } = await fetchAll(open);
    assert.deepEqual(bytes, whole);
    assert.deepEqual(positions, [0, 6, 11]);
    assert.deepEqual(pauses, [0.5, 0.5]);
  });

  it('skips the known bytes when a server without ranges sends everything again', async () => {
    const { open } = server(ranged(7, broken), fromStart(whole));
    assert.deepEqual((await fetchAll(open)).bytes, whole);
  });

  it('does not join parts of different files', async () => {
    const { open } = server(ranged(7, broken), fromStart(Buffer.from('ABCDEFGHIJKLMNOPQRST')));
    const { bytes, error } = await fetchAll(open);
    assert.equal(bytes.length, 6 + 1);
    assert.match(String(error), /changed while it was being downloaded/);
  });

  for (const [name, answer] of [
    ['an empty answer', fromStart(Buffer.alloc(0))],
    ['a shorter file', fromStart(Buffer.from('busy'))],
    ['a later range', () => ({ start: 9, data: send(whole.subarray(9)) })],
  ] as const) {
    it(`does not accept ${name} as the rest`, async () => {
      const { open } = server(ranged(7, broken), answer);
      const { bytes, error } = await fetchAll(open);
      assert.equal(bytes.length, 7);
      assert.match(String(error), /changed while it was being downloaded/);
    });
  }

  it('requests the rest when a server sends less than requested', async () => {
    await using service = await startHttpServer((request, response) => {
      const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      const part = whole.subarray(from, from + 8);
      if (from === 0) {
        // The connection breaks.
        response.writeHead(200, { 'content-length': whole.length }).write(part, () => request.socket.destroy());
        return;
      }
      const range = `bytes ${from}-${from + part.length - 1}/${whole.length}`;
      response.writeHead(206, { 'content-range': range, 'content-length': part.length }).end(part);
    });
    const dispatcher = createDispatcher();
    const client = clientOf(service.origin, dispatcher);
    const open = (from: number) =>
      client.download('generateVideo', `${service.origin}/video`, { base: service.origin }, { from });
    const { bytes, error } = await fetchAll(open);
    await dispatcher.destroy();
    assert.equal(error, undefined);
    assert.deepEqual(bytes, whole);
    assert.equal(service.requests.length, 3);
  });

  for (const status of [401, 403, 404, 408, 425, 429, 500, 502, 503, 504]) {
    it(`retries after ${status}, because the file may not be there yet`, async () => {
      const notYet = new MediaError('download', 'not yet', { status });
      const { open } = server(refuse(notYet), refuse(notYet), ranged(20));
      const { bytes, pauses } = await fetchAll(open);
      assert.deepEqual(bytes, whole);
      assert.deepEqual(pauses, [0.5, 1]);
    });
  }

  it('retries after a network error', async () => {
    const offline = new MediaError('network', 'offline', { cause: new Error('ENETUNREACH') });
    const { open } = server(refuse(offline), ranged(20));
    assert.deepEqual((await fetchAll(open)).bytes, whole);
  });

  it('gives up after twenty seconds of pauses without a byte', async () => {
    const gone = new MediaError('download', 'gone', { status: 404 });
    const { open } = server(...Array.from({ length: 7 }, () => refuse(gone)));
    const { pauses, error } = await fetchAll(open);
    assert.equal(error, gone);
    assert.equal(
      pauses.reduce((sum, pause) => sum + pause, 0),
      20,
    );
  });

  for (const final of [
    new MediaError('download', 'no http(s) URL'),
    new MediaError('download', 'gone for good', { status: 410 }),
    new MediaError('cancelled', 'cancelled'),
    new MediaError('tls', 'certificate'),
    new TypeError('a bug'),
  ]) {
    it(`does not retry: ${final.message}`, async () => {
      const { open } = server(refuse(final));
      assert.equal((await fetchAll(open)).error, final);
    });
  }

  it('rejects with "cancelled" when aborted during a pause', async () => {
    const abort = new AbortController();
    const { open } = server(() => {
      abort.abort();
      throw broken;
    });
    const { error } = await fetchAll(open, abort.signal);
    assert(error instanceof MediaError && error.kind === 'cancelled');
  });
});
