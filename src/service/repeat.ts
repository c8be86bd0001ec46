import type { MediaError } from '../operations/MediaError.ts';
import { neverArrived } from './errorFromFailure.ts';

export const maximumRepeats = 4;
const maxWaitSeconds = 60;

/**
 * How long to wait before a request may be sent again by itself, in seconds; undefined when it must not be.
 * Only what certainly did not arrive, or what the service asks to repeat, can be sent again without being paid twice.
 *
 * @param repeat how often it has been repeated already
 */
export function secondsToRepeat(error: MediaError, repeat: number): number | undefined {
  const pause = 2 ** repeat;
  if (error.kind === 'network') return neverArrived(error) ? pause / 2 : undefined;
  const asked = error.kind === 'rateLimited' || (error.status === 503 && error.retryAfter !== undefined);
  if (!asked) return undefined;
  const seconds = error.retryAfter ?? pause;
  return seconds <= maxWaitSeconds ? seconds : undefined;
}
