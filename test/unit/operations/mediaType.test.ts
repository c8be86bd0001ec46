import assert from 'node:assert/strict';
import { isSameType } from '../../../src/operations/mediaType.ts';

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
