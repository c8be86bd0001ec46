import assert from 'node:assert/strict';
import { MediaError } from '../../src/operations/MediaError.ts';

/** The MediaError that work ends in; any other end is a failed test. */
export async function failureOf(work: Promise<unknown>): Promise<MediaError> {
  try {
    await work;
  } catch (error) {
    assert(error instanceof MediaError, String(error));
    return error;
  }
  assert.fail('it should have failed');
}
