import assert from 'node:assert/strict';
import { request } from 'undici';
// @ts-expect-error The clock that undici's limits go by has no types.
import timers from 'undici/lib/util/timers.js';
import type { ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { createDispatcher } from '../../../src/service/createDispatcher.ts';
import { MediaClient } from '../../../src/service/MediaClient.ts';
import type { Progress } from '../../../src/service/RequestOptions.ts';
import { bodyOf, startHttpServer } from '../../support/httpServer.ts';

/** Puts the clock of the HTTP library six minutes ahead: sockets are real, only the waiting is shortened. */
function passSixMinutes(): void {
  for (let minute = 0; minute < 6; minute++) timers.tick(60_000);
}

describe('an answer that takes long', () => {
  let dispatcher: ServiceDispatcher;

  beforeEach(() => {
    dispatcher = createDispatcher();
  });

  afterEach(() => dispatcher.destroy());

  function send(host: string, seconds: number, onProgress?: (progress: Progress) => void) {
    return new MediaClient({
      configuration: {
        hosts: { image: host, audio: host, video: host },
        timeoutSeconds: { image: seconds, audio: seconds, video: seconds },
      },
      key: () => 'k',
      dispatcher,
    }).send('generateVideo', { model: 'm', prompt: 'a fox runs' }, { onProgress });
  }

  it('is not ended by the limits of the HTTP library, five minutes for the headers and for the body', async () => {
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

  it('would be ended by them: the clock of the library really is six minutes ahead', async () => {
    await using server = await startHttpServer();
    const incoming = server.next();
    const answer = assert.rejects(request(server.origin, { method: 'POST', body: '{}', dispatcher }), {
      code: 'UND_ERR_HEADERS_TIMEOUT',
    });
    await incoming;
    passSixMinutes();
    await answer;
  });

  it('is waited for as long as timeoutSeconds says; then the connection is closed', async () => {
    await using server = await startHttpServer();
    const incoming = server.next();
    const answer = assert.rejects(send(server.origin, 0.05), {
      kind: 'timeout',
      mayBeBilled: true,
      message: 'The service did not answer within 0.05 s. It may still do the work and bill it.',
    });
    const [received] = await incoming;
    const closed = new Promise((resolve) => received.socket.on('close', resolve));
    await answer;
    await closed;
    assert.equal(server.requests.length, 1);
  });
});
