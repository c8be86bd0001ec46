import assert from 'node:assert/strict';
import type { MediaErrorKind } from '../../../src/operations/MediaError.ts';
import { errorFromFailure, neverArrived } from '../../../src/service/errors.ts';

/** Failures as Node and undici report them: code, system call, message; expected kind, mayBeBilled, neverArrived. */
const rows: readonly (readonly [string, string, string, MediaErrorKind, boolean, boolean])[] = [
  ['ENOTFOUND', 'getaddrinfo', 'getaddrinfo ENOTFOUND ai-proxy.example', 'network', false, true],
  ['EAI_AGAIN', 'getaddrinfo', 'getaddrinfo EAI_AGAIN a.example', 'network', false, true],
  ['ECONNREFUSED', 'connect', 'connect ECONNREFUSED 127.0.0.1:1', 'network', false, true],
  ['EHOSTUNREACH', 'connect', 'connect EHOSTUNREACH', 'network', false, false],
  ['EHOSTUNREACH', 'read', 'read EHOSTUNREACH', 'network', true, false],
  ['ECONNRESET', 'read', 'read ECONNRESET', 'network', true, false],
  ['ETIMEDOUT', 'connect', 'connect ETIMEDOUT', 'network', false, false],
  ['ETIMEDOUT', 'read', 'read ETIMEDOUT', 'network', true, false],
  ['EPIPE', 'write', 'write EPIPE', 'network', true, false],
  ['ECONNABORTED', 'write', 'write ECONNABORTED', 'network', true, false],
  ['UND_ERR_CONNECT_TIMEOUT', '', 'Connect Timeout Error', 'network', false, false],
  ['UND_ERR_SOCKET', '', 'other side closed', 'network', true, false],
  ['SELF_SIGNED_CERT_IN_CHAIN', '', 'self-signed certificate in certificate chain', 'tls', false, false],
  ['ERR_TLS_CERT_ALTNAME_INVALID', '', 'Hostname/IP does not match', 'tls', false, false],
  ['ECONNRESET', '', 'disconnected before secure TLS connection was established', 'tls', false, false],
  ['EPROTO', 'write', 'write EPROTO wrong version number', 'tls', true, false],
  ['', '', 'something about a proxy', 'network', true, false],
];

describe('errorFromFailure', () => {
  for (const [code, syscall, message, kind, mayBeBilled, never] of rows) {
    it(`returns ${kind}${mayBeBilled ? ', which may be billed,' : ''} for ${message}`, () => {
      const members = { ...(code ? { code } : {}), ...(syscall ? { syscall } : {}) };
      const error = errorFromFailure(Object.assign(new Error(message), members), 'media.example');
      assert.equal(error.kind, kind);
      assert.equal(error.mayBeBilled, mayBeBilled);
      assert.equal(neverArrived(error), never);
      assert.equal(/Nothing was sent\./.test(error.message), !mayBeBilled);
    });
  }

  const advice: readonly (readonly [string, RegExp])[] = [
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /install its certificate in the operating system/],
    ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/],
    ['CERT_HAS_EXPIRED', /Check this computer's clock/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /Check the address/],
  ];
  for (const [code, sentence] of advice) {
    it(`advises what to do about ${code}`, () => {
      const failure = Object.assign(new Error('certificate'), { code });
      assert.match(errorFromFailure(failure, 'media.example').message, sentence);
    });
  }

  it('neverArrived looks into causes and aggregated errors', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED ::1:1'), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
    });
    assert(neverArrived(new Error('fetch failed', { cause: refused })));
    assert(neverArrived(new AggregateError([refused, refused])));
  });
});
