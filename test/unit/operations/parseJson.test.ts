import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { parseJson } from '../../../src/operations/parseJson.ts';
import { fc } from '../../support/fastCheck.ts';

describe('parseJson', () => {
  it('keeps all digits of integers that a number cannot hold', () => {
    const text = '{"a":[9223372036854775807,-9007199254740993,{"b":12345678901234567890}]}';
    assert.deepEqual(parseJson(text), {
      a: ['9223372036854775807', '-9007199254740993', { b: '12345678901234567890' }],
    });
  });

  it('keeps them in Node 20, which gives a reviver no source text', () => {
    const { parse } = JSON;
    mock.method(JSON, 'parse', (text: string, reviver?: (name: string, value: unknown) => unknown): unknown =>
      parse(text, reviver && ((name, value) => reviver(name, value))),
    );
    try {
      const text =
        '{"id": 1234567890123456789, "text": "a\\\\\\", 1234567890123456789,", "1234567890123456789": -1e-1234567890123456}';
      assert.deepEqual(parseJson(text), {
        id: '1234567890123456789',
        text: 'a\\", 1234567890123456789,',
        '1234567890123456789': -0,
      });
    } finally {
      mock.restoreAll();
    }
  });

  it('parses all other numbers as JSON.parse does', () => {
    for (const text of [
      '9007199254740991',
      '-9007199254740991',
      '0.1234567890123456789',
      '1e21',
      '1.0000000000000000000',
    ]) {
      assert.equal(parseJson(text), Number(text));
    }
    assert.deepEqual(parseJson('["1234567890123456789",1]'), ['1234567890123456789', 1]);
  });

  it('equals JSON.parse for JSON without such integers', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, isLong) => {
        const whole = isLong ? { value, '1234567890123456': null } : value;
        const text = JSON.stringify(whole);
        fc.pre(!/(^|[:[,])-?\d{16,}/.test(text));
        assert.deepEqual(parseJson(text), JSON.parse(text));
      }),
    );
  });

  it('returns undefined for invalid JSON', () => {
    for (const text of ['', '{', '{"a":12345678901234567890', 'undefined']) assert.equal(parseJson(text), undefined);
  });
});
