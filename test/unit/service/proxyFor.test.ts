import assert from 'node:assert/strict';
import { proxyFor } from '../../../src/service/createDispatcher.ts';

const proxy = 'http://proxy.example:3128';

describe('proxyFor (promise 7)', () => {
  const rows: readonly (readonly [string, readonly string[], boolean])[] = [
    ['https://media.example', [], true],
    ['https://media.example', ['media.example'], false],
    ['https://media.example', ['MEDIA.example '], false],
    ['https://api.media.example', ['media.example'], false],
    ['https://api.media.example', ['.media.example'], false],
    ['https://api.media.example', ['*.media.example'], false],
    ['https://othermedia.example', ['media.example'], true],
    ['https://media.example', ['media.example:443'], false],
    ['https://media.example', ['media.example:8443'], true],
    ['https://media.example:8443', ['media.example:8443'], false],
    ['http://media.example', ['media.example:80'], false],
    ['https://media.example', ['other.example', '*'], false],
    ['https://media.example', ['', ' ', ':443'], true],
    ['https://[fd00::1]', ['fd00::1'], false],
    ['https://[fd00::1]:8443', ['[fd00::1]:8443'], false],
    ['https://[fd00::1]', ['[fd00::1]:8443'], true],
    ['http://127.0.0.1:3000', [], false],
    ['http://127.9.9.9', [], false],
    ['http://localhost:3000', [], false],
    ['http://[::1]:3000', [], false],
  ];
  for (const [url, noProxy, goesThrough] of rows) {
    it(`returns ${goesThrough ? 'the proxy' : 'none'} for ${url} with noProxy ${JSON.stringify(noProxy)}`, () => {
      assert.equal(proxyFor(new URL(url), { proxy, noProxy }), goesThrough ? proxy : undefined);
    });
  }

  it('returns undefined without a proxy', () => {
    assert.equal(proxyFor(new URL('https://media.example'), {}), undefined);
    assert.equal(proxyFor(new URL('https://media.example'), { proxy: '' }), undefined);
  });
});
