import assert from 'node:assert/strict';
import { MediaError } from '../../src/operations/MediaError.ts';

/** Returns the MediaError that the work rejects with; fails the test otherwise. */
export async function failureOf(work: Promise<unknown>): Promise<MediaError> {
  try {
    await work;
  } catch (error) {
    assert(error instanceof MediaError, String(error));
    return error;
  }
  assert.fail('it should have failed');
}
