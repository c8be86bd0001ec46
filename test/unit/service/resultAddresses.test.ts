import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import type { ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { createDispatcher } from '../../../src/service/createDispatcher.ts';
import { clientOf, downloadAll } from '../../support/clientOf.ts';
import { failureOf } from '../../support/failureOf.ts';
import type { HttpServer } from '../../support/httpServer.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { startProxyServer } from '../../support/proxyServer.ts';

/** A public service that is never called, because its name does not resolve. */
const publicHost = 'https://media.invalid';

describe('result URLs (promise 10)', () => {
  /** A server on this machine, which a public service must not reach. */
  let inside: HttpServer;
  let dispatchers: ServiceDispatcher[];

  beforeEach(async () => {
    dispatchers = [];
    inside = await startHttpServer((_, response) => response.end(pngBytes));
  });

  afterEach(async () => {
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.destroy()));
    await inside[Symbol.asyncDispose]();
  });

  interface Circumstances {
    readonly host?: string;
    readonly proxy?: string;
    readonly allowed?: boolean;
  }

  function download(url: string, { host = publicHost, proxy, allowed }: Circumstances = {}): Promise<Buffer> {
    const dispatcher = createDispatcher({ proxy });
    dispatchers.push(dispatcher);
    return downloadAll(clientOf(host, dispatcher, { allowPrivateResultAddresses: allowed }), url, host);
  }

  async function assertRefused(url: string, circumstances: Circumstances = {}): Promise<void> {
    const error = await failureOf(download(url, circumstances));
    assert.equal(error.kind, 'download');
    assert.match(error.message, /private network.*turn on "unifiedMedia\.allowPrivateResultAddresses"\.$/);
    // An error with a cause would be retried, see fetchResult.
    assert.equal(error.cause, undefined);
    assert.deepEqual(inside.requests, []);
  }

  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'localhost']) {
    it(`are rejected at ${host} for a public service`, () => assertRefused(`http://${host}:${inside.port}/x.png`));
  }

  it('are accepted on a private network when the user allows it', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      assert.deepEqual(await download(`http://${host}:${inside.port}/x.png`, { allowed: true }), pngBytes);
    }
  });

  it('are accepted on a private network when the service is there too', async () => {
    for (const host of ['http://127.0.0.1:1', 'https://localhost', 'https://10.1.2.3']) {
      assert.deepEqual(await download(`${inside.origin}/x.png`, { host }), pngBytes);
      assert.deepEqual(await download(`http://localhost:${inside.port}/x.png`, { host }), pngBytes);
    }
  });

  it('are checked after each redirect, even when a proxy resolves names', async () => {
    const targets = [
      `${inside.origin}/x`,
      `http://localhost:${inside.port}/x`,
      'http://169.254.169.254/latest',
      'http://[fd00::1]/x',
    ];
    const redirect: RequestListener = ({ url }, response) => {
      response.writeHead(302, { location: targets[Number(url?.slice(1))] }).end();
    };
    await using files = await startHttpServer(redirect);
    await using proxy = await startProxyServer({ routes: { 'files.test:80': files.port } });
    for (const number of targets.keys()) await assertRefused(`http://files.test/${number}`, { proxy: proxy.url });
    assert.equal(proxy.asked.length, targets.length);
  });
});
