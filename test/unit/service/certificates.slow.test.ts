import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { serverCertificate } from '../../support/certificates.ts';
import { type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { startProxyServer } from '../../support/proxyServer.ts';
import { skipUnless } from '../../support/skipUnless.ts';
import { startProcess } from '../../support/startProcess.ts';

const support = join(import.meta.dirname, '../../support');
const authorityFile = join(support, 'certificates/authority.pem');
const oneImage = JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }] });

/** Node and OpenSSL read these variables when a process starts, so each case runs in a new process. */
describe('TLS certificates of the service (promise 5)', () => {
  let service: HttpServer;

  beforeEach(async () => {
    service = await startHttpServer((_, response) => response.end(oneImage), serverCertificate);
  });

  afterEach(() => service[Symbol.asyncDispose]());

  async function outcome(
    certificates: 'system' | 'own',
    variables: Record<string, string>,
    host = service.origin,
    proxy?: string,
  ) {
    const { NODE_EXTRA_CA_CERTS: _, SSL_CERT_FILE: __, ...environment } = process.env;
    const options = { host, systemCertificates: certificates === 'system', proxy };
    const child = startProcess('generate', options, { env: { ...environment, ...variables }, silent: true });
    const warnings = text(child.stderr ?? assert.fail());
    const [said] = (await once(child, 'message')) as readonly unknown[];
    assert.equal(await warnings, '');
    return String(said);
  }

  it('are rejected when their authority is unknown, with an error that says what to do', async () => {
    const said = await outcome('system', {});
    assert.match(said, /^tls: Could not connect securely to 127\.0\.0\.1:\d+: .*Nothing was sent\./);
    assert.match(said, /install its certificate in the operating system.*NODE_EXTRA_CA_CERTS/);
    assert.deepEqual(service.requests, []);
  });

  for (const certificates of ['system', 'own'] as const) {
    it(`are trusted by NODE_EXTRA_CA_CERTS with the ${certificates} certificates`, async () => {
      assert.equal(await outcome(certificates, { NODE_EXTRA_CA_CERTS: authorityFile }), 'media');
    });
  }

  /** Elsewhere, Node asks the system instead of reading OpenSSL's files, so a test would have to change the system. */
  const hasCertificateFile = process.platform === 'linux';

  it('are trusted when the system trusts their authority', async function () {
    skipUnless(this, hasCertificateFile, 'the certificate file of OpenSSL on Linux');
    assert.equal(await outcome('system', { SSL_CERT_FILE: authorityFile }), 'media');
  });

  it('are trusted behind a proxy when the system trusts their authority', async function () {
    skipUnless(this, hasCertificateFile, 'the certificate file of OpenSSL on Linux');
    await using proxy = await startProxyServer({ routes: { 'media.test:443': service.port } });
    const variables = { SSL_CERT_FILE: authorityFile };
    assert.equal(await outcome('system', variables, 'https://media.test', proxy.url), 'media');
  });

  it("are rejected when the system's certificates are switched off", async function () {
    skipUnless(this, hasCertificateFile, 'the certificate file of OpenSSL on Linux');
    assert.match(await outcome('own', { SSL_CERT_FILE: authorityFile }), /^tls: /);
  });
});
