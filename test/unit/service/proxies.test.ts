import assert from 'node:assert/strict';
import tls from 'node:tls';
// @ts-expect-error The module with the clock of undici's timeouts has no types.
import timers from 'undici/lib/util/timers.js';
import {
  createDispatcher,
  type NetworkSettings,
  type ServiceDispatcher,
} from '../../../src/service/createDispatcher.ts';
import type { MediaClient } from '../../../src/service/MediaClient.ts';
import { authority, serverCertificate } from '../../support/certificates.ts';
import { clientOf, downloadAll, sendRequest } from '../../support/clientOf.ts';
import { failureOf } from '../../support/failureOf.ts';
import { type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { startProxyServer } from '../../support/proxyServer.ts';
import { startTcpServer } from '../../support/tcpServer.ts';

const oneImage = JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }] });

describe('a proxy (promises 2, 5)', () => {
  const trusted = tls.getCACertificates('default');
  let dispatchers: ServiceDispatcher[];
  /** The service at media.test, a name that only proxies know, with a certificate of a private authority. */
  let service: HttpServer;
  /** Files at files.test, without TLS. */
  let files: HttpServer;
  let routes: Readonly<Record<string, number>>;

  before(() => tls.setDefaultCACertificates([...trusted, authority]));
  after(() => tls.setDefaultCACertificates(trusted));

  beforeEach(async () => {
    dispatchers = [];
    service = await startHttpServer((_, response) => response.end(oneImage), serverCertificate);
    files = await startHttpServer((_, response) => response.end(pngBytes));
    routes = { 'media.test:443': service.port, 'files.test:80': files.port, 'other.test:443': service.port };
  });

  afterEach(async () => {
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.destroy()));
    await service[Symbol.asyncDispose]();
    await files[Symbol.asyncDispose]();
  });

  function clientWith(network: NetworkSettings, host = 'https://media.test'): MediaClient {
    const dispatcher = createDispatcher(network);
    dispatchers.push(dispatcher);
    return clientOf(host, dispatcher);
  }

  function generate(network: NetworkSettings, host?: string) {
    return sendRequest(clientWith(network, host), 'generateImage', { model: 'm', prompt: 'a fox' });
  }

  function download(network: NetworkSettings, url: string): Promise<Buffer> {
    return downloadAll(clientWith(network), url, 'https://media.test');
  }

  it('tunnels https and learns the host name, but not the key', async () => {
    await using proxy = await startProxyServer({ routes });
    assert.equal((await generate({ proxy: proxy.url })).type, 'media');
    assert.equal(service.requests[0]?.headers.authorization, 'key-1');
    assert.deepEqual(
      proxy.asked.map(({ method, url }) => [method, url]),
      [['CONNECT', 'media.test:443']],
    );
    assert(!JSON.stringify(proxy.asked[0]?.headers).includes('key-1'));
  });

  it('receives the whole URL of http requests, without the key', async () => {
    await using proxy = await startProxyServer({ routes });
    assert.deepEqual(await download({ proxy: proxy.url }, 'http://files.test/x.png?sig=a%2Bb'), pngBytes);
    assert.equal(proxy.asked[0]?.url, 'http://files.test/x.png?sig=a%2Bb');
    assert.deepEqual(
      files.requests.map(({ url, headers }) => [url, headers.host, headers.authorization]),
      [['/x.png?sig=a%2Bb', 'files.test', undefined]],
    );
  });

  it('keeps a tunnel and a connection for the next request', async () => {
    await using proxy = await startProxyServer({ routes });
    const client = clientWith({ proxy: proxy.url });
    for (let time = 0; time < 10; time++) {
      await sendRequest(client, 'generateImage', { model: 'm', prompt: 'a fox' });
      for await (const _ of (
        await client.download('generateImage', 'http://files.test/x.png', { base: 'https://media.test' })
      ).data);
    }
    const methods = proxy.asked.map(({ method }) => method);
    assert.deepEqual([methods.length, methods.filter((method) => method === 'CONNECT').length], [11, 1]);
    assert.equal(new Set(proxy.asked.map(({ socket }) => socket)).size, 2);
    assert.equal(new Set(service.requests.map(({ socket }) => socket)).size, 1);
  });

  it('is not used for hosts in noProxy or for this machine', async () => {
    await using proxy = await startProxyServer({ routes });
    await using own = await startHttpServer((_, response) => response.end(oneImage));
    assert.equal((await generate({ proxy: proxy.url }, own.origin)).type, 'media');
    const error = await failureOf(
      clientWith({ proxy: proxy.url, noProxy: ['media.test'] }).download('generateImage', '/x', {
        base: 'https://media.test',
      }),
    );
    assert.match(error.message, /media\.test: its name cannot be resolved/);
    assert.deepEqual(proxy.asked, []);
  });

  describe('that requires credentials', () => {
    const credentials = 'Ann:p@ss%:wörd';
    const header = `Basic ${Buffer.from(credentials).toString('base64')}`;
    const withPassword = (url: string, password = 'p@ss%:wörd') =>
      url.replace('://', `://Ann:${encodeURIComponent(password)}@`);

    it('receives them from the setting or from its URL, for https and http', async () => {
      await using proxy = await startProxyServer({ routes, credentials });
      for (const network of [
        { proxy: proxy.url, proxyAuthorization: header },
        { proxy: withPassword(proxy.url) },
        { proxy: withPassword(proxy.url).replace('http://', '') },
      ]) {
        assert.equal((await generate(network)).type, 'media');
        assert.deepEqual(await download(network, 'http://files.test/x.png'), pngBytes);
      }
      assert.equal(service.requests.length, 3);
      assert(service.requests.every(({ headers }) => headers['proxy-authorization'] === undefined));
    });

    it('rejects wrong ones, with an error that names the setting, and nothing is sent', async () => {
      await using proxy = await startProxyServer({ routes, credentials });
      for (const network of [
        { proxy: proxy.url },
        { proxy: withPassword(proxy.url, 'wrong') },
        { proxy: proxy.url, proxyAuthorization: 'Basic wrong' },
      ]) {
        for (const error of [
          await failureOf(generate(network)),
          await failureOf(download(network, 'http://files.test/x.png')),
        ]) {
          assert.equal(error.kind, 'proxy');
          assert.equal(error.mayBeBilled, false);
          assert(!/Ann|wrong/.test(error.message));
          assert.match(
            error.message,
            /\(407\)\. Nothing was sent\. .*http:\/\/user:password@….*"http\.proxyAuthorization"/,
          );
        }
      }
      assert.equal(proxy.asked.length, 6);
      assert.deepEqual([...service.requests, ...files.requests], []);
    });
  });

  describe('that does not work', () => {
    async function assertWrong(network: NetworkSettings, sentence: RegExp): Promise<void> {
      const error = await failureOf(generate(network));
      assert.equal(error.kind, 'proxy', error.message);
      assert.equal(error.mayBeBilled, false);
      assert.match(error.message, sentence);
      assert.match(error.message, /Nothing was sent\. Check the setting "http\.proxy" or the variables HTTPS_PROXY/);
      assert.deepEqual(service.requests, []);
    }

    it('reports a refused connection', async () => {
      const { port } = await startProxyServer().then(async (proxy) => {
        await proxy[Symbol.asyncDispose]();
        return proxy;
      });
      await assertWrong({ proxy: `http://127.0.0.1:${port}` }, /the proxy 127\.0\.0\.1:\d+: it refuses the connection/);
    });

    it('reports a host name that cannot be resolved', () =>
      assertWrong(
        { proxy: 'http://proxy.invalid:3128' },
        /the proxy proxy\.invalid:3128: its name cannot be resolved/,
      ));

    for (const address of ['http://', 'ftp://proxy.example', 'socks5://proxy.example:1080', 'a b']) {
      it(`reports an invalid address: ${address}`, () =>
        assertWrong({ proxy: address }, /must look like http:\/\/proxy\.example\.com:3128/));
    }

    it('reports that the proxy cannot reach the host', async () => {
      await using proxy = await startProxyServer();
      await assertWrong({ proxy: proxy.url }, /The proxy 127\.0\.0\.1:\d+ refused to open the connection \(502\)/);
    });

    it('reports a closed connection, and that nothing can be billed', async () => {
      await using server = await startTcpServer((socket) => socket.end());
      await assertWrong({ proxy: `http://127.0.0.1:${server.port}` }, /did not open a connection: other side closed/);
    });

    it('reports a server that is not a proxy', async () => {
      await using server = await startTcpServer((socket) => socket.end('220 mail.example ESMTP\r\n'));
      await assertWrong({ proxy: `http://127.0.0.1:${server.port}` }, /did not open a connection/);
    });

    it('reports a proxy without TLS', async () => {
      await using proxy = await startProxyServer({ routes });
      await assertWrong(
        { proxy: proxy.url.replace('http:', 'https:') },
        /did not open a connection: .*wrong version number/i,
      );
    });

    it('reports a proxy that never responds', async () => {
      const asked = Promise.withResolvers<void>();
      await using server = await startTcpServer((socket) => socket.on('data', () => asked.resolve()));
      const wrong = assertWrong(
        { proxy: `http://127.0.0.1:${server.port}` },
        /did not open a connection: Headers Timeout/,
      );
      await asked.promise;
      for (let tick = 0; tick < 5; tick++) timers.tick(10_000);
      await wrong;
    });

    it('does not affect connections to this machine', async () => {
      await using own = await startHttpServer((_, response) => response.end(oneImage));
      assert.equal((await generate({ proxy: 'nonsense://' }, own.origin)).type, 'media');
    });
  });

  describe('that speaks TLS', () => {
    it('is used when its certificate is trusted', async () => {
      await using proxy = await startProxyServer({ routes, certificate: serverCertificate });
      assert.equal((await generate({ proxy: proxy.url })).type, 'media');
      assert.deepEqual(await download({ proxy: proxy.url }, 'http://files.test/x.png'), pngBytes);
    });

    it('needs a trusted certificate unless proxyStrictSSL is off, which does not apply to the service', async () => {
      await using proxy = await startProxyServer({ routes, certificate: serverCertificate });
      tls.setDefaultCACertificates(trusted);
      try {
        const refused = await failureOf(generate({ proxy: proxy.url }));
        assert.equal(refused.kind, 'tls');
        assert.match(refused.message, /Could not connect securely to the proxy 127\.0\.0\.1.*Nothing was sent/);
        const network = { proxy: proxy.url, proxyStrictSSL: false };
        assert.deepEqual(await download(network, 'http://files.test/x.png'), pngBytes);
        const error = await failureOf(generate(network));
        assert.equal(error.kind, 'tls');
        assert.match(error.message, /Could not connect securely to media\.test.*Nothing was sent/);
        assert.deepEqual(service.requests, []);
      } finally {
        tls.setDefaultCACertificates([...trusted, authority]);
      }
    });
  });

  it('that cuts a tunnel is not billed before the request was sent, and may be afterwards', async () => {
    await using early = await startTcpServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    });
    const before = await failureOf(generate({ proxy: `http://127.0.0.1:${early.port}` }));
    assert.equal(before.mayBeBilled, false, before.message);
    assert.match(before.message, /Nothing was sent/);

    await using silent = await startHttpServer(() => undefined, serverCertificate);
    const incoming = silent.next();
    const late = await startProxyServer({ routes: { 'media.test:443': silent.port } });
    const sent = failureOf(generate({ proxy: late.url }));
    await incoming;
    await late[Symbol.asyncDispose]();
    const after = await sent;
    assert.deepEqual([after.kind, after.mayBeBilled], ['network', true], after.message);
    assert.equal(silent.requests.length, 1);
    assert.equal(late.asked.length, 1);
  });

  it('does not make a wrong certificate of the service acceptable', async () => {
    await using proxy = await startProxyServer({ routes });
    const error = await failureOf(generate({ proxy: proxy.url }, 'https://other.test'));
    assert.equal(error.kind, 'tls');
    assert.match(error.message, /other\.test.*Nothing was sent\. Check the address/);
  });

  it('does not change the global dispatcher', async () => {
    const slots = () => [1, 2].map((n) => Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${n}`)));
    const before = slots();
    await using proxy = await startProxyServer({ routes });
    await generate({ proxy: proxy.url, systemCertificates: true });
    assert.deepEqual(slots(), before);
  });
});
