import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import tls from 'node:tls';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import type { MediaClient } from '../../../src/service/MediaClient.ts';
import { authority, serverCertificate } from '../../support/certificates.ts';
import { clientOf, sendRequest } from '../../support/clientOf.ts';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { startTcpServer } from '../../support/tcpServer.ts';

describe('a slow connection', () => {
  const trusted = tls.getCACertificates('default');
  let dispatcher: ServiceDispatcher;

  before(() => tls.setDefaultCACertificates([...trusted, authority]));
  after(() => tls.setDefaultCACertificates(trusted));
  afterEach(() => dispatcher.destroy());

  const works: readonly (readonly [
    string,
    (client: MediaClient, signal: AbortSignal, base: string) => Promise<unknown>,
  ])[] = [
    [
      'a request',
      (client, signal) => sendRequest(client, 'generateImage', { model: 'm', prompt: 'a fox' }, { signal }),
    ],
    ['a download', (client, signal, base) => client.download('generateImage', '/x.png', { base }, { signal })],
  ];
  for (const [name, work] of works) {
    for (const way of ['directly', 'through a proxy'] as const) {
      it(`${way} can be aborted during ${name}, and then sends nothing`, async () => {
        await using service = await startHttpServer(() => undefined, serverCertificate);
        const begun = Promise.withResolvers<Socket>();
        await using slow = await startTcpServer((socket) => socket.once('readable', () => begun.resolve(socket)));
        const isDirect = way === 'directly';
        dispatcher = createDispatcher(isDirect ? {} : { proxy: `http://127.0.0.1:${slow.port}` });
        const host = isDirect ? `https://127.0.0.1:${slow.port}` : 'https://media.test';
        const client = clientOf(host, dispatcher);
        const abort = new AbortController();
        const failed = failureOf(work(client, abort.signal, host));
        const socket = await begun.promise;
        abort.abort();
        assert.equal((await failed).kind, 'cancelled');

        // The connection continues only now.
        const target = connect(service.port, '127.0.0.1');
        const closed = once(target, 'close');
        if (!isDirect) {
          socket.read();
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
        }
        socket.pipe(target).pipe(socket);
        await closed;
        assert.deepEqual(service.requests, []);
      });
    }
  }
});

describe('a connection', () => {
  it('is closed with its client while it waits for an answer', async () => {
    await using service = await startHttpServer();
    const dispatcher = createDispatcher();
    const sent = failureOf(
      sendRequest(clientOf(service.origin, dispatcher), 'generateImage', { model: 'm', prompt: 'a fox' }),
    );
    const [{ socket }] = await service.next();
    await dispatcher.destroy();
    assert.equal((await sent).kind, 'network');
    if (!socket.closed) await once(socket, 'close');
  });
});
