import assert from 'node:assert/strict';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import {
  isPrivateAddress,
  lookupOutside,
  notingLookup,
  PrivateAddressError,
  resolvesToPrivate,
} from '../../../src/foreign/privateAddress.ts';

describe('isPrivateAddress, resolvesToPrivate and lookupOutside (promise 10)', () => {
  const inside = [
    ...['127.0.0.1', '127.255.1.2', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.100.100.200', '[::1]', '::1', '[::]', 'fd12:3456::1', '[fe80::1]', 'fe80::1%eth0'],
    ...['::ffff:10.0.0.1', '[::ffff:7f00:1]', '::ffff:a9fe:a9fe', '::127.0.0.1'],
    // Not the address of one host.
    ...['192.0.0.1', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', 'ff02::1', '::ffff:224.0.0.1'],
    // An IPv4 address inside, to which a translator or a tunnel sends: NAT64, translated, 6to4, Teredo.
    ...['64:ff9b::10.0.0.1', '[64:ff9b::a9fe:a9fe]', '64:ff9b::', '64:FF9B:0:0:0:0:127.0.0.1', '64:ff9b::e000:1'],
    ...['64:ff9b:1::192.168.0.1', '64:ff9b:1:abcd::10.0.0.1', '64:ff9b:1:a00:0:100::', '64:ff9b:1:c0:a8:100::'],
    ...['64:ff9b:1:0:a:0:100::', '64:ff9b:1::', '64:ff9b:1:a00:0:100:808:808', '::ffff:0:127.0.0.1', '::ffff:0:a00:1'],
    ...['2002:a00:1::', '[2002:7f00:1::1]', '2002:c0a8:101:5::9', '2002:e000:1::'],
    ...['2001:0:808:808::f5ff:fffe', '2001:0:a00:1::f7f7:f7f7', '2001::', '2001:0:808:808:8000:0:3f57:fefe'],
  ];
  for (const host of inside) it(`treat ${host} as private`, () => assert.equal(isPrivateAddress(host), true));

  const outside = [
    ...['8.8.8.8', '172.15.0.1', '172.32.0.1', '192.169.0.1', '100.63.0.1', '100.128.0.1', '198.18.0.7'],
    ...['[2001:4860:4860::8888]', '::ffff:8.8.8.8', 'localhost', 'media.example', ''],
    ...['192.0.1.1', '223.255.255.255', '64:ff9b::8.8.8.8', '64:ff9b:1::8.8.8.8', '64:ff9b:1:808:8:800::'],
    ...['64:ff9b:1:8:8:808::', '64:ff9b:1:0:8:808:800::', '64:ff9b:1:abcd::8.8.8.8', '64:ff9b:2::10.0.0.1'],
    ...['::ffff:0:8.8.8.8', '2002:808:808::1', '2001:0:808:808::f7f7:f7f7', '2001:1::1', '2003:a00:1::'],
  ];
  for (const host of outside)
    it(`treat ${host || 'an empty name'} as public`, () => assert.equal(isPrivateAddress(host), false));

  it('resolve a name to decide', async () => {
    assert.equal(await resolvesToPrivate(new URL('https://localhost:8443')), true);
    assert.equal(await resolvesToPrivate(new URL('https://[::ffff:127.0.0.1]')), true);
    assert.equal(await resolvesToPrivate(new URL('https://8.8.8.8')), false);
    assert.equal(await resolvesToPrivate(new URL('https://media.invalid')), false);
  });

  describe('for a name with several addresses', () => {
    const { lookup } = dns;

    afterEach(() => {
      dns.lookup = lookup;
      syncBuiltinESMExports();
    });

    /** Resolves a name as if the name server responded with these addresses. */
    function resolve(addresses: readonly string[], all: boolean, by = lookupOutside): Promise<Error | null> {
      const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      const answer = (...[, options, callback]: Parameters<typeof lookupOutside>) =>
        options.all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family);
      dns.lookup = Object.assign(answer, { __promisify__: lookup.__promisify__ }) as typeof lookup;
      syncBuiltinESMExports();
      return new Promise((settle) => by('files.example', { all }, (error) => settle(error)));
    }

    for (const addresses of [
      ['8.8.8.8', '10.0.0.1'],
      ['10.0.0.1', '8.8.8.8'],
      ['2001:4860:4860::8888', '8.8.8.8', 'fd00::1'],
    ]) {
      it(`reject when any address is private: ${addresses.join(', ')}`, async () => {
        assert((await resolve(addresses, true)) instanceof PrivateAddressError);
      });
    }

    it('check the address when only one is requested', async () => {
      assert((await resolve(['10.0.0.1'], false)) instanceof PrivateAddressError);
      assert.equal(await resolve(['8.8.8.8'], false), null);
    });

    it('note a service as private only while all its addresses are', async () => {
      const noted = new Map<string, boolean>();
      const by = notingLookup(noted);
      await resolve(['10.0.0.1', 'fd00::1'], true, by);
      assert.equal(noted.get('files.example'), true);
      await resolve(['8.8.8.8', '10.0.0.1'], true, by);
      assert.equal(noted.get('files.example'), false);
      await resolve(['10.0.0.1'], false, by);
      assert.equal(noted.get('files.example'), false, 'its owner may answer differently later');
    });

    it('accept public addresses only', async () => assert.equal(await resolve(['8.8.8.8', '1.1.1.1'], true), null));
  });
});
