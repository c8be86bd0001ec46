import assert from 'node:assert/strict';
import { isPrivateAddress, leadsInside } from '../../../src/service/privateAddress.ts';

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
    assert.equal(await leadsInside(new URL('https://localhost:8443')), true);
    assert.equal(await leadsInside(new URL('https://[::ffff:127.0.0.1]')), true);
    assert.equal(await leadsInside(new URL('https://8.8.8.8')), false);
    assert.equal(await leadsInside(new URL('https://media.invalid')), false);
  });
});
