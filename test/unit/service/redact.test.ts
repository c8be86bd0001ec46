import assert from 'node:assert/strict';
import { redact } from '../../../src/service/errors.ts';

describe('redact (promise 16)', () => {
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
    assert.equal(
      redact('a secret-1 b secret-1secret-2', ['secret-1', '', 'secret-2']),
      'a [redacted] b [redacted][redacted]',
    );
  });

  const key = 'um_7f/Q+é?x-29.$ecret';
  const percent = (text: string) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const hex = Buffer.from(key).toString('hex');
  const forms: readonly (readonly [string, string, string?])[] = [
    ['percent-encoded', encodeURIComponent(key)],
    ['percent-encoded in lower case', encodeURIComponent(key).toLowerCase().replace('q', 'Q')],
    ['percent-encoded in whole', percent(key)],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(key))],
    ['in hex', hex],
    ['in upper-case hex', hex.toUpperCase()],
    ['in hex with colons', hex.replace(/..(?=.)/g, '$&:')],
    ...['', 'a', 'ab', 'user:', 'Bearer '].flatMap((before) =>
      ['', '.', '..', '\n'].flatMap((after) => {
        const bytes = Buffer.from(before + key + after);
        const place = `after “${before}” and before ${JSON.stringify(after)}`;
        const beside = Buffer.from(before + after).toString('base64');
        return [
          [`in base64 ${place}`, bytes.toString('base64'), beside],
          [`in base64url ${place}`, bytes.toString('base64url'), beside],
          [`in percent-encoded base64 ${place}`, encodeURIComponent(bytes.toString('base64')), beside],
        ] as const;
      }),
    ),
  ];
  for (const [name, form, beside = ''] of forms) {
    it(`redacts a secret ${name} (finding 16)`, () => {
      const result = redact(`before ${form} after`, [key]);
      assert.match(result, /^before \S*\[redacted\]\S* after$/);
      // What remains belongs to the text beside the key, and to its padding.
      const rest = result.replace(/^before | after$/g, '').replace('[redacted]', '');
      assert(rest.length <= beside.length + '%3D%3D'.length, rest);
    });
  }

  it('redacts a short key in base64 only where it cannot be a coincidence', () => {
    assert.equal(redact('a2s= is no key', ['kk']), 'a2s= is no key');
    assert.equal(redact(Buffer.from('key-1').toString('base64'), ['key-1']), '[redacted]');
  });

  it('redacts a key shorter than 8 characters only where it stands alone', () => {
    const said = (key: string, text: string) => redact(text, [key]);
    assert.equal(
      said('x', 'The model `whisper-1` does not exist: x'),
      'The model `whisper-1` does not exist: [redacted]',
    );
    assert.equal(
      said('local', 'localhost, local, "local" and locals'),
      'localhost, [redacted], "[redacted]" and locals',
    );
    assert.equal(said('secret7', 'mysecret7'), 'mysecret7');
    assert.equal(said('secret-8', 'mysecret-8'), 'my[redacted]');
    // A short prompt, which logs leave out, in a language without spaces.
    assert.equal(said('一只猫', '生成一只猫失败'), '生成[redacted]失败');
  });

  it('reads megabytes in linear time, whatever the key', () => {
    for (const text of ['a', '%25', '%61', '61', 'YWFh']) {
      const long = text.repeat(2_000_000 / text.length);
      assert(redact(`${long}!`, [`${'a'.repeat(60)}b`]).length <= 4096);
    }
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
