import assert from 'node:assert/strict';
import { MediaError } from '../../../src/operations/MediaError.ts';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { MediaClient } from '../../../src/service/MediaClient.ts';
import { downloadAll, sendRequest } from '../../support/clientOf.ts';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { rawOf } from '../../support/rawOf.ts';

describe('when the editor cannot read its keys (promise 1)', () => {
  const locked = new MediaError('noKey', 'The editor cannot read its secret storage.');
  let dispatcher: ServiceDispatcher;

  beforeEach(() => {
    dispatcher = createDispatcher();
  });

  afterEach(() => dispatcher.destroy());

  function clientOf(host: string): MediaClient {
    return new MediaClient({
      configuration: {
        hosts: { image: host, audio: host, video: host },
        timeoutSeconds: { image: 30, audio: 30, video: 30 },
      },
      key: () => Promise.reject(locked),
      dispatcher,
    });
  }

  it('rejects with the reason, and sends nothing', async () => {
    await using server = await startHttpServer();
    const request = { model: 'm', prompt: 'a fox' };
    assert.equal(await failureOf(sendRequest(clientOf(server.origin), 'generateImage', request)), locked);
    assert.deepEqual(server.requests, []);
  });

  it('still reads and downloads a paid result, without a key', async () => {
    await using server = await startHttpServer((_, response) => response.end(pngBytes));
    const client = clientOf(server.origin);
    const body = Buffer.from('{"data":[{"url":"/x.png"}]}');
    assert.equal((await client.read('generateImage', rawOf(body, { source: { base: server.origin } }))).type, 'media');
    assert.deepEqual(await downloadAll(client, '/x.png', server.origin), pngBytes);
    assert.equal(server.requests[0]?.headers.authorization, undefined);
  });
});
