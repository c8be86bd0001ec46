import assert from 'node:assert/strict';
import dns from 'node:dns';
import type { RequestListener } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import tls from 'node:tls';
import type { AnswerSource } from '../../../src/service/Answer.ts';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { authority, serverCertificate } from '../../support/certificates.ts';
import { clientOf, downloadAll } from '../../support/clientOf.ts';
import { failureOf } from '../../support/failureOf.ts';
import { type HttpServer, startHttpServer } from '../../support/httpServer.ts';
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
    readonly source?: AnswerSource;
  }

  function connect(proxy?: string): ServiceDispatcher {
    const dispatcher = createDispatcher({ proxy });
    dispatchers.push(dispatcher);
    return dispatcher;
  }

  function download(url: string, { host = publicHost, proxy, allowed, source }: Circumstances = {}): Promise<Buffer> {
    const client = clientOf(host, connect(proxy), { allowPrivateResultAddresses: allowed });
    return downloadAll(client, url, source ?? { base: host });
  }

  async function assertRefused(url: string, circumstances: Circumstances = {}): Promise<void> {
    const error = await failureOf(download(url, circumstances));
    assert.equal(error.kind, 'download');
    assert.match(
      error.message,
      /private network, but the service is not known to be\. .*turn on "unifiedMedia\.allowPrivateResultAddresses"\.$/,
    );
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

  describe('of a service at a name with a private address', () => {
    const { lookup, promises } = dns;
    const { lookup: lookupLater } = promises;
    const trusted = tls.getCACertificates('default');
    /** The service at media.test. */
    let service: HttpServer;
    let host: string;

    beforeEach(async () => {
      const found = [{ address: '127.0.0.1', family: 4 }];
      dns.lookup = Object.assign(
        (...[, , settle]: [string, object, (error: null, found: readonly object[]) => void]) => settle(null, found),
        { __promisify__: lookup.__promisify__ },
      ) as typeof lookup;
      promises.lookup = (async () => found) as unknown as typeof lookupLater;
      syncBuiltinESMExports();
      tls.setDefaultCACertificates([...trusted, authority]);
      service = await startHttpServer((_, response) => response.end('{"data":[]}'), serverCertificate);
      host = `https://media.test:${service.port}`;
    });

    afterEach(async () => {
      dns.lookup = lookup;
      promises.lookup = lookupLater;
      syncBuiltinESMExports();
      tls.setDefaultCACertificates(trusted);
      await service[Symbol.asyncDispose]();
    });

    it('are accepted on a private network by a later process if it had one when it answered', async () => {
      const raw = await clientOf(host, connect()).exchange('generateImage', { model: 'm', prompt: 'p' });
      const source: AnswerSource = JSON.parse(JSON.stringify(raw.source));
      assert.deepEqual(await download(`${inside.origin}/x.png`, { host, source }), pngBytes);
    });

    it('are rejected there if it has one only since it answered', async () => {
      await assertRefused(`${inside.origin}/x.png`, { host });
      await assertRefused(`${inside.origin}/x.png`, { host, proxy: 'http://127.0.0.1:9' });
      const client = clientOf(host, connect());
      await downloadAll(client, '/own', host);
      const error = await failureOf(downloadAll(client, `${inside.origin}/x.png`, host));
      assert.match(error.message, /private network/);
      assert.deepEqual([service.requests.length, inside.requests.length], [1, 0]);
    });
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
