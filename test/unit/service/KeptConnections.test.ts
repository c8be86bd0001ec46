import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, connect as netConnect, type Socket } from 'node:net';
import { mock } from 'node:test';
import tls from 'node:tls';
import v8 from 'node:v8';
import vm from 'node:vm';
import { request } from 'undici';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import type { MediaClient } from '../../../src/service/MediaClient.ts';
import type { SendOptions } from '../../../src/service/send.ts';
import { authority, serverCertificate } from '../../support/certificates.ts';
import { clientOf, downloadAll } from '../../support/clientOf.ts';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { startProxyServer } from '../../support/proxyServer.ts';

interface Connection {
  readonly socket: Socket;
  /** Below TLS. */
  readonly raw: Socket;
}

/** What has arrived of a request. */
interface Arrival extends Connection {
  /** The prompt of a paid request, the path of a GET. */
  readonly name: string;
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** A service that does what a test says with each arrival; by default it answers whole requests and keeps the connection. */
class ClosingService implements AsyncDisposable {
  /** By name, how many requests arrived as a whole: a service may bill these. */
  readonly whole = new Map<string, number>();
  /** By name, the connections on which a part of it arrived. */
  readonly seen = new Map<string, Socket[]>();
  readonly connections: Connection[] = [];
  readonly #isSecure: boolean;
  readonly #server;
  readonly #treat: (arrival: Arrival) => unknown;

  constructor(treat: (arrival: Arrival) => unknown, isSecure = false) {
    this.#treat = treat;
    this.#isSecure = isSecure;
    this.#server = createServer((raw) => {
      raw.on('error', () => undefined);
      this.#serve(isSecure ? new tls.TLSSocket(raw, { isServer: true, ...serverCertificate }) : raw, raw);
    });
  }

  static async start(treat: (arrival: Arrival) => unknown = answer, isSecure = false): Promise<ClosingService> {
    const service = new ClosingService(treat, isSecure);
    service.#server.listen(0, '127.0.0.1');
    await once(service.#server, 'listening');
    return service;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  }

  get origin(): string {
    return `${this.#isSecure ? 'https' : 'http'}://127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.connections) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket, raw: Socket): void {
    this.connections.push({ socket, raw });
    let received = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const head = received.indexOf('\r\n\r\n') + 4;
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      const name = /"prompt":"(\w+)/.exec(received)?.[1] ?? /^GET (\S+)/.exec(received)?.[1] ?? 'upload';
      const isWhole = head > 3 && received.length >= head + length;
      const seen = this.seen.get(name) ?? [];
      if (seen.at(-1) !== socket) this.seen.set(name, [...seen, socket]);
      if (isWhole) this.whole.set(name, (this.whole.get(name) ?? 0) + 1);
      this.#treat({ socket, raw, name, bytes: received.length, isWhole });
      if (isWhole) received = '';
    });
  }
}

function answerOf(name: string, headers = 'keep-alive: timeout=5\r\n'): string {
  const body = JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }], name });
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;
}

function answer({ socket, name, isWhole }: Arrival): void {
  if (isWhole) socket.write(answerOf(name));
}

/** Answers with these headers, which may say nothing about keeping the connection. */
function answering(headers: string): (arrival: Arrival) => void {
  return ({ socket, name, isWhole }) => isWhole && socket.write(answerOf(name, headers));
}

/** Sends a paid request. @returns `answered`, or the kind of the error, and whether it is unknown if it is billed */
async function ask(client: MediaClient, prompt: string, options?: SendOptions): Promise<string> {
  try {
    const { body } = await client.exchange('generateImage', { model: 'm', prompt }, options);
    const [name = ''] = prompt.split(' ');
    assert(body instanceof Uint8Array);
    assert.match(Buffer.from(body).toString(), new RegExp(`"name":"${name}"`));
    return 'answered';
  } catch (error) {
    const { kind, mayBeBilled } = await failureOf(Promise.reject(error));
    return mayBeBilled ? `${kind}, unknown` : kind;
  }
}

/** Resolves when the client has closed the connection. */
async function closes({ socket }: Connection, text: string): Promise<void> {
  socket.write(text);
  await once(socket, 'close');
}

/** Where a service or the network ends a kept connection around the second of three requests. */
interface Point {
  readonly when: string;
  /** Happens at once before the second request is sent. */
  readonly before?: (connection: Connection) => unknown;
  /** What the service does with the second request. */
  readonly treat?: (arrival: Arrival) => unknown;
  /** How often the service has the second request as a whole. */
  readonly whole: number;
  readonly ends: string;
  /** Whether a proxy between them passes it on at once. */
  readonly isDirect?: boolean;
  /** Number of connections that all three requests take: 1 if it is kept after all. */
  readonly connections?: number;
}

const points: readonly Point[] = [
  { when: 'never', whole: 1, ends: 'answered', connections: 1 },
  {
    when: 'while it is idle',
    before: async ({ socket }) => {
      socket.end();
      await once(socket, 'close');
    },
    whole: 1,
    ends: 'answered',
    // The service keeps none for long, as it seems.
    connections: 3,
  },
  {
    when: 'in the moment before the next request',
    before: ({ raw }) => raw.destroy(),
    whole: 1,
    ends: 'answered',
    isDirect: true,
  },
  {
    when: 'by a reset in the moment before the next request',
    before: ({ raw }) => raw.resetAndDestroy(),
    whole: 1,
    ends: 'answered',
    isDirect: true,
  },
  {
    when: 'as a second answer arrives while it is idle',
    before: (connection) => closes(connection, answerOf('first')),
    whole: 1,
    ends: 'answered',
    connections: 3,
  },
  {
    when: 'as a part of an answer arrives while it is idle',
    before: (connection) => closes(connection, 'HTTP/1.1 2'),
    whole: 1,
    ends: 'answered',
    connections: 3,
  },
  {
    when: 'when the next request begins',
    treat: ({ socket }) => socket.destroy(),
    whole: 0,
    ends: 'network, unknown',
  },
  {
    when: 'by a reset when the next request begins',
    treat: ({ raw }) => raw.resetAndDestroy(),
    whole: 0,
    ends: 'network, unknown',
  },
  {
    when: 'after 100,000 bytes of the next request',
    treat: ({ socket, bytes }) => bytes > 100_000 && socket.destroy(),
    whole: 0,
    ends: 'network, unknown',
  },
  {
    when: 'after the next request, without an answer',
    treat: ({ socket, isWhole }) => isWhole && socket.end(),
    whole: 1,
    ends: 'network, unknown',
  },
  {
    when: 'by a reset after the next request, without an answer',
    treat: ({ raw, isWhole }) => isWhole && raw.resetAndDestroy(),
    whole: 1,
    ends: 'network, unknown',
  },
  {
    when: 'after a part of the head of its answer',
    treat: ({ socket, isWhole }) => isWhole && socket.end('HTTP/1.1 200 OK\r\ncontent-'),
    whole: 1,
    ends: 'network, unknown',
  },
  {
    when: 'after a part of its answer',
    treat: ({ socket, isWhole }) => isWhole && socket.end(answerOf('second').slice(0, -20)),
    whole: 1,
    ends: 'network, unknown',
  },
  {
    when: 'after its answer, which announced nothing of it',
    treat: ({ socket, isWhole }) => isWhole && socket.end(answerOf('second')),
    whole: 1,
    ends: 'answered',
  },
  {
    when: 'after its answer, which announced it',
    treat: ({ socket, isWhole }) => isWhole && socket.end(answerOf('second', 'connection: close\r\n')),
    whole: 1,
    ends: 'answered',
  },
  {
    when: 'after a refusal before it has all',
    treat: ({ socket, bytes }) =>
      bytes > 100_000 && socket.pause().end('HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\n{}'),
    whole: 0,
    ends: 'tooLarge',
  },
  {
    when: 'after it answers twice',
    treat: ({ socket, isWhole }) => isWhole && socket.write(answerOf('second') + answerOf('second')),
    whole: 1,
    ends: 'answered',
  },
];

const ways = ['http', 'https', 'an http proxy', 'a tunnel'] as const;

describe('connections that are kept (promise 8)', () => {
  const trusted = tls.getCACertificates('default');
  let dispatcher: ServiceDispatcher;

  before(() => tls.setDefaultCACertificates([...trusted, authority]));
  after(() => tls.setDefaultCACertificates(trusted));
  // Time passes only when a test says so, however slow the machine is.
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'] }));
  afterEach(async () => {
    mock.timers.reset();
    await dispatcher.destroy();
  });

  function connect(host: string, proxy?: string): MediaClient {
    dispatcher = createDispatcher({ proxy });
    return clientOf(host, dispatcher, { insecureHosts: ['media.test'] });
  }

  for (const way of ways) {
    describe(`through ${way}, where one is closed`, () => {
      const isDirect = way === 'http' || way === 'https';
      const isSecure = way === 'https' || way === 'a tunnel';
      for (const { when, before, treat, whole, ends, connections = 2, ...point } of points) {
        if (point.isDirect && !isDirect) continue;
        it(`${when}: the service has the request ${whole} times, and it is ${ends}`, async () => {
          const treatAll = (arrival: Arrival) => (arrival.name === 'second' && treat ? treat : answer)(arrival);
          await using service = await ClosingService.start(treatAll, isSecure);
          const { port } = service;
          await using proxy = await startProxyServer({ routes: { 'media.test:443': port, 'media.test:80': port } });
          const client = isDirect
            ? connect(service.origin)
            : connect(isSecure ? 'https://media.test' : 'http://media.test', proxy.url);
          assert.equal(await ask(client, 'first'), 'answered');
          const [first] = service.connections;
          assert(first);
          if (isDirect || isSecure) await before?.(first);
          const sent = await ask(client, treat ? `second ${'x'.repeat(300_000)}` : 'second');
          assert.equal(sent, ends);
          assert.equal(service.whole.get('second') ?? 0, whole);
          assert.deepEqual(service.seen.get('second')?.length, 1);
          assert.equal(await ask(client, 'third'), 'answered');
          // A proxy keeps no connection to the service for plain http.
          if (way !== 'an http proxy') assert.equal(service.connections.length, connections);
          assert.deepEqual(service.seen.get('second')?.[0] === first.socket, way !== 'an http proxy' && !before);
        });
      }
    });
  }

  it('are those of a service that announces for how long it keeps them', async () => {
    for (const [headers, connections] of [
      ['keep-alive: timeout=2\r\n', 1],
      ['Keep-Alive: max=100, timeout=60\r\n', 1],
      ['keep-alive: timeout=1\r\n', 3],
      ['keep-alive: timeout=5\r\nconnection: close\r\n', 3],
      ['', 3],
    ] as const) {
      await using service = await ClosingService.start(answering(headers));
      const client = connect(service.origin);
      for (const name of ['first', 'second', 'third']) assert.equal(await ask(client, name), 'answered');
      assert.equal(service.connections.length, connections, headers);
      await dispatcher.destroy();
    }
  });

  it('are those of a service that has kept one for as long as we do, until it closes one earlier', async () => {
    await using service = await ClosingService.start(answering(''));
    const client = connect(service.origin);
    await ask(client, 'first');
    await closedIdle(service.connections[0]);
    await ask(client, 'second');
    await ask(client, 'third');
    assert.equal(service.connections.length, 2);
    const [, kept] = service.connections;
    kept?.socket.end();
    await closed(kept);
    await ask(client, 'fourth');
    await ask(client, 'fifth');
    assert.equal(service.connections.length, 4);
  });

  it('are as many as there are requests at a time', async () => {
    await using service = await ClosingService.start();
    const client = connect(service.origin);
    const send = async () => {
      for (let time = 0; time < 20; time++) assert.equal(await ask(client, 'fox'), 'answered');
    };
    await Promise.all([send(), send(), send()]);
    assert.deepEqual([service.connections.length, service.whole.get('fox')], [3, 60]);
    await Promise.all(service.connections.map(closedIdle));
  });

  it('are still those of a service that closes one as it announced', async () => {
    await using service = await ClosingService.start((arrival) => {
      if (arrival.name === 'first') answering('connection: close\r\n')(arrival);
      else answer(arrival);
    });
    const client = connect(service.origin);
    await ask(client, 'first');
    await closed(service.connections[0]);
    await ask(client, 'second');
    await ask(client, 'third');
    assert.equal(service.connections.length, 2);
  });

  it('are not used after a refusal', async () => {
    await using service = await ClosingService.start((arrival) =>
      arrival.name === 'first'
        ? arrival.socket.write('HTTP/1.1 400 Bad\r\nkeep-alive: timeout=5\r\ncontent-length: 2\r\n\r\n{}')
        : answer(arrival),
    );
    const client = connect(service.origin);
    assert.equal(await ask(client, 'first'), 'badRequest');
    assert.equal(await ask(client, 'second'), 'answered');
    assert.equal(service.connections.length, 2);
  });

  it('are not used after a request that was cancelled while its answer stalled', async () => {
    const abort = new AbortController();
    await using service = await ClosingService.start((arrival) => {
      if (arrival.name !== 'second') answer(arrival);
      else if (arrival.isWhole) arrival.socket.write(answerOf('second').slice(0, 30), () => abort.abort());
    });
    const client = connect(service.origin);
    assert.equal(await ask(client, 'first'), 'answered');
    assert.equal(await ask(client, 'second', { signal: abort.signal }), 'cancelled, unknown');
    assert.equal(await ask(client, 'third'), 'answered');
    assert.deepEqual([service.connections.length, service.whole.get('second')], [2, 1]);
  });

  it('are not used after an upload that was answered before its end', async () => {
    const dataSent = async function* () {
      yield Buffer.alloc(100_000);
      await answered.promise;
      yield Buffer.alloc(100_000);
    };
    const answered = Promise.withResolvers<void>();
    await using service = await ClosingService.start((arrival) =>
      arrival.name === 'upload' ? arrival.socket.write(answerOf('upload')) : answer(arrival),
    );
    const client = connect(service.origin);
    assert.equal(await ask(client, 'first'), 'answered');
    const { body } = await request(`${service.origin}/upload`, {
      method: 'POST',
      headers: { 'content-length': '200000' },
      // As in `respond`.
      body: dataSent() as unknown as string,
      dispatcher,
    });
    assert.match(await body.text(), /upload/);
    answered.resolve();
    assert.equal(await ask(client, 'second'), 'answered');
    assert.deepEqual([service.connections.length, service.whole.has('upload')], [2, false]);
  });

  it('are not used while a part of an answered request still waits to be sent', async () => {
    await using service = await ClosingService.start((arrival) => {
      if (arrival.name === 'upload') arrival.socket.pause().write(answerOf('upload'));
      else answer(arrival);
    });
    const client = connect(service.origin);
    // More than the buffers of the system hold.
    const body = Buffer.alloc(20_000_000);
    const response = await request(`${service.origin}/upload`, { method: 'POST', body, dispatcher });
    assert.match(await response.body.text(), /upload/);
    assert.equal(await ask(client, 'second'), 'answered');
    assert.equal(service.connections.length, 2);
  });

  it('are not used after the computer slept', async () => {
    await using service = await ClosingService.start();
    const client = connect(service.origin);
    assert.equal(await ask(client, 'first'), 'answered');
    mock.timers.setTime(3_600_000);
    assert.equal(await ask(client, 'second'), 'answered');
    assert.equal(service.connections.length, 2);
  });

  it('are looked at once more when the socket was read before they ended', async () => {
    await using service = await ClosingService.start();
    const client = connect(service.origin);
    assert.equal(await ask(client, 'first'), 'answered');
    // All that the callback does happens after this turn's sockets were read.
    const trigger = createServer((socket) => socket.write('now'));
    trigger.listen(0, '127.0.0.1');
    await once(trigger, 'listening');
    const address = trigger.address();
    const socket = netConnect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
    const sent = Promise.withResolvers<string>();
    socket.once('data', () => {
      service.connections[0]?.raw.resetAndDestroy();
      const body = '{"prompt":"second"}';
      const answered = request(`${service.origin}/v1`, { method: 'POST', body, dispatcher });
      sent.resolve(answered.then(async (response) => response.body.text()));
    });
    assert.match(await sent.promise, /"name":"second"/);
    assert.deepEqual([service.connections.length, service.whole.get('second')], [2, 1]);
    socket.destroy();
    trigger.close();
  });

  it('resume their TLS session, also after a garbage collection', async () => {
    v8.setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = vm.runInNewContext('gc');
    const resumed: boolean[] = [];
    const certificate = serverCertificate;
    await using service = await startHttpServer(({ socket }, response) => {
      resumed.push((socket as tls.TLSSocket).isSessionReused());
      response.setHeader('connection', 'close').end(answerOf('x').split('\r\n\r\n')[1]);
    }, certificate);
    const client = connect(service.origin);
    for (let time = 0; time < 3; time++) {
      await client.exchange('generateImage', { model: 'm', prompt: 'a fox' });
      await once(service.requests.at(-1)?.socket ?? assert.fail(), 'close');
      collectGarbage();
    }
    assert.deepEqual(resumed, [false, true, true]);
  });

  it('read what undici refuses in a head, with each request', async () => {
    await using service = await ClosingService.start(
      ({ socket, name, isWhole }) =>
        isWhole &&
        socket.write(
          `HTTP/1.1 100 Continue\r\n\r\n${answerOf(name).replace(/content-length: \d+\r\n/, (line) => line + line)}`,
        ),
    );
    const client = connect(service.origin);
    for (const name of ['first', 'second', 'third']) assert.equal(await ask(client, name), 'answered');
    assert.equal(service.connections.length, 1);
  });

  describe('and a GET', () => {
    const path = '/x.png';
    const download = (client: MediaClient, origin: string) => downloadAll(client, `${origin}${path}`, origin);

    it('is sent once more when a kept connection breaks before its answer', async () => {
      let isKept = true;
      await using service = await ClosingService.start((arrival) => {
        if (arrival.name === path && isKept) arrival.socket.destroy();
        else answer(arrival);
        if (arrival.name === path) isKept = false;
      });
      const client = connect(service.origin);
      assert.equal(await ask(client, 'first'), 'answered');
      assert.match(String(await download(client, service.origin)), /b64_json/);
      assert.deepEqual([service.connections.length, service.whole.get(path)], [2, 2]);
    });

    it('fails when the new connection breaks as well', async () => {
      await using service = await ClosingService.start((arrival) =>
        arrival.name === path ? arrival.socket.destroy() : answer(arrival),
      );
      const client = connect(service.origin);
      assert.equal(await ask(client, 'first'), 'answered');
      assert.equal((await failureOf(download(client, service.origin))).kind, 'download');
      assert.equal(service.whole.get(path), 2);
    });

    it('is not sent again once its answer has begun, or when it was cancelled', async () => {
      const abort = new AbortController();
      await using service = await ClosingService.start((arrival) => {
        if (arrival.name === '/cancelled.png') abort.abort();
        else if (arrival.name === path) arrival.socket.end(answerOf(path).slice(0, -20));
        else answer(arrival);
      });
      const client = connect(service.origin);
      assert.equal(await ask(client, 'first'), 'answered');
      assert.equal((await failureOf(download(client, service.origin))).kind, 'download');
      assert.equal(await ask(client, 'second'), 'answered');
      const { signal } = abort;
      const source = { base: service.origin };
      const cancelled = client.download('generateImage', '/cancelled.png', source, { signal });
      assert.equal((await failureOf(cancelled)).kind, 'cancelled');
      assert.equal(await ask(client, 'third'), 'answered');
      assert.deepEqual([service.whole.get(path), service.whole.get('/cancelled.png')], [1, 1]);
      assert.equal(service.connections.length, 3);
    });

    it('is not sent again when the client is closed', async () => {
      await using service = await ClosingService.start((arrival) => {
        if (arrival.name === path && service.whole.get(path) === 1) void dispatcher.destroy();
        else answer(arrival);
      });
      const client = connect(service.origin);
      assert.equal(await ask(client, 'first'), 'answered');
      assert.equal((await failureOf(download(client, service.origin))).kind, 'download');
      assert.equal(service.connections.length, 1);
    });
  });
});

/** Lets a connection wait as long as it is kept. */
async function closedIdle(connection: Connection | undefined): Promise<void> {
  // The client counts from the turn after the answer.
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  mock.timers.tick(500);
  await closed(connection);
}

async function closed(connection: Connection | undefined): Promise<void> {
  assert(connection);
  if (!connection.socket.closed) await once(connection.socket, 'close');
}
