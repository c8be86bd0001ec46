import assert from 'node:assert/strict';
import { describeBytes } from '../../../src/operations/describeBytes.ts';

describe('describeBytes', () => {
  for (const [bytes, english, german] of [
    [0, '0 kB', '0 kB'],
    [1, '0.1 kB', '0,1 kB'],
    [40_000, '40 kB', '40 kB'],
    [999_949, '999.9 kB', '999,9 kB'],
    [999_950, '1 MB', '1 MB'],
    [1_500_000, '1.5 MB', '1,5 MB'],
    [1_234_560_000, '1,234.6 MB', '1.234,6 MB'],
  ] as const) {
    it(`writes ${bytes} bytes as ${english}`, () => {
      assert.equal(describeBytes(bytes, 'en'), english);
      assert.equal(describeBytes(bytes, 'de'), german);
    });
  }
});
