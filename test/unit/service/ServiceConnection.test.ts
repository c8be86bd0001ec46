import assert from 'node:assert/strict';
import type { NetworkSettings } from '../../../src/service/createDispatcher.ts';
import { ServiceConnection } from '../../../src/service/ServiceConnection.ts';
import { downloadAll, sendRequest } from '../../support/clientOf.ts';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { startProxyServer } from '../../support/proxyServer.ts';

const oneImage = JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }] });
const request = { model: 'm', prompt: 'a fox' };

function connect(host: () => string, network: () => NetworkSettings): ServiceConnection {
  return new ServiceConnection({
    usesSandbox: () => false,
    remote: () => ({
      configuration: {
        hosts: { image: host(), audio: '', video: '' },
        timeoutSeconds: { image: 30, audio: 30, video: 30 },
      },
      key: () => 'key-1',
    }),
    sandbox: () => Promise.reject(new Error('not used')),
    network,
    log: () => undefined,
  });
}

describe('ServiceConnection (promise 7)', () => {
  it('uses the current network settings for new clients without disturbing open ones', async () => {
    await using service = await startHttpServer();
    await using first = await startProxyServer();
    await using second = await startProxyServer();
    let network: NetworkSettings = { proxy: first.url };
    let host = service.origin;
    const connection = connect(
      () => host,
      () => network,
    );

    const incoming = service.next();
    const client = await connection.open(false);
    const underWay = sendRequest(client, 'generateImage', request);
    const [, response] = await incoming;

    host = 'https://media.test';
    await failureOf(sendRequest(await connection.open(false), 'generateImage', request));
    network = { proxy: second.url };
    await failureOf(sendRequest(await connection.open(false), 'generateImage', request));
    assert.deepEqual([first.asked.length, second.asked.length], [1, 1]);

    response.end(oneImage);
    assert.equal((await underWay).type, 'media');
    // The job continues with its own client.
    const later = service.next();
    const downloaded = downloadAll(client, '/x.png', service.origin);
    (await later)[1].end(pngBytes);
    assert.deepEqual(await downloaded, pngBytes);
  });
});
