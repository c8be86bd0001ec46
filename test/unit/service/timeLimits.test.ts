import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FileWriter } from '../../../src/files/LocalFolder.ts';
import type { RawAnswer } from '../../../src/service/Answer.ts';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { MediaClient } from '../../../src/service/MediaClient.ts';
import type { SendOptions } from '../../../src/service/send.ts';
import { sendRequest } from '../../support/clientOf.ts';
import { failureOf } from '../../support/failureOf.ts';
import { type StoppedTime, stopTime } from '../../support/fakeTime.ts';
import { bodyOf, startHttpServer } from '../../support/httpServer.ts';
import { mp3Bytes, wavOf } from '../../support/mediaBytes.ts';
import { startTcpServer } from '../../support/tcpServer.ts';

const mebibyte = 2 ** 20;
const speech = { model: 'm', input: 'Hello.' };

describe('time limits of an exchange', () => {
  let folder: string;
  let dispatcher: ServiceDispatcher;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'time-limits-'));
    dispatcher = createDispatcher();
  });

  afterEach(async () => {
    await dispatcher.destroy();
    await rm(folder, { recursive: true });
  });

  /** A client that gives up after the usual 60 s of silence. */
  function clientOf(host: string, seconds = 30): MediaClient {
    return new MediaClient({
      configuration: {
        hosts: { image: host, audio: host, video: host },
        videoStatusPath: '/v1/videos/{id}',
        timeoutSeconds: { image: seconds, audio: seconds, video: seconds },
      },
      key: () => 'key-1',
      dispatcher,
    });
  }

  const openFile = () => FileWriter.open(join(folder, 'answer'), 'wx+');

  async function recordingOf(bytes: number): Promise<string> {
    const file = join(folder, 'talk.wav');
    await writeFile(file, wavOf(Buffer.alloc(bytes, 0x80)));
    return file;
  }

  it('timeoutSeconds applies until the response begins, not while its body arrives', async () => {
    const body = Buffer.concat([mp3Bytes, Buffer.alloc(10 * mebibyte - mp3Bytes.length, 7)]);
    const rest = Promise.withResolvers<void>();
    await using server = await startHttpServer(async (_, response) => {
      response.writeHead(200, { 'content-length': body.length }).write(body.subarray(0, mebibyte));
      await rest.promise;
      response.end(body.subarray(mebibyte));
    });
    using clock = stopTime();
    const begun = Promise.withResolvers<void>();
    const exchange = clientOf(server.origin, 30).exchange('speak', speech, {
      openFile,
      onProgress: (step) => step.stage === 'downloading' && step.bytes === mebibyte && begun.resolve(),
    });
    await Promise.race([begun.promise, exchange]);
    await new Promise(setImmediate);
    clock.pass(59);
    rest.resolve();
    const raw = await exchange;
    assert.deepEqual(raw.body, { path: join(folder, 'answer'), length: body.length });
    assert(body.equals(await readFile(join(folder, 'answer'))));
    assert.equal(raw.partial, undefined);
  });

  it('timeoutSeconds starts when the upload has finished', async () => {
    // More than the socket buffers hold, so that the upload cannot finish before the server reads.
    const file = await recordingOf(60 * mebibyte);
    await using server = await startHttpServer();
    const incoming = server.next();
    using clock = stopTime();
    const work = sendRequest(clientOf(server.origin, 30), 'transcribe', { model: 'm', file });
    const [request, response] = await incoming;
    clock.pass(59);
    await bodyOf(request);
    response.end('{"text":"hello"}');
    assert.equal((await work).type, 'transcript');
  });

  it('silenceSeconds ends a stalled upload', async () => {
    const file = await recordingOf(60 * mebibyte);
    await using server = await startHttpServer();
    const incoming = server.next();
    using clock = stopTime();
    const work = failureOf(sendRequest(clientOf(server.origin), 'transcribe', { model: 'm', file }));
    const [request] = await incoming;
    const error = await clock.passUntil(work, 60);
    assert.equal(error.kind, 'timeout');
    assert.match(error.message, /^The upload to 127\.0\.0\.1:\d+ stalled for 60 s\.$/);
    assert.equal(error.mayBeBilled, true);
    // The connection is closed before the announced length was sent.
    await assert.rejects(bodyOf(request));
  });

  describe('while the body is silent', () => {
    /** Sends 2 of 5 MiB, then nothing. */
    const stall: RequestListener = (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-length': 5 * mebibyte, 'x-request-id': 'req_1' });
      response.write(Buffer.concat([mp3Bytes, Buffer.alloc(2 * mebibyte - mp3Bytes.length, 7)]));
    };

    /** Lets 60 s pass once 2 MiB have arrived. */
    async function passSilence(work: (options: SendOptions) => Promise<unknown>) {
      const arrived = Promise.withResolvers<StoppedTime>();
      const failed = failureOf(
        work({
          onProgress: (step) => {
            if (step.stage === 'downloading' && step.bytes === 2 * mebibyte) arrived.resolve(stopTime());
          },
        }),
      );
      using clock = await arrived.promise;
      // The next timer starts when the last chunk has been processed.
      await new Promise(setImmediate);
      clock.pass(59);
      await new Promise(setImmediate);
      clock.pass(1);
      return failed;
    }

    it('rejects after 60 s, and first hands over what arrived', async () => {
      await using server = await startHttpServer(stall);
      const client = clientOf(server.origin);
      const incoming = server.next();
      const partial: RawAnswer[] = [];
      const error = await passSilence((options) =>
        client.exchange('speak', speech, { ...options, onPartial: async (raw) => void partial.push(raw) }),
      );
      const [request] = await incoming;
      assert.equal(error.kind, 'timeout');
      assert.equal(error.mayBeBilled, true);
      assert.equal(error.requestId, 'req_1');
      assert.match(error.message, /sent nothing for 60 s\. 2 of 5 MiB arrived; this part of the answer is kept\./);
      assert.equal(partial.length, 1);
      assert.deepEqual(partial[0]?.partial, { bytes: 2 * mebibyte, total: 5 * mebibyte });
      assert.equal(partial[0].body.length, 2 * mebibyte);
      assert.deepEqual(partial[0].source, { base: server.origin });
      if (!request.socket.destroyed) await once(request.socket, 'close');
    });

    it('rejects a status after 60 s, which cannot be billed', async () => {
      await using server = await startHttpServer();
      const incoming = server.next();
      // The limit until the response begins.
      using clock = stopTime();
      const work = failureOf(clientOf(server.origin).status('generateVideo', { id: 'v' }, { base: server.origin }));
      await incoming;
      clock.pass(59);
      await new Promise(setImmediate);
      clock.pass(1);
      const error = await work;
      assert.equal(error.kind, 'timeout');
      assert.equal(error.mayBeBilled, false);
      assert.match(error.message, /did not report the status of the job in time/);
    });

    it('rejects a status and a download', async () => {
      await using server = await startHttpServer(stall);
      const client = clientOf(server.origin);
      const { data } = await client.download('speak', '/x.mp3', { base: server.origin });
      const incoming = server.next();
      using clock = stopTime();
      const download = await clock.passUntil(failureOf(drain(data)), 60);
      assert.equal(download.kind, 'download');
      assert.match(download.message, /was interrupted: 127\.0\.0\.1:\d+ sent nothing for 60 s\./);
      // Only errors with a cause are resumed.
      assert(download.cause);
      const polling = failureOf(client.status('generateVideo', { id: 'v' }, { base: server.origin }));
      await incoming;
      const status = await clock.passUntil(polling, 60);
      assert.equal(status.kind, 'timeout');
      assert.equal(status.mayBeBilled, false);
    });

    it('does not count the time that a slow reader takes', async () => {
      await using server = await startHttpServer((_, response) => response.end(Buffer.alloc(2 * mebibyte)));
      using clock = stopTime();
      const { data } = await clientOf(server.origin).download('speak', '/x', { base: server.origin });
      let bytes = 0;
      for await (const chunk of data) {
        if (bytes === 0) clock.pass(3600);
        bytes += chunk.length;
      }
      assert.equal(bytes, 2 * mebibyte);
    });

    it('rejects a download that never begins', async () => {
      await using server = await startHttpServer();
      const incoming = server.next();
      using clock = stopTime();
      const work = failureOf(clientOf(server.origin).download('speak', '/x', { base: server.origin }));
      await incoming;
      const error = await clock.passUntil(work, 60);
      assert.equal(error.kind, 'download');
      assert.match(error.message, /sent nothing for 60 s/);
    });
  });

  describe('when the body breaks off', () => {
    const breakAfter =
      (sent: number, total?: number): RequestListener =>
      (request, response) => {
        request.resume().on('end', () => {
          response.writeHead(200, total === undefined ? {} : { 'content-length': total });
          const body = Buffer.concat([mp3Bytes, Buffer.alloc(sent - mp3Bytes.length, 7)]);
          response.write(body, () => response.destroy());
        });
      };

    it('leaves what arrived in the file', async () => {
      await using server = await startHttpServer(breakAfter(19 * mebibyte, 40 * mebibyte));
      const path = join(folder, 'answer');
      const seen: unknown[] = [];
      const error = await failureOf(
        clientOf(server.origin).exchange('speak', speech, {
          openFile,
          onPartial: async ({ body, partial }) => {
            seen.push(body, partial, (await readFile(path)).length);
          },
        }),
      );
      assert.equal(error.kind, 'network');
      assert.equal(error.mayBeBilled, true);
      // undici drops what it still holds when the connection breaks, which is little.
      assert.match(error.message, /was lost: .*\. (19|18\.9) of 40 MiB arrived; this part of the answer is kept\./);
      const { length } = await readFile(path);
      assert(length > 18.8 * mebibyte && length <= 19 * mebibyte, String(length));
      assert.deepEqual(seen, [{ path, length }, { bytes: length, total: 40 * mebibyte }, length]);
      assert.equal(server.requests.length, 1);
    });

    it('reports when nothing of it is kept', async () => {
      await using server = await startHttpServer(breakAfter(3 * mebibyte));
      const full = () => Promise.reject(new Error('disk full'));
      for (const onPartial of [undefined, full]) {
        const error = await failureOf(clientOf(server.origin).exchange('speak', speech, { onPartial }));
        assert.match(error.message, /\. 3 MiB arrived; none of it is kept\./);
        assert.equal(error.kind, 'network');
        assert.equal(error.mayBeBilled, true);
      }
    });

    it('hands over nothing when nothing arrived or the request was aborted', async () => {
      await using empty = await startHttpServer((_, response) => {
        response.writeHead(200, { 'content-length': 10 }).flushHeaders();
        setImmediate(() => response.destroy());
      });
      let handedOver = 0;
      const onPartial = async () => void handedOver++;
      const error = await failureOf(clientOf(empty.origin).exchange('speak', speech, { onPartial }));
      assert.equal(error.kind, 'network');
      assert.equal(error.mayBeBilled, true);
      await using endless = await startHttpServer((_, response) => response.writeHead(200).write('begin'));
      const abort = new AbortController();
      const cancelled = await failureOf(
        clientOf(endless.origin).exchange('speak', speech, {
          onPartial,
          signal: abort.signal,
          onProgress: ({ stage }) => stage === 'downloading' && abort.abort(),
        }),
      );
      assert.equal(cancelled.kind, 'cancelled');
      assert.equal(handedOver, 0);
    });

    it('never reads a partial answer as a complete one', async () => {
      await using server = await startHttpServer(breakAfter(2 * mebibyte, 4 * mebibyte));
      const client = clientOf(server.origin);
      let kept: RawAnswer | undefined;
      const onPartial = async (raw: RawAnswer) => {
        kept = raw;
      };
      await failureOf(client.exchange('speak', speech, { onPartial }));
      assert(kept);
      const error = await failureOf(client.read('speak', kept));
      assert.equal(error.kind, 'unreadableAnswer');
      assert.match(error.message, /only 2 of 4 MiB arrived/);
    });
  });

  const sound = Buffer.concat([mp3Bytes, Buffer.alloc(5000, 7)]);
  const zipped = gzipSync(sound);
  const length = sound.length.toString(16);
  const cuts: readonly (readonly [string, string, Buffer | string])[] = [
    ['fewer bytes than its content-length', `content-length: ${sound.length + 1}\r\n`, sound],
    [
      'fewer bytes than its content-length, and connection: close',
      `content-length: ${sound.length + 1}\r\nconnection: close\r\n`,
      sound,
    ],
    ['a truncated chunk', 'transfer-encoding: chunked\r\n', Buffer.concat([Buffer.from('ffff\r\n'), sound])],
    ['no last chunk', 'transfer-encoding: chunked\r\n', Buffer.concat([Buffer.from(`${length}\r\n`), sound, crlf()])],
    [
      'no last chunk, and connection: close',
      'transfer-encoding: chunked\r\nconnection: close\r\n',
      Buffer.concat([Buffer.from(`${length}\r\n`), sound, crlf()]),
    ],
    [
      'truncated gzip of the declared length',
      `content-encoding: gzip\r\ncontent-length: ${zipped.length - 12}\r\n`,
      zipped.subarray(0, -12),
    ],
    ['truncated gzip', 'content-encoding: gzip\r\nconnection: close\r\n', zipped.subarray(0, -12)],
  ];
  for (const [name, headers, body] of cuts) {
    it(`rejects a response with ${name}`, async () => {
      await using server = await startTcpServer((socket) => {
        socket.once('data', () => socket.end(Buffer.concat([head(200, headers), Buffer.from(body)])));
      });
      const client = clientOf(`http://127.0.0.1:${server.port}`);
      const partial: RawAnswer[] = [];
      const onPartial = async (raw: RawAnswer) => void partial.push(raw);
      const error = await failureOf(client.exchange('speak', speech, { onPartial }));
      assert.equal(error.kind, 'network');
      assert.equal(error.mayBeBilled, true);
      assert(partial[0]?.partial);
      assert.match(error.message, /arrived; this part of the answer is kept/);

      const base = `http://127.0.0.1:${server.port}`;
      const status = await failureOf(client.status('generateVideo', { id: 'v' }, { base }));
      assert.equal(status.kind, 'network');
      assert.equal(status.mayBeBilled, false);
      const { data } = await client.download('speak', '/x.mp3', { base });
      assert.equal((await failureOf(drain(data))).kind, 'download');
    });
  }

  for (const [name, bytes] of [
    ['in memory', 10],
    ['in a file', 5 * 2 ** 20],
  ] as const) {
    it(`takes JSON that is whole, ${name}, and keeps JSON that is cut, when the connection ends before its length`, async () => {
      const whole = `{"data":[{"b64_json":"${Buffer.alloc(bytes, 7).toString('base64')}","a":"}]\\""}]}\n`;
      for (const cut of [0, 1, 2, 5]) {
        const body = whole.slice(0, whole.length - cut);
        await using server = await startTcpServer((socket) => {
          const headers = `content-type: application/json\r\ncontent-length: ${whole.length + 100}\r\n`;
          socket.once('data', () => socket.end(Buffer.concat([head(200, headers), Buffer.from(body)])));
        });
        const openFile = () => FileWriter.open(join(folder, `answer-${cut}`), 'wx+', 0o600);
        const exchanged = clientOf(`http://127.0.0.1:${server.port}`).exchange('speak', speech, { openFile });
        if (cut < 2) assert.equal((await exchanged).body.length, body.length);
        else assert.deepEqual([(await failureOf(exchanged)).kind, cut], ['network', cut]);
      }
    });
  }

  const contentLength = `content-length: ${sound.length}\r\n`;
  for (const [name, before, headers] of [
    ['100 Continue that nobody asked for', 'HTTP/1.1 100 Continue\r\n\r\n', contentLength],
    ['100 and 103 with fields', 'HTTP/1.1 100 Continue\r\nx: y\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n', contentLength],
    ['the same length twice', '', `${contentLength}x: y\r\n${contentLength}`],
  ] as const) {
    it(`accepts ${name}, in one piece or byte by byte`, async () => {
      for (const isSlow of [false, true]) {
        await using server = await startTcpServer((socket) => {
          const all = Buffer.concat([Buffer.from(before), head(200, headers), sound]);
          const send = async () => {
            for (const byte of all) await new Promise((resolve) => socket.write(Buffer.of(byte), resolve));
            socket.end();
          };
          socket.setNoDelay(true);
          socket.once('data', () => (isSlow ? void send() : socket.end(all)));
        });
        const raw = await clientOf(`http://127.0.0.1:${server.port}`).exchange('speak', speech);
        assert.deepEqual(Buffer.from(raw.body as Uint8Array), sound);
      }
    });
  }

  it('rejects two different lengths', async () => {
    await using server = await startTcpServer((socket) => {
      const headers = `content-length: ${sound.length}\r\ncontent-length: ${sound.length - 1}\r\n`;
      socket.once('data', () => socket.end(Buffer.concat([head(200, headers), sound])));
    });
    const exchanged = clientOf(`http://127.0.0.1:${server.port}`).exchange('speak', speech);
    assert.equal((await failureOf(exchanged)).kind, 'network');
  });

  it('accepts a response without a length that ends with its connection', async () => {
    await using server = await startTcpServer((socket) => {
      socket.once('data', () => socket.end(Buffer.concat([head(200, 'connection: close\r\n'), sound])));
    });
    const answer = await sendRequest(clientOf(`http://127.0.0.1:${server.port}`), 'speak', speech);
    assert.deepEqual(answer.type === 'media' && answer.media, [{ bytes: sound }]);
  });

  it('reports a rejection by its status when its body breaks off or stalls', async () => {
    for (const end of [(response: ServerResponse) => response.destroy(), () => undefined]) {
      await using server = await startHttpServer((request, response) => {
        request.resume();
        response.writeHead(401, { 'content-length': 1000 }).write('{"error":{"message":"no', () => end(response));
      });
      const incoming = server.next();
      using clock = stopTime();
      // Only silence can end it here.
      const client = clientOf(server.origin, 1e6);
      const work = failureOf(sendRequest(client, 'generateImage', { model: 'm', prompt: 'p' }));
      await incoming;
      const error = await clock.passUntil(work, 60);
      assert.equal(error.kind, 'unauthorized');
      assert.equal(error.mayBeBilled, false);
    }
  });
});

function crlf(): Buffer {
  return Buffer.from('\r\n');
}

function head(status: number, headers: string): Buffer {
  return Buffer.from(`HTTP/1.1 ${status} X\r\ncontent-type: audio/mpeg\r\n${headers}\r\n`);
}

async function drain(data: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of data);
}
