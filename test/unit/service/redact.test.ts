import assert from 'node:assert/strict';
import { redact } from '../../../src/service/errors.ts';

describe('redact', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['a query', 'see https://a.example/x?sig=abc&k=1 now', 'see https://a.example/x?[redacted] now'],
    ['a fragment', 'see http://a.example/x#token', 'see http://a.example/x?[redacted]'],
    ['the query of a bare origin', '"https://a.example?sig=abc"', '"https://a.example?[redacted]"'],
    [
      'several queries',
      'https://a.example/?a=1 https://b.example/?b=2',
      'https://a.example/?[redacted] https://b.example/?[redacted]',
    ],
    ['credentials', 'http://ann:secret@proxy.example:3128/', 'http://[redacted]@proxy.example:3128/'],
    ['a user name', 'HTTPS://ann@proxy.example', 'HTTPS://[redacted]@proxy.example'],
    ['credentials and a query', 'https://ann:pw@a.example/x?sig=1', 'https://[redacted]@a.example/x?[redacted]'],
    ['base64', `data ${'QUJD'.repeat(60)} end`, 'data [data] end'],
    ['text that looks like a key', 'key sk-abcdefgh1234 here', 'key sk-[redacted] here'],
    ['a header', 'Authorization: Bearer abcdefgh.1234', 'Authorization: Bearer [redacted]'],
  ];
  for (const [name, text, expected] of rows) {
    it(`redacts ${name}`, () => assert.equal(redact(text), expected));
  }

  it('redacts every occurrence of each secret, and ignores an empty one', () => {
    assert.equal(redact('a key-1 b key-1key-2', ['key-1', '', 'key-2']), 'a [redacted] b [redacted][redacted]');
  });

  it('redacts a secret before truncating, so that no part of it remains', () => {
    const text = `${'. '.repeat(2045)}secret-key`;
    assert(!redact(text, ['secret-key']).includes('secret'));
    assert.equal(redact('x '.repeat(5000)).length, 4096);
  });

  it('keeps addresses without secrets', () => {
    const text = 'https://a.example:8443/v1/videos/v1, ann@example.com';
    assert.equal(redact(text), text);
  });
});
