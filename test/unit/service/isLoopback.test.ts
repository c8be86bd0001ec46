import assert from 'node:assert/strict';
import { checkHost, isLoopback } from '../../../src/service/ServiceConfiguration.ts';

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
