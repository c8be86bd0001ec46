import assert from 'node:assert/strict';
import { Base64Decoder, type DataDecoder, HexDecoder } from '../../../src/service/LongTexts.ts';
import { fc } from '../../support/fastCheck.ts';

function decode(decoder: DataDecoder, pieces: readonly string[]): Buffer {
  return Buffer.concat([...pieces.map((piece) => decoder.decode(piece)), decoder.end()]);
}

/** A text split at any positions. */
const cutText = (texts: fc.Arbitrary<string>) =>
  fc.tuple(texts, fc.array(fc.nat({ max: 200 }), { maxLength: 8 })).map(([text, places]) => {
    const cuts = [0, ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b), text.length];
    return cuts.slice(1).map((end, index) => text.slice(cuts[index], end));
  });

const bytes = fc.uint8Array({ maxLength: 150 }).map((array) => Buffer.from(array));

describe('Base64Decoder', () => {
  for (const [name, write] of [
    ['with padding', (data: Buffer) => data.toString('base64')],
    ['without padding', (data: Buffer) => data.toString('base64').replaceAll('=', '')],
    ['in the URL alphabet', (data: Buffer) => data.toString('base64url')],
    ['with line breaks', (data: Buffer) => data.toString('base64').replace(/(.{7})/g, '$1\r\n')],
    ['with spaces around it', (data: Buffer) => ` \n${data.toString('base64')}${' '.repeat(1 + (data.length % 4))}`],
    ['with spaces in its padding', (data: Buffer) => data.toString('base64').replaceAll('=', ' = ')],
  ] as const) {
    it(`decodes base64 ${name}, wherever it is split`, () => {
      fc.assert(
        fc.property(cutText(bytes.map(write)), (pieces) => {
          assert.deepEqual(decode(new Base64Decoder(), pieces), Buffer.from(pieces.join(''), 'base64'));
        }),
      );
    });
  }

  it('rejects invalid base64, wherever it is split', () => {
    const strange = fc.constantFrom('#', '.', 'é', '\\', '"', '\0', '=A');
    const damaged = fc.tuple(bytes, strange, bytes).map(([before, sign, after]) => {
      // A character must follow, or `=` would be padding.
      return `${before.toString('base64url')}${sign}${after.toString('base64url')}`;
    });
    fc.assert(
      fc.property(cutText(damaged), (pieces) => {
        assert.throws(() => decode(new Base64Decoder(), pieces), RangeError);
      }),
    );
  });

  it('reads long padding in linear time', () => {
    const row = '='.repeat(2_000_000);
    assert.throws(() => decode(new Base64Decoder(), [`QUJD${row}#`]), RangeError);
  });
});

describe('HexDecoder', () => {
  it('decodes hex, wherever it is split', () => {
    fc.assert(
      fc.property(cutText(bytes.map((data) => data.toString('hex'))), (pieces) => {
        assert.deepEqual(decode(new HexDecoder(), pieces), Buffer.from(pieces.join(''), 'hex'));
      }),
    );
  });

  it('rejects half a byte and other characters', () => {
    for (const text of ['abc', 'abcg', 'ab cd']) assert.throws(() => decode(new HexDecoder(), [text]), RangeError);
  });
});
