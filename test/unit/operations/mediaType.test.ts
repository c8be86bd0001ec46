import assert from 'node:assert/strict';
import { isSameType, isText } from '../../../src/operations/mediaType.ts';

describe('isText', () => {
  it('tells words from 8-bit sound that begins quietly', () => {
    for (const words of ['Too busy', '{"error":"no"}', 'é', '\n', '', 'aa']) assert(isText(Buffer.from(words)), words);
    for (const level of [0x7e, 0x7f, 0x00, 0x80]) assert(!isText(Buffer.alloc(4000, level)), `${level}`);
    assert(!isText(Buffer.from([0x7e, 0x7f, 0x7e, 0x7e, 0x7f])));
  });
});

describe('isSameType', () => {
  it('matches the extensions of one type, in either case', () => {
    for (const [one, other] of [
      ['jpg', 'JPEG'],
      ['ogg', 'opus'],
      ['mp4', 'm4v'],
      ['PNG', 'png'],
    ] as const) {
      assert(isSameType(one, other), `${one} ${other}`);
      assert(isSameType(other, one), `${other} ${one}`);
    }
  });

  it('does not match extensions of different types', () => {
    for (const [one, other] of [
      ['jpg', 'png'],
      ['mp3', 'mp4'],
      ['aac', 'm4a'],
      ['', 'png'],
    ] as const) {
      assert(!isSameType(one, other), `${one} ${other}`);
    }
  });
});
