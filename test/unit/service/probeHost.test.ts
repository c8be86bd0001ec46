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

  // What else can be wrong with an address: ServiceSetup.test.ts.
  it('reports that no web service answers when the server closes the connection', async () => {
    await using server = await startTcpServer((socket) => socket.once('data', () => socket.end()));
    const error = await failureOf(probe(`http://127.0.0.1:${server.port}`));
    assert.deepEqual([error.kind, error.mayBeBilled], ['network', false]);
    assert.equal(error.message, `No web service answers at 127.0.0.1:${server.port}: other side closed.`);
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
