import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { clientOf, downloadAll } from '../../support/clientOf.ts';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';

const limit = 4 * 1024 ** 3;

describe('a result larger than 4 GiB (promise 9)', () => {
  let dispatcher: ServiceDispatcher;

  beforeEach(() => {
    dispatcher = createDispatcher();
  });

  afterEach(() => dispatcher.destroy());

  const servers: readonly (readonly [string, number, (response: ServerResponse) => void])[] = [
    ['declares its size', 0, (response) => response.writeHead(200, { 'content-length': limit + 1 }).write('.')],
    [
      'has no declared size',
      limit - 1,
      (response) => response.writeHead(206, { 'content-range': `bytes ${limit - 1}-` }).write('..'),
    ],
  ];
  for (const [how, from, answer] of servers) {
    it(`is rejected and the connection closed when it ${how}`, async () => {
      const closed = Promise.withResolvers<void>();
      await using server = await startHttpServer((request, response) => {
        request.socket.on('close', () => closed.resolve());
        answer(response);
      });
      const error = await failureOf(downloadAll(clientOf(server.origin, dispatcher), '/x', server.origin, from));
      assert.equal(error.kind, 'download');
      assert.match(error.message, /larger than 4 GiB/);
      // An error with a cause would be retried, see fetchResult.
      assert.equal(error.cause, undefined);
      await closed.promise;
    });
  }
});
