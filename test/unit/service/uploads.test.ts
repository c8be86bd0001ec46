import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import type { Progress } from '../../../src/service/send.ts';
import { authority, serverCertificate } from '../../support/certificates.ts';
import { clientOf, sendRequest } from '../../support/clientOf.ts';
import { bodyOf, startHttpServer } from '../../support/httpServer.ts';
import { wavOf } from '../../support/mediaBytes.ts';
import { type ProxyOptions, startProxyServer } from '../../support/proxyServer.ts';
import { standstill } from '../../support/standstill.ts';

const mebibyte = 2 ** 20;

/** A recording of this many bytes without repeating parts. */
function recordingOf(bytes: number): Buffer {
  const sound = Buffer.alloc(bytes - wavOf(Buffer.alloc(0)).length);
  let state = 1;
  for (let at = 0; at + 4 <= sound.length; at += 4) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    sound.writeUInt32LE(state, at);
  }
  return wavOf(sound);
}

describe('an upload', () => {
  const trusted = tls.getCACertificates('default');
  let folder: string;

  before(() => tls.setDefaultCACertificates([...trusted, authority]));
  after(() => tls.setDefaultCACertificates(trusted));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'uploads-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  /** Returns what a service receives of a recording, through a proxy if given. */
  async function receivedOf(
    recording: Buffer,
    certificate?: ServerOptions,
    proxyOptions?: ProxyOptions,
  ): Promise<Buffer> {
    await using server = await startHttpServer(undefined, certificate);
    const routes = { 'media.test:443': server.port };
    await using proxy = proxyOptions && (await startProxyServer({ routes, ...proxyOptions }));
    await using dispatcher = closing(createDispatcher(proxy ? { proxy: proxy.url } : {}));
    const file = join(folder, 'talk.wav');
    await writeFile(file, recording);
    const incoming = server.next();
    const client = clientOf(proxy ? 'https://media.test' : server.origin, dispatcher);
    let sent = 0;
    const onProgress = (step: Progress) => {
      if (step.stage === 'sending') sent = step.bytes;
    };
    const answer = sendRequest(client, 'transcribe', { model: 'm', file }, { onProgress });
    const [request, response] = await incoming;
    await standstill(() => sent);
    const body = await bodyOf(request);
    response.end('{"text":"hello"}');
    await answer;
    assert.equal(body.length, Number(request.headers['content-length']));
    return body.subarray(body.indexOf('RIFF'), body.lastIndexOf('\r\n--'));
  }

  for (const bytes of [46, mebibyte - 1, mebibyte, mebibyte + 1, 3 * mebibyte + 2]) {
    it(`arrives unchanged (${bytes} bytes)`, async () => {
      const recording = recordingOf(bytes);
      assert.equal(recording.length, bytes);
      assert((await receivedOf(recording)).equals(recording));
    });
  }

  for (const [way, certificate, proxy] of [
    ['without TLS', undefined, undefined],
    ['over TLS', serverCertificate, undefined],
    ['through a tunnel', serverCertificate, {}],
    ['through a tunnel in TLS', serverCertificate, { certificate: serverCertificate }],
  ] as const) {
    it(`arrives unchanged ${way} when the service reads late`, async () => {
      const recording = recordingOf(12 * mebibyte + 5);
      assert((await receivedOf(recording, certificate, proxy)).equals(recording));
    });
  }
});

function closing(dispatcher: ServiceDispatcher): ServiceDispatcher & AsyncDisposable {
  return Object.assign(dispatcher, { [Symbol.asyncDispose]: () => dispatcher.destroy() });
}
