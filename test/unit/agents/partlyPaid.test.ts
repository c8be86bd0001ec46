import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { noAmounts } from '../../../src/operations/amounts.ts';
import { openDesk } from '../../support/agentDesk.ts';
import { bodyOf, type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { mp3Bytes } from '../../support/mediaBytes.ts';

describe('a long text of an agent of which a part is refused', () => {
  const text = ['First', 'Second'].map((word) => `${word} ${'word '.repeat(15)}ends.`).join('\n\n');
  let refused: { readonly word: string; readonly status: number } | undefined;
  let accepted: number;
  let server: HttpServer;
  let desk: ReturnType<typeof openDesk>;

  beforeEach(async () => {
    refused = undefined;
    accepted = 0;
    server = await startHttpServer(async (request, response) => {
      const body = (await bodyOf(request)).toString();
      if (refused && body.includes(refused.word)) {
        response.writeHead(refused.status).end();
        return;
      }
      accepted++;
      response.end(mp3Bytes);
    });
    desk = openDesk(server.origin);
  });

  afterEach(async () => {
    await desk[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    rmSync(desk.folder, { recursive: true, force: true });
  });

  for (const [status, isRetryable, next] of [
    [400, false, /^The finished parts are billed and kept, .* Correct the input and call the tool again\.$/],
    [429, true, /^The finished parts are billed and kept, .* You may call the tool once more after a pause\.$/],
    [401, false, /^Report the error to the user, and do not call the tool again\.$/],
  ] as const) {
    it(`says that the first was billed when the second gets ${status}, and counts it`, async () => {
      refused = { word: 'Second', status };
      const result = await desk.ask('media_speak', { text });
      const { error, budget } = result;
      assert.deepEqual([result.status, error?.charged, error?.retryable], ['failed', 'yes', isRetryable]);
      assert.match(result.next, next);
      assert.equal(accepted, 1);
      assert.deepEqual([(await desk.host.budget.spent()).requests, budget?.left.requests], [2, 98]);
      refused = undefined;
      assert.equal((await desk.ask('media_speak', { text })).status, 'done');
      assert.equal(accepted, 2);
    });
  }

  it('says that nothing was billed when the first is refused, and gives the budget back', async () => {
    refused = { word: 'First', status: 400 };
    const { error, next } = await desk.ask('media_speak', { text });
    assert.deepEqual([error?.charged, next], ['no', 'Nothing was billed. Correct the input and call the tool again.']);
    assert.equal(accepted, 0);
    assert.deepEqual(await desk.host.budget.spent(), noAmounts);
  });
});
