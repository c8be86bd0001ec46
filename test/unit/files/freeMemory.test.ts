import assert from 'node:assert/strict';
import { free, giveAway } from '../../../src/files/freeMemory.ts';

describe('freeMemory', () => {
  it('frees memory that was given away, once', () => {
    const chunk = giveAway(Uint8Array.of(1, 2, 3));
    free(chunk);
    assert.equal(chunk.buffer.byteLength, 0);
    free(chunk);
  });

  it('keeps memory that was not given away', () => {
    const chunk = Uint8Array.of(1, 2, 3);
    free(chunk);
    assert.deepEqual(chunk, Uint8Array.of(1, 2, 3));
  });

  it('keeps memory that holds more than the chunk', () => {
    const whole = Uint8Array.of(1, 2, 3);
    free(giveAway(whole.subarray(1)));
    giveAway(whole);
    free(whole.subarray(0, 2));
    assert.deepEqual(whole, Uint8Array.of(1, 2, 3));
  });
});
