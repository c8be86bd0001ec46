import assert from 'node:assert/strict';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { probeHost } from '../../../src/service/withoutCost.ts';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { startTcpServer } from '../../support/tcpServer.ts';

describe('probeHost (promise 6)', () => {
  let dispatcher: ServiceDispatcher;

  beforeEach(() => {
    dispatcher = createDispatcher();
  });

  afterEach(() => dispatcher.destroy());

  const probe = (url: string, signal?: AbortSignal) => probeHost(new URL(url), dispatcher, signal);

  for (const status of [200, 204, 301, 401, 404, 500]) {
    it(`returns ${status} without sending the key`, async () => {
      await using service = await startHttpServer((_, response) => response.writeHead(status).end());
      assert.equal(await probe(`${service.origin}/base`), status);
      const [request] = service.requests;
      assert.deepEqual([request?.method, request?.url, request?.headers.authorization], ['GET', '/base', undefined]);
    });
  }

  it('does not wait for the end of a page', async () => {
    await using service = await startHttpServer((_, response) => void response.write('<html>'));
    assert.equal(await probe(service.origin), 200);
  });

  it('rejects with the reason when it cannot connect', async () => {
    const gone = await startHttpServer();
    await gone[Symbol.asyncDispose]();
    const refused = await failureOf(probe(gone.origin));
    assert.deepEqual([refused.kind, refused.mayBeBilled], ['network', false]);
    assert.match(refused.message, /it refuses the connection/);
    assert.match((await failureOf(probe('https://media.invalid'))).message, /its name cannot be resolved/);
  });

  const strangers = [
    ['closes', '', 'other side closed'],
    ['greets like a mail server', '220 mail.example ESMTP\r\n', 'its answer is not HTTP'],
  ] as const;
  for (const [does, words, reason] of strangers) {
    it(`reports that no web service answers when the server ${does}`, async () => {
      await using server = await startTcpServer((socket) => socket.once('data', () => socket.end(words)));
      const error = await failureOf(probe(`http://127.0.0.1:${server.port}`));
      assert.deepEqual([error.kind, error.mayBeBilled], ['network', false]);
      assert.equal(error.message, `No web service answers at 127.0.0.1:${server.port}: ${reason}.`);
    });
  }

  it('reports that a port does not speak https', async () => {
    await using service = await startHttpServer();
    const error = await failureOf(probe(service.origin.replace('http:', 'https:')));
    assert.deepEqual([error.kind, error.mayBeBilled], ['tls', false]);
    assert.match(error.message, /^127\.0\.0\.1:\d+ does not use https on this port\.$/);
  });

  it('rejects with "cancelled" when aborted', async () => {
    await using service = await startHttpServer();
    const controller = new AbortController();
    const came = service.next();
    const probing = failureOf(probe(service.origin, controller.signal));
    await came;
    controller.abort();
    assert.equal((await probing).kind, 'cancelled');
  });
});
