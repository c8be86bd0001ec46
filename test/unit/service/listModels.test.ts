import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import {
  createDispatcher,
  type NetworkSettings,
  type ServiceDispatcher,
} from '../../../src/service/createDispatcher.ts';
import { listModels } from '../../../src/service/withoutCost.ts';
import { authority, serverCertificate } from '../../support/certificates.ts';
import { failureOf } from '../../support/failureOf.ts';
import { stopTime } from '../../support/fakeTime.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { startProxyServer } from '../../support/proxyServer.ts';

const twoModels = JSON.stringify({ data: [{ id: 'speaker', type: 'tts' }, { id: 'painter' }] });
const key = 'canary-key-of-the-list';

describe('listModels (promise 6)', () => {
  let dispatcher: ServiceDispatcher | undefined;

  afterEach(async () => {
    await dispatcher?.destroy();
    dispatcher = undefined;
  });

  function list(
    url: string,
    network: NetworkSettings = {},
    more: { signal?: AbortSignal; log?(line: string): void } = {},
  ) {
    dispatcher ??= createDispatcher(network);
    return listModels(new URL(url), { dispatcher, authorization: `Bearer ${key}`, secrets: [key], ...more });
  }

  it('reads the names with one GET, and keeps the key out of the log', async () => {
    await using service = await startHttpServer((_, response) => response.end(twoModels));
    const lines: string[] = [];
    assert.deepEqual(await list(`${service.origin}/v1/models?page=1`, {}, { log: (line) => lines.push(line) }), [
      { name: 'painter', kinds: [] },
      { name: 'speaker', kinds: ['speech'] },
    ]);
    assert.deepEqual(
      service.requests.map(({ method, url, headers }) => [method, url, headers.authorization]),
      [['GET', '/v1/models?page=1', `Bearer ${key}`]],
    );
    const line = `models: GET ${service.origin}/v1/models: 200, ${twoModels.length} bytes, _ ms`;
    assert.deepEqual(
      lines.map((text) => text.replace(/\d+(?= ms$)/, '_')),
      [line],
    );
  });

  it('decompresses the list', async () => {
    await using service = await startHttpServer((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(twoModels));
    });
    assert.equal((await list(service.origin)).length, 2);
  });

  const refusals: readonly (readonly [number, string, RegExp])[] = [
    [401, 'unauthorized', /did not accept the API key\. It says: “Wrong key \[redacted\]”/],
    [403, 'forbidden', /does not allow this API key to do that/],
    [404, 'notFound', /does not know this/],
    [407, 'proxy', /proxy requires a user name and password/],
    [500, 'server', /reported an error \(500\)/],
    [504, 'gatewayTimeout', /^A gateway timed out/],
  ];
  for (const [status, kind, sentence] of refusals) {
    it(`rejects with ${kind} on ${status}, without mentioning billing`, async () => {
      await using service = await startHttpServer((_, response) => {
        response.writeHead(status).end(JSON.stringify({ error: { message: `Wrong key ${key}` } }));
      });
      const error = await failureOf(list(service.origin));
      assert.equal(error.kind, kind);
      assert.match(error.message, sentence);
      assert(!/billed/.test(error.message), error.message);
      assert.equal(error.mayBeBilled, false);
      assert.equal(error.status, status);
    });
  }

  it('follows no redirect, so the key goes only to the configured host', async () => {
    await using other = await startHttpServer((_, response) => response.end(twoModels));
    await using service = await startHttpServer((_, response) => {
      response.writeHead(302, { location: `${other.origin}/v1/models` }).end();
    });
    assert.equal((await failureOf(list(service.origin))).status, 302);
    assert.deepEqual(other.requests, []);
  });

  for (const page of ['<!doctype html><title>Welcome</title>', '{"object":"error"}', '']) {
    it(`rejects a page that is not a list: ${page || 'nothing'}`, async () => {
      await using service = await startHttpServer((_, response) => response.end(page));
      const error = await failureOf(list(service.origin));
      assert.equal(error.kind, 'unreadableAnswer');
      assert.match(error.message, /^127\.0\.0\.1:\d+ did not answer with a list of models\.$/);
    });
  }

  const endless: RequestListener = (_, response) => {
    const blanks = Buffer.alloc(2 ** 20, ' ');
    const body = new Readable({ read: () => void body.push(blanks) });
    pipeline(body, response, () => undefined);
  };

  it('reads at most 8 MiB of an endless response', async () => {
    await using service = await startHttpServer(endless);
    const error = await failureOf(list(service.origin));
    assert.equal(error.kind, 'unreadableAnswer');
    assert.match(error.message, /larger than 8 MiB/);
  });

  it('reads at most 8 MiB of a compressed response after decompression', async () => {
    await using service = await startHttpServer((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(9 * 2 ** 20, ' ')));
    });
    assert.match((await failureOf(list(service.origin))).message, /larger than 8 MiB/);
  });

  it('accepts a list of almost 8 MiB', async () => {
    const padded = twoModels + ' '.repeat(8 * 2 ** 20 - twoModels.length);
    await using service = await startHttpServer((_, response) => response.end(padded));
    assert.equal((await list(service.origin)).length, 2);
  });

  it('rejects with "cancelled" when aborted while waiting or reading', async () => {
    for (const listener of [() => undefined, endless] satisfies RequestListener[]) {
      await using service = await startHttpServer(listener);
      const controller = new AbortController();
      const came = service.next();
      const listing = failureOf(list(service.origin, {}, { signal: controller.signal }));
      await came;
      controller.abort();
      const error = await listing;
      assert.deepEqual([error.kind, error.message, error.mayBeBilled], ['cancelled', 'Cancelled.', false]);
    }
  });

  it('ends after 30 s, even while the list still arrives', async () => {
    await using service = await startHttpServer((_, response) => void response.write('[ '));
    const came = service.next();
    using clock = stopTime();
    const listing = failureOf(list(service.origin));
    const [, response] = await came;
    clock.pass(29);
    response.write(' ');
    await new Promise(setImmediate);
    const error = await clock.passUntil(listing, 1);
    assert.deepEqual([error.kind, error.mayBeBilled], ['timeout', false]);
    assert.match(error.message, /^127\.0\.0\.1:\d+ did not answer within 30 s\.$/);
  });

  it('connects through the proxy, and verifies the certificate', async () => {
    const trusted = tls.getCACertificates('default');
    await using service = await startHttpServer((_, response) => response.end(twoModels), serverCertificate);
    await using proxy = await startProxyServer({ routes: { 'media.test:443': service.port } });
    const refused = await failureOf(list('https://media.test/v1/models', { proxy: proxy.url }));
    assert.equal(refused.kind, 'tls');
    assert.match(refused.message, /Could not connect securely to media\.test: .*install its certificate/);
    await dispatcher?.destroy();
    dispatcher = undefined;
    tls.setDefaultCACertificates([...trusted, authority]);
    try {
      assert.equal((await list('https://media.test/v1/models', { proxy: proxy.url })).length, 2);
    } finally {
      tls.setDefaultCACertificates(trusted);
    }
    assert.deepEqual(
      proxy.asked.map(({ method, url }) => `${method} ${url}`),
      ['CONNECT media.test:443', 'CONNECT media.test:443'],
    );
  });
});
