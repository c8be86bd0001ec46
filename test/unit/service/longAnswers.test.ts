import assert from 'node:assert/strict';
import { request } from 'undici';
// @ts-expect-error The module with the clock of undici's timeouts has no types.
import timers from 'undici/lib/util/timers.js';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { MediaClient } from '../../../src/service/MediaClient.ts';
import type { Progress } from '../../../src/service/send.ts';
import { sendRequest } from '../../support/clientOf.ts';
import { stopTime } from '../../support/fakeTime.ts';
import { bodyOf, startHttpServer } from '../../support/httpServer.ts';

/** Puts undici's clock six minutes ahead. The sockets are real; only the waiting is shortened. */
function passSixMinutes(): void {
  for (let minute = 0; minute < 6; minute++) timers.tick(60_000);
}

describe('slow answers', () => {
  let dispatcher: ServiceDispatcher;

  beforeEach(() => {
    dispatcher = createDispatcher();
  });

  afterEach(() => dispatcher.destroy());

  function send(host: string, seconds: number, onProgress?: (progress: Progress) => void) {
    return sendRequest(
      new MediaClient({
        configuration: {
          hosts: { image: host, audio: host, video: host },
          timeoutSeconds: { image: seconds, audio: seconds, video: seconds },
        },
        key: () => 'k',
        dispatcher,
      }),
      'generateVideo',
      { model: 'm', prompt: 'a fox runs' },
      { onProgress },
    );
  }

  it("outlast undici's timeouts of five minutes for headers and body", async () => {
    await using server = await startHttpServer();
    const incoming = server.next();
    const begun = Promise.withResolvers<void>();
    const answer = send(server.origin, 1800, ({ stage }) => stage === 'downloading' && begun.resolve());
    const [received, response] = await incoming;
    await bodyOf(received);
    passSixMinutes();
    response.writeHead(200).write('{"data":[{"url":"https://a.example/x.mp4"}]');
    await Promise.race([begun.promise, answer]);
    passSixMinutes();
    response.end('}');
    assert.equal((await answer).type, 'media');
  });

  it('time out with undici alone, which proves that its clock was advanced', async () => {
    await using server = await startHttpServer();
    const incoming = server.next();
    const answer = assert.rejects(request(server.origin, { method: 'POST', body: '{}', dispatcher }), {
      code: 'UND_ERR_HEADERS_TIMEOUT',
    });
    await incoming;
    passSixMinutes();
    await answer;
  });

  it('end after timeoutSeconds, and the connection is closed', async () => {
    await using server = await startHttpServer();
    const incoming = server.next();
    using clock = stopTime();
    const answer = assert.rejects(send(server.origin, 1800), {
      kind: 'timeout',
      mayBeBilled: true,
      message: 'The service did not answer within 1800 s.',
    });
    const [received] = await incoming;
    const closed = new Promise((resolve) => received.socket.on('close', resolve));
    await clock.passUntil(answer, 900);
    await closed;
    assert.equal(server.requests.length, 1);
  });
});
