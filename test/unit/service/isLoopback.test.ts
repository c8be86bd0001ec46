import assert from 'node:assert/strict';
import { checkHost, isLoopback, keyFor, needsNoKey } from '../../../src/service/ServiceConfiguration.ts';

describe('isLoopback and checkHost', () => {
  for (const host of ['localhost', '127.0.0.1', '127.255.0.9', '[::1]', 'LOCALHOST', '0x7f.1', '2130706433']) {
    it(`accept http for ${host}`, () => {
      assert.equal(isLoopback(new URL(`http://${host}`).hostname), true);
      assert.equal(checkHost(`http://${host}:8080`, 'image').port, '8080');
    });
  }

  for (const host of [
    ...['localhost.evil.example', 'localhost-evil.example', 'localhosts', 'evil-localhost', 'a.localhost.example'],
    ...[
      '127.0.0.1.evil.example',
      '127.evil.example',
      '128.0.0.1',
      '10.127.0.1',
      '[::2]',
      '[::ffff:10.0.0.1]',
      '0.0.0.0',
    ],
  ]) {
    it(`require https for ${host}`, () => {
      assert.equal(isLoopback(new URL(`http://${host}`).hostname), false);
      assert.throws(() => checkHost(`http://${host}`, 'image'), { kind: 'noService', message: /https/ });
      assert.equal(checkHost(`https://${host}`, 'image').protocol, 'https:');
    });
  }
});

describe('insecureHosts (promise 5)', () => {
  for (const [listed, host] of [
    ['192.168.1.5:8080', '192.168.1.5:8080'],
    [' NAS.local:8000 ', 'nas.local:8000'],
    ['nas.local', 'nas.local'],
    ['nas.local:80', 'nas.local'],
    ['[fd00::1]:8080', '[fd00::1]:8080'],
  ] as const) {
    it(`allow plain http to ${host} where ${JSON.stringify(listed)} is listed`, () => {
      assert.equal(checkHost(`http://${host}/v1`, 'audio', ['other:1', listed]).host, host);
      assert.equal(needsNoKey(new URL(`http://${host}`), [listed]), true);
      // Whoever has a certificate asks for a key, as anywhere.
      assert.equal(needsNoKey(new URL(`https://${host}`), [listed]), false);
    });
  }

  for (const [listed, host] of [
    ['192.168.1.5:8080', '192.168.1.5:8081'],
    ['192.168.1.5:8080', '192.168.1.5'],
    ['nas.local', 'nas.local:8000'],
    ['nas.local', 'nas.local.evil.example'],
    ['http://nas.local', 'nas.local'],
    ['*', 'nas.local'],
    ['ann@nas.local', 'nas.local'],
    ['nas.local/v1', 'nas.local'],
    ['', 'nas.local'],
  ] as const) {
    it(`refuse ${host} where ${JSON.stringify(listed)} is listed, and say what to list`, () => {
      const message = new RegExp(`“unifiedMedia\\.insecureHosts” lists ${host}\\.$`);
      assert.throws(() => checkHost(`http://${host}`, 'image', [listed]), { kind: 'noService', message });
      assert.equal(needsNoKey(new URL(`http://${host}`), [listed]), false);
    });
  }
});

describe('keyFor', () => {
  it('needs no key for this computer or a listed host of plain http, and one for any other', async () => {
    const none = () => undefined;
    assert.equal(await keyFor(new URL('http://127.0.0.1:8080'), none), undefined);
    assert.equal(await keyFor(new URL('http://nas.local:8000'), none, ['nas.local:8000']), undefined);
    await assert.rejects(keyFor(new URL('https://nas.local'), none, ['nas.local']), { kind: 'noKey' });
    await assert.rejects(keyFor(new URL('https://api.example.com'), none), { message: /no API key for https:/ });
  });

  it('returns the key that such a host has', async () => {
    assert.equal(await keyFor(new URL('http://localhost:8080'), () => 'k'), 'k');
  });
});
