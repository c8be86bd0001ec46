import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync, truncateSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { MediaErrorKind } from '../../../src/operations/MediaError.ts';
import type { MediaRequestInput } from '../../../src/operations/operations.ts';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { MediaClient } from '../../../src/service/MediaClient.ts';
import type { Progress } from '../../../src/service/send.ts';
import { sendRequest } from '../../support/clientOf.ts';
import { failureOf } from '../../support/failureOf.ts';
import { bodyOf, startHttpServer } from '../../support/httpServer.ts';
import { pngBytes, wavBytes, wavOf } from '../../support/mediaBytes.ts';
import { standstill } from '../../support/standstill.ts';

const image: MediaRequestInput<'generateImage'> = { model: 'm', prompt: 'a fox in the snow' };
const speech: MediaRequestInput<'speak'> = { model: 'm', input: 'Hello.' };
const oneImage = JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }] });

describe('MediaClient (promises 2, 3, 5, 8, 9)', () => {
  let folder: string;
  let dispatcher: ServiceDispatcher;
  let pauses: number[];
  let log: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'media-client-'));
    dispatcher = createDispatcher();
    pauses = [];
    log = [];
  });

  afterEach(async () => {
    await dispatcher.destroy();
    await rm(folder, { recursive: true });
  });

  function clientOf(
    host: string,
    more: { seconds?: number; scheme?: string; key?: string; path?: string } = {},
  ): MediaClient {
    const seconds = more.seconds ?? 30;
    return new MediaClient({
      configuration: {
        hosts: { image: host, audio: host, video: host },
        authorizationScheme: more.scheme,
        ...(more.path === undefined ? {} : { paths: { speak: more.path } }),
        timeoutSeconds: { image: seconds, audio: seconds, video: seconds },
      },
      key: () => more.key ?? 'key-1',
      dispatcher,
      log: (line) => log.push(line),
      sleep: async (milliseconds, signal) => {
        signal?.throwIfAborted();
        pauses.push(milliseconds / 1000);
      },
    });
  }

  const generate = (...service: Parameters<typeof clientOf>) =>
    sendRequest(clientOf(...service), 'generateImage', image);
  const speak = (...service: Parameters<typeof clientOf>) => sendRequest(clientOf(...service), 'speak', speech);

  describe('exchange', () => {
    it('sends no Authorization header to this computer when there is no key', async () => {
      await using server = await startHttpServer((_, response) => response.end(oneImage));
      await generate(server.origin, { key: '', scheme: 'Bearer' });
      assert.deepEqual(
        server.requests.map(({ headers }) => headers.authorization),
        [undefined],
      );
    });

    it('reports that a service on this computer wants a key after all, with its own words', async () => {
      for (const status of [401, 403]) {
        await using server = await startHttpServer((_, response) => response.writeHead(status).end('Who are you?'));
        const error = await failureOf(generate(server.origin, { key: '' }));
        assert.equal(error.message, 'The service wants an API key, and none is set. It says: “Who are you?”');
        assert.deepEqual([error.kind, error.status, error.mayBeBilled], ['noKey', status, false]);
        assert.notEqual((await failureOf(generate(server.origin))).kind, 'noKey');
      }
    });

    it('posts JSON with the raw key and only the fields of the operation', async () => {
      await using server = await startHttpServer();
      const incoming = server.next();
      const answer = generate(server.origin);
      const [request, response] = await incoming;
      assert.equal(request.method, 'POST');
      assert.equal(request.url, '/v1/images/generations');
      assert.equal(request.headers.authorization, 'key-1');
      assert.equal(request.headers['content-type'], 'application/json');
      assert.deepEqual(JSON.parse(String(await bodyOf(request))), { ...image, n: 1, output_format: 'url' });
      response.end(oneImage);
      assert.equal((await answer).type, 'media');
    });

    it('puts the configured scheme before the key', async () => {
      await using server = await startHttpServer((_, response) => response.end(oneImage));
      await generate(server.origin, { scheme: 'Bearer' });
      assert.equal(server.requests[0]?.headers.authorization, 'Bearer key-1');
    });

    it('posts to the configured path', async () => {
      await using server = await startHttpServer((_, response) => response.end(wavBytes));
      await speak(`${server.origin}/media`, { path: '/speak' });
      assert.equal(server.requests[0]?.url, '/media/speak');
    });

    it('accepts a base URL that ends with a path, a slash or /v1', async () => {
      await using server = await startHttpServer((_, response) => response.end(oneImage));
      for (const suffix of ['/', '/v1', '/v1/', '/media', '/media/v1']) {
        await generate(server.origin + suffix);
      }
      assert.deepEqual(
        server.requests.map((request) => request.url),
        ['', '', '', '/media', '/media'].map((prefix) => `${prefix}/v1/images/generations`),
      );
    });

    it('streams a recording as multipart with its length and file name', async () => {
      // Windows has no quotes in names.
      const quote = process.platform === 'win32' ? '' : '"';
      const file = join(folder, `Café ${quote}talk${quote}.M4A`);
      const bytes = Buffer.concat([
        Buffer.from('\0\0\0\x18ftypM4A \0\0\0\0M4A mp42', 'latin1'),
        Buffer.alloc(3_000_000, 7),
      ]);
      await writeFile(file, bytes);
      await using server = await startHttpServer();
      const incoming = server.next();
      const progress: Progress[] = [];
      const answer = sendRequest(
        clientOf(server.origin),
        'transcribe',
        { model: 'whisper', file },
        { onProgress: (step) => progress.push(step) },
      );
      const [request, response] = await incoming;
      const body = await bodyOf(request);
      response.end('{"text":"hello"}');
      assert.equal((await answer).type, 'transcript');
      assert.equal(request.url, '/v1/audio/transcriptions');
      assert.equal(Number(request.headers['content-length']), body.length);
      assert.equal(request.headers['transfer-encoding'], undefined);
      const text = body.toString('latin1');
      assert.match(text, /name="model"\r\n\r\nwhisper\r\n/);
      const name = encodeURIComponent(`${quote}talk${quote}`);
      assert.match(text, new RegExp(`name="file"; filename="Caf.{1,2} ${name}\\.M4A"\r\nContent-Type: audio/mp4\r\n`));
      assert(body.includes(bytes));
      const sending = progress.filter((step) => step.stage === 'sending');
      assert(sending.length > 3);
      assert.deepEqual(sending.at(-1), { stage: 'sending', bytes: body.length, total: body.length });
      assert.equal(progress.filter((step) => step.stage === 'waiting').length, 1);
    });

    it('sends a recording of WhatsApp by the extension of its format that services accept', async () => {
      const file = join(folder, 'voice.opus');
      await copyFile('test/support/recordings/opus.ogg', file);
      await using server = await startHttpServer();
      const incoming = server.next();
      const answer = sendRequest(clientOf(server.origin), 'transcribe', { model: 'whisper', file });
      const [request, response] = await incoming;
      const body = await bodyOf(request);
      response.end('{"text":"hello"}');
      await answer;
      assert.match(body.toString('latin1'), /name="file"; filename="voice\.ogg"\r\nContent-Type: audio\/ogg\r\n/);
      assert(body.includes(await readFile(file)));
    });

    it('redacts the key that was sent, though another has been set before its answer is read', async () => {
      const more = { key: 'prod-7f3Kd92mQ1xZ8v' };
      await using server = await startHttpServer((request, response) => {
        more.key = 'other-key';
        response.end(JSON.stringify({ error: { message: `invalid key ${request.headers.authorization}` } }));
      });
      const client = clientOf(server.origin, more);
      const raw = await client.exchange('generateImage', image);
      for (const reader of [client, clientOf(server.origin, more)]) {
        await assert.rejects(reader.read('generateImage', raw), /invalid key \[redacted\]/);
      }
    });

    it('keeps the key, the prompt and the query out of the log', async () => {
      await using server = await startHttpServer((_, response) => {
        response.writeHead(400, { 'x-request-id': 'req_7' });
        response.end('{"error":{"message":"bad prompt: a fox in the snow, key-1"}}');
      });
      const error = await failureOf(generate(server.origin));
      assert.equal(error.requestId, 'req_7');
      assert(!error.message.includes('key-1'));
      assert.equal(log.length, 1);
      assert.match(
        log[0] ?? '',
        /^generateImage: POST http:\/\/127\.0\.0\.1:\d+\/v1\/images\/generations: 400, request req_7, \d+ bytes, \d+ ms$/,
      );
    });

    for (const [id, shown] of [
      ['key-1', '[redacted]'],
      ['a fox in the snow', undefined],
    ] as const) {
      it(`keeps what was sent out of the request id of an answer: ${id}`, async () => {
        await using server = await startHttpServer((_, response) => response.setHeader('x-request-id', id).end('{}'));
        const error = await failureOf(generate(server.origin));
        assert.equal(error.requestId, shown);
        assert(!log.join().includes(id), log.join());
      });
    }
  });

  describe('before sending', () => {
    const unsafe = (origin: string): readonly (readonly [() => Promise<unknown>, MediaErrorKind, RegExp])[] => [
      [() => speak(origin, { path: 'https://evil.example/x' }), 'noService', /single slash/],
      [() => speak(origin, { path: '//evil.example/x' }), 'noService', /single slash/],
      [() => speak(origin, { path: 'v1/speech' }), 'noService', /single slash/],
      [() => speak(origin, { scheme: 'Be…' }), 'noService', /authorization scheme/],
    ];

    it('rejects invalid input, a missing or unsafe host or path, and a missing or invalid key', async () => {
      await using server = await startHttpServer();
      const client = clientOf(server.origin);
      await writeFile(join(folder, 'notes.mp3'), 'Notes of Monday. They are no sound.\n');
      await writeFile(join(folder, 'empty.wav'), '');
      await writeFile(join(folder, 'picture.mp3'), pngBytes);
      const transcribe = (file: string) => sendRequest(client, 'transcribe', { model: 'm', file: join(folder, file) });
      const cases: readonly (readonly [() => Promise<unknown>, MediaErrorKind, RegExp])[] = [
        [() => sendRequest(client, 'generateImage', { ...image, n: 0 }), 'invalidInput', /^Count \(n\)/],
        [
          () => sendRequest(client, 'generateImage', { ...image, model: '' }),
          'invalidInput',
          /^Model \(model\) is missing/,
        ],
        [() => transcribe('notes.mp3'), 'invalidInput', /^Audio file \(file\): notes\.mp3 contains text, not audio\.$/],
        [() => transcribe('empty.wav'), 'invalidInput', /empty\.wav is empty/],
        [() => transcribe('picture.mp3'), 'invalidInput', /picture\.mp3 contains image\/png, not audio/],
        [() => transcribe('absent.mp3'), 'invalidInput', /absent\.mp3 does not exist/],
        [() => generate(''), 'noService', /"imageBaseUrl"/],
        [() => sendRequest(clientOf(''), 'speak', { model: 'm', input: 'x' }), 'noService', /"audioBaseUrl"/],
        [() => generate('http://media.example'), 'noService', /https/],
        [() => generate('https://u:p@media.example'), 'noService', /user name/],
        [() => generate('media.example'), 'noService', /not a URL|https/],
        [() => generate('https://media.example', { key: '' }), 'noKey', /no API key for http/],
        [() => generate(server.origin, { key: 'a\r\nx: b' }), 'noKey', /cannot be sent/],
      ];
      for (const [work, kind, sentence] of [...cases, ...unsafe(server.origin)]) {
        const error = await failureOf(work());
        assert.equal(error.kind, kind, error.message);
        assert.match(error.message, sentence);
        assert.equal(error.mayBeBilled, false);
      }
      assert.equal(server.requests.length, 0);
    });
  });

  describe('repeating a request', () => {
    /** Responds with each status in turn, then with an image. */
    const inTurn = (...answers: readonly (readonly [number, Record<string, string>?])[]): RequestListener => {
      let turn = 0;
      return (_, response) => {
        const [status, headers] = answers[turn++] ?? [200];
        response.writeHead(status, headers);
        response.end(status === 200 ? oneImage : '{"error":{"message":"wait"}}');
      };
    };

    it('waits for Retry-After on 429 and 503, or with growing pauses', async () => {
      await using server = await startHttpServer(
        inTurn([429, { 'retry-after': '7' }], [503, { 'retry-after': '2' }], [429], [429]),
      );
      const repeats: Progress[] = [];
      await sendRequest(clientOf(server.origin), 'generateImage', image, {
        onProgress: (step) => step.stage === 'repeating' && repeats.push(step),
      });
      assert.deepEqual(pauses, [7, 2, 4, 8]);
      assert.equal(server.requests.length, 5);
      assert.equal(repeats.length, 4);
      assert.match(JSON.stringify(repeats[0]), /"seconds":7,.*busy.*wait/);
    });

    it('waits as long when an answer of 200 says that the service is busy, and then has its words', async () => {
      const busy = '{"base_resp":{"status_code":1002,"status_msg":"rate limit"}}';
      let asked = 0;
      await using server = await startHttpServer((_, response) =>
        response.writeHead(200, asked++ === 0 ? { 'retry-after': '7' } : {}).end(asked === 3 ? oneImage : busy),
      );
      await generate(server.origin);
      assert.deepEqual([pauses, asked], [[7, 2], 3]);
      asked = 3;
      const error = await failureOf(generate(server.origin));
      assert.deepEqual([error.kind, error.mayBeBilled], ['rateLimited', false]);
      assert.match(error.message, /“rate limit”/);
    });

    it('accepts a date in Retry-After', async () => {
      const date = new Date(Date.now() + 20_000).toUTCString();
      await using server = await startHttpServer(inTurn([429, { 'retry-after': date }]));
      await generate(server.origin);
      assert(pauses[0] !== undefined && pauses[0] > 10 && pauses[0] <= 20, String(pauses));
    });

    it('accepts the time of a Unix clock in Retry-After', async () => {
      for (const unit of [1, 1000]) {
        const time = Math.round((Date.now() / 1000 + 20) * unit);
        await using server = await startHttpServer(inTurn([429, { 'retry-after': String(time) }]));
        pauses.length = 0;
        await generate(server.origin);
        assert(pauses[0] !== undefined && pauses[0] > 10 && pauses[0] <= 21, String(pauses));
      }
    });

    it("counts a date in Retry-After from the service's clock, since this computer's may be wrong", async () => {
      const date = (seconds: number) => new Date(Date.UTC(2020, 0, 1, 0, 0, seconds)).toUTCString();
      const headers = { date: date(0), 'retry-after': date(20) };
      await using server = await startHttpServer(inTurn([429, headers], [429, { ...headers, date: 'today' }]));
      await generate(server.origin);
      assert.deepEqual(pauses, [20, 1]);
    });

    it('does not count the repeats while other requests are out, and waits for its turn before each', async () => {
      await using server = await startHttpServer((_, response) => response.writeHead(429).end());
      const crowd = [true, true, true, false, true, false, false, false, true, false];
      let turns = 0;
      const others = { noteBusy: () => crowd.shift() === true, waitForTurn: async () => void turns++ };
      const sending = sendRequest(clientOf(server.origin), 'generateImage', image, { others });
      assert.equal((await failureOf(sending)).kind, 'rateLimited');
      assert.deepEqual([server.requests.length, turns, pauses], [10, 9, [1, 1, 1, 1, 2, 2, 4, 8, 16]]);
    });

    it('gives up after four repeats', async () => {
      await using server = await startHttpServer((_, response) => response.writeHead(429).end());
      const error = await failureOf(generate(server.origin));
      assert.equal(error.kind, 'rateLimited');
      assert.equal(server.requests.length, 5);
    });

    it('does not repeat an upload whose recording is gone', async () => {
      const file = join(folder, 'talk.wav');
      await writeFile(file, wavOf(Buffer.alloc(1000, 0x80)));
      await using server = await startHttpServer((request, response) => {
        rmSync(file, { force: true });
        request.resume();
        response.writeHead(429).end();
      });
      const error = await failureOf(sendRequest(clientOf(server.origin), 'transcribe', { model: 'm', file }));
      assert.match(error.message, /talk\.wav does not exist/);
      assert.equal(error.mayBeBilled, false);
      assert.equal(server.requests.length, 1);
    });

    it('does not wait longer than a minute, and reports how long the service asks to wait', async () => {
      for (const status of [429, 503]) {
        await using server = await startHttpServer(inTurn([status, { 'retry-after': '61' }]));
        const error = await failureOf(generate(server.origin));
        assert.equal(error.retryAfter, 61);
        assert.match(error.message, /asks you to wait 61 s/);
        assert.equal(server.requests.length, 1);
      }
      await using server = await startHttpServer(inTurn([429, { 'retry-after': '60' }]));
      await generate(server.origin);
      assert.deepEqual(pauses, [60]);
    });

    for (const status of [500, 501, 502, 504, 520, 529]) {
      it(`does not repeat after ${status}, even with Retry-After`, async () => {
        await using server = await startHttpServer(inTurn([status, { 'retry-after': '1' }]));
        const error = await failureOf(generate(server.origin));
        assert.equal(error.status, status);
        assert.equal(server.requests.length, 1);
        assert.deepEqual(pauses, []);
      });
    }

    for (const status of [400, 401, 402, 403, 404, 408, 413, 422, 500, 502, 503, 504, 524, 302, 303]) {
      it(`does not repeat after ${status}`, async () => {
        await using server = await startHttpServer(inTurn([status, { location: '/elsewhere' }]));
        const error = await failureOf(generate(server.origin));
        assert.equal(error.status, status);
        assert.equal(error.mayBeBilled, status >= 500 || [302, 303, 408].includes(status));
        assert.equal(server.requests.length, 1);
        assert.deepEqual(pauses, []);
      });
    }

    for (const status of [429, 503]) {
      it(`does not repeat after a ${status} that reports usage`, async () => {
        await using server = await startHttpServer((_, response) => {
          const body = '{"error":{"message":"slow"},"usage":{"total_tokens":25}}';
          response.writeHead(status, { 'retry-after': '1' }).end(body);
        });
        const error = await failureOf(generate(server.origin));
        assert.deepEqual([error.status, error.mayBeBilled, server.requests.length], [status, true, 1]);
      });
    }

    it('says that a 503 may be billed when its repeat is refused', async () => {
      await using server = await startHttpServer(inTurn([503, { 'retry-after': '1' }], [429], [400], [429], [400]));
      const client = clientOf(server.origin);
      const repeated = await failureOf(sendRequest(client, 'generateImage', image));
      const busy = await failureOf(sendRequest(client, 'generateImage', image));
      assert.deepEqual([repeated.status, busy.status, server.requests.length], [400, 400, 5]);
      assert.deepEqual([repeated.mayBeBilled, busy.mayBeBilled], [true, false]);
    });

    it('says that a 503 may be billed when its repeat does not arrive', async () => {
      const server = await startHttpServer(inTurn([503, { 'retry-after': '1' }]));
      let stopped: Promise<void> | undefined;
      const onProgress = ({ stage }: Progress) => {
        if (stage === 'repeating') stopped ??= server[Symbol.asyncDispose]();
      };
      const error = await failureOf(sendRequest(clientOf(server.origin), 'generateImage', image, { onProgress }));
      await stopped;
      assert.deepEqual([error.kind, error.mayBeBilled, server.requests.length], ['network', true, 1]);
      assert.match(
        error.message,
        /^An earlier attempt was sent: .*503.* The last attempt: Cannot reach .* Nothing was sent\.$/,
      );
    });

    it('says that a 503 may be billed when its repeat is cancelled', async () => {
      const leaving = new AbortController();
      await using server = await startHttpServer(inTurn([503, { 'retry-after': '1' }]));
      const onProgress = ({ stage }: Progress) => stage === 'repeating' && leaving.abort();
      const options = { signal: leaving.signal, onProgress };
      const error = await failureOf(sendRequest(clientOf(server.origin), 'generateImage', image, options));
      assert.deepEqual([error.kind, error.mayBeBilled, server.requests.length], ['cancelled', true, 1]);
      assert.match(error.message, /^An earlier attempt was sent: .*503.* The last attempt: Cancelled\./);
    });

    it('says that the first request may be billed when its repeat conflicts with it', async () => {
      await using server = await startHttpServer(inTurn([503, { 'retry-after': '1' }], [409], [409]));
      const client = clientOf(server.origin);
      const repeated = await failureOf(sendRequest(client, 'generateImage', image));
      const first = await failureOf(sendRequest(client, 'generateImage', image));
      assert.deepEqual([repeated.status, first.status, server.requests.length], [409, 409, 3]);
      assert.deepEqual([repeated.mayBeBilled, first.mayBeBilled], [true, false]);
    });

    it('repeats after a refused connection', async () => {
      const port = await freePort();
      const error = await failureOf(generate(`http://127.0.0.1:${port}`));
      assert.equal(error.kind, 'network');
      assert.match(error.message, /refuses the connection\. Nothing was sent\./);
      assert.equal(error.mayBeBilled, false);
      assert.deepEqual(pauses, [0.5, 1, 2, 4]);
    });

    it('repeats after a name that cannot be resolved', async () => {
      const error = await failureOf(generate('https://media.invalid'));
      assert.equal(error.kind, 'network');
      assert.match(error.message, /cannot be resolved/);
      assert.equal(pauses.length, 4);
    });

    const resets: readonly (readonly [string, (response: ServerResponse) => void])[] = [
      ['before the headers', (response) => response.destroy()],
      ['after the headers', (response) => response.writeHead(200, { 'content-length': '100' }).flushHeaders()],
      ['in the body', (response) => response.writeHead(200, { 'content-length': '100' }).write('{"data":')],
    ];
    for (const [when, answer] of resets) {
      it(`never repeats after a reset ${when}`, async () => {
        await using server = await startHttpServer((request, response) => {
          request.resume().on('end', () => {
            answer(response);
            setImmediate(() => response.destroy());
          });
        });
        const error = await failureOf(generate(server.origin));
        assert.equal(error.kind, 'network');
        assert.equal(error.mayBeBilled, true);
        assert.equal(server.requests.length, 1);
        assert.deepEqual(pauses, []);
      });
    }
  });

  it('rejects when the recording changes while it is sent', async () => {
    const file = join(folder, 'long.wav');
    await writeFile(file, wavOf(Buffer.alloc(60_000_000, 0x80)));
    await using server = await startHttpServer((request) => {
      truncateSync(file, 1000);
      request.resume();
    });
    const error = await failureOf(sendRequest(clientOf(server.origin), 'transcribe', { model: 'm', file }));
    assert.equal(error.kind, 'invalidInput');
    assert.equal(error.field, 'file');
    assert.match(error.message, /long\.wav changed while it was being sent/);
    assert.deepEqual(pauses, []);
  });

  it('decompresses a gzip response', async () => {
    await using server = await startHttpServer((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(oneImage));
    });
    assert.equal((await generate(server.origin)).type, 'media');
  });

  it('reads an answer whose headers are larger than Node allows', async () => {
    await using server = await startHttpServer((_, response) => {
      response.writeHead(200, { 'content-security-policy': 'x'.repeat(40_000) }).end(oneImage);
    });
    assert.equal((await generate(server.origin)).type, 'media');
  });

  it('accepts a timeout beyond the maximum of a timer', async () => {
    await using server = await startHttpServer((_, response) => response.end(oneImage));
    const answer = await generate(server.origin, { seconds: 1e9 });
    assert.equal(answer.type, 'media');
  });

  describe('a response before the upload has finished', () => {
    it('reports a rejection instead of a broken connection', async () => {
      const file = join(folder, 'long.wav');
      await writeFile(file, wavOf(Buffer.alloc(20_000_000, 0x80)));
      await using server = await startHttpServer((request, response) => {
        response.writeHead(413).end('{"error":{"message":"max 25 MB"}}');
        request.resume();
      });
      const error = await failureOf(sendRequest(clientOf(server.origin), 'transcribe', { model: 'm', file }));
      assert.equal(error.kind, 'tooLarge');
      assert.match(error.message, /max 25 MB/);
      await assertClosed(file);
    });

    it('closes the file when the connection is reset afterwards', async () => {
      const file = join(folder, 'long.wav');
      await writeFile(file, wavOf(Buffer.alloc(20_000_000, 0x80)));
      await using server = await startHttpServer((request) => {
        // Without a length, the response ends with the connection.
        request.socket.write(
          'HTTP/1.1 413 Too Large\r\nconnection: close\r\n\r\n{"error":{"message":"max 25 MB"}}',
          () => setImmediate(() => request.socket.resetAndDestroy()),
        );
      });
      await failureOf(sendRequest(clientOf(server.origin), 'transcribe', { model: 'm', file }));
      await assertClosed(file);
    });
  });

  describe('aborting', () => {
    it('sends nothing when aborted before the start', async () => {
      await using server = await startHttpServer();
      const error = await failureOf(
        sendRequest(clientOf(server.origin), 'generateImage', image, { signal: AbortSignal.abort() }),
      );
      assert.equal(error.kind, 'cancelled');
      assert.equal(error.mayBeBilled, false);
      assert.equal(server.requests.length, 0);
    });

    it('closes the file when a stalled upload is aborted', async () => {
      const file = join(folder, 'long.wav');
      await writeFile(file, wavOf(Buffer.alloc(60_000_000, 0x80)));
      await using server = await startHttpServer();
      const abort = new AbortController();
      let sent = 0;
      const onProgress = (step: Progress) => {
        if (step.stage === 'sending') sent = step.bytes;
      };
      const incoming = server.next();
      const work = failureOf(
        sendRequest(clientOf(server.origin), 'transcribe', { model: 'm', file }, { signal: abort.signal, onProgress }),
      );
      await incoming;
      // The server does not read the body.
      await standstill(() => sent);
      assert(sent > 0 && sent < 60_000_000);
      abort.abort();
      assert.equal((await work).kind, 'cancelled');
      await assertClosed(file);
    });

    it('closes the connection and the file when an upload is aborted', async () => {
      const file = join(folder, 'long.wav');
      await writeFile(file, wavOf(Buffer.alloc(30_000_000, 0x80)));
      await using server = await startHttpServer();
      const abort = new AbortController();
      const incoming = server.next();
      const work = failureOf(
        sendRequest(clientOf(server.origin), 'transcribe', { model: 'm', file }, { signal: abort.signal }),
      );
      const [request] = await incoming;
      abort.abort();
      const error = await work;
      // The announced length makes a truncated request end with an error.
      await assert.rejects(bodyOf(request));
      assert.equal(error.kind, 'cancelled');
      assert.equal(error.mayBeBilled, true);
      await assertClosed(file);
    });

    for (const [stage, answer] of [
      ['while waiting for the response', () => undefined],
      ['while the response arrives', (response: ServerResponse) => response.writeHead(200).write('{"data":')],
    ] as const) {
      it(`closes the connection at once ${stage}`, async () => {
        await using server = await startHttpServer();
        const abort = new AbortController();
        const incoming = server.next();
        const work = failureOf(
          sendRequest(clientOf(server.origin), 'generateImage', image, {
            signal: abort.signal,
            onProgress: ({ stage: now }) => now === 'downloading' && abort.abort(),
          }),
        );
        const [request, response] = await incoming;
        const closed = once(request.socket, 'close');
        if (answer(response) === undefined) abort.abort();
        await closed;
        const error = await work;
        assert.equal(error.kind, 'cancelled');
        assert.equal(error.mayBeBilled, true);
        assert.equal(server.requests.length, 1);
      });
    }

    it('sends nothing more when aborted before a repeat', async () => {
      await using server = await startHttpServer((_, response) => response.writeHead(429).end());
      const abort = new AbortController();
      const error = await failureOf(
        sendRequest(clientOf(server.origin), 'generateImage', image, {
          signal: abort.signal,
          onProgress: ({ stage }) => stage === 'repeating' && abort.abort(),
        }),
      );
      assert.equal(error.kind, 'cancelled');
      assert.equal(error.mayBeBilled, false);
      assert.equal(server.requests.length, 1);
    });
  });

  describe('download', () => {
    async function download(url: string, host: string): Promise<Buffer> {
      const chunks: Uint8Array[] = [];
      for await (const chunk of (await clientOf(host).download('generateImage', url, { base: host })).data)
        chunks.push(chunk);
      return Buffer.concat(chunks);
    }

    it('uses the URL unchanged, with the key only for the origin that answered', async () => {
      await using own = await startHttpServer((_, response) => response.end(pngBytes));
      await using other = await startHttpServer((_, response) => response.end(pngBytes));
      const query = '/x.png?sig=a%2Bb%3D&X-Amz-Date=2026';
      assert.deepEqual(await download(own.origin + query, own.origin), pngBytes);
      assert.deepEqual(await download(other.origin + query, own.origin), pngBytes);
      assert.deepEqual(await download('/x.png', own.origin), pngBytes);
      assert.deepEqual(
        [...own.requests, ...other.requests].map(({ url, headers }) => [url, headers.authorization]),
        [
          [query, 'key-1'],
          ['/x.png', 'key-1'],
          [query, undefined],
        ],
      );
    });

    it('drops the key on a redirect to another origin', async () => {
      await using other = await startHttpServer((_, response) => response.end(pngBytes));
      await using own = await startHttpServer((request, response) => {
        const location = request.url === '/a' ? '/b' : `${other.origin}/c`;
        response.writeHead(302, { location }).end();
      });
      assert.deepEqual(await download(`${own.origin}/a`, own.origin), pngBytes);
      assert.deepEqual(own.requests.map(keyOf), ['key-1', 'key-1']);
      assert.deepEqual(other.requests.map(keyOf), [undefined]);
    });

    const failures: readonly (readonly [string, RequestListener | string, RegExp])[] = [
      ['a file: URL', 'file:///etc/passwd', /must be an http or https URL, not file:/],
      ['an expired URL', (_, response) => response.writeHead(403).end(), /answered 403/],
      ['a redirect loop', (_, response) => response.writeHead(302, { location: '/again' }).end(), /too many times/],
      [
        'a redirect to a file',
        (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
        /file:/,
      ],
      ['a broken connection', (_, response) => cut(response), /was interrupted/],
    ];
    for (const [name, answer, sentence] of failures) {
      it(`rejects with the reason for ${name}`, async () => {
        await using server = await startHttpServer(typeof answer === 'string' ? undefined : answer);
        const url = typeof answer === 'string' ? answer : `${server.origin}/x`;
        const error = await failureOf(download(url, server.origin));
        assert.equal(error.kind, 'download');
        assert.match(error.message, sentence);
        assert.equal(error.mayBeBilled, false);
      });
    }
  });

  it('does not change the global dispatcher', async () => {
    const slot = () => (globalThis as Record<symbol, unknown>)[Symbol.for('undici.globalDispatcher.1')];
    const before = slot();
    await using server = await startHttpServer((_, response) => response.end(oneImage));
    await generate(server.origin);
    assert.equal(slot(), before);
  });
});

function keyOf({ headers }: IncomingMessage): string | undefined {
  return headers.authorization;
}

function cut(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': '1000' }).write('begin');
  setImmediate(() => response.destroy());
}

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Waits until this process has no open descriptor of a file. Only Linux lists descriptors; elsewhere nothing is
 * checked.
 */
async function assertClosed(file: string): Promise<void> {
  if (process.platform !== 'linux') return;
  for (let turn = 0; turn < 1000; turn++) {
    const links = await Promise.all(
      (await readdir('/proc/self/fd')).map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')),
    );
    if (!links.includes(file)) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail(`${file} is still open`);
}
