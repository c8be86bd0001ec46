import assert from 'node:assert/strict';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import {
  isPrivateAddress,
  lookupOutside,
  PrivateAddressError,
  resolvesToPrivate,
} from '../../../src/service/privateAddress.ts';

describe('a private address', () => {
  const inside = [
    ...['127.0.0.1', '127.255.1.2', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.100.100.200', '[::1]', '::1', '[::]', 'fd12:3456::1', '[fe80::1]', 'fe80::1%eth0'],
    ...['::ffff:10.0.0.1', '[::ffff:7f00:1]', '::ffff:a9fe:a9fe', '::127.0.0.1'],
  ];
  for (const host of inside) it(`is ${host}`, () => assert.equal(isPrivateAddress(host), true));

  const outside = [
    ...['8.8.8.8', '172.15.0.1', '172.32.0.1', '192.169.0.1', '100.63.0.1', '100.128.0.1', '198.18.0.7'],
    ...['[2001:4860:4860::8888]', '::ffff:8.8.8.8', 'localhost', 'media.example', ''],
  ];
  for (const host of outside) it(`is not ${host || 'nothing'}`, () => assert.equal(isPrivateAddress(host), false));

  it('is found behind a name', async () => {
    assert.equal(await resolvesToPrivate(new URL('https://localhost:8443')), true);
    assert.equal(await resolvesToPrivate(new URL('https://[::ffff:127.0.0.1]')), true);
    assert.equal(await resolvesToPrivate(new URL('https://8.8.8.8')), false);
    assert.equal(await resolvesToPrivate(new URL('https://media.invalid')), false);
  });

  describe('among those of a name', () => {
    const { lookup } = dns;

    afterEach(() => {
      dns.lookup = lookup;
      syncBuiltinESMExports();
    });

    /** What a lookup gives where the name server answers with these addresses. */
    function resolve(addresses: readonly string[], all: boolean): Promise<Error | null> {
      const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      const answer = (...[, options, callback]: Parameters<typeof lookupOutside>) =>
        options.all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family);
      dns.lookup = Object.assign(answer, { __promisify__: lookup.__promisify__ }) as typeof lookup;
      syncBuiltinESMExports();
      return new Promise((settle) => lookupOutside('files.example', { all }, (error) => settle(error)));
    }

    for (const addresses of [
      ['8.8.8.8', '10.0.0.1'],
      ['10.0.0.1', '8.8.8.8'],
      ['2001:4860:4860::8888', '8.8.8.8', 'fd00::1'],
    ]) {
      it(`keeps the whole name from being called: ${addresses.join(', ')}`, async () => {
        assert((await resolve(addresses, true)) instanceof PrivateAddressError);
      });
    }

    it('keeps a name from being called when it is the only one asked for', async () => {
      assert((await resolve(['10.0.0.1'], false)) instanceof PrivateAddressError);
      assert.equal(await resolve(['8.8.8.8'], false), null);
    });

    it('is none of public ones', async () => assert.equal(await resolve(['8.8.8.8', '1.1.1.1'], true), null));
  });
});
