import type { MediaError } from '../operations/MediaError.ts';
import { neverArrived } from './errorFromFailure.ts';

export const maxRetries = 4;
const maxDelaySeconds = 60;

/**
 * Returns the delay before an automatic retry, in seconds; undefined when there must be none. A request is retried only
 * when it certainly did not arrive or the service asks for a retry, so that it is never billed twice.
 *
 * @param retry number of retries so far
 */
export function retryDelay(error: MediaError, retry: number): number | undefined {
  const delay = 2 ** retry;
  if (error.kind === 'network') return neverArrived(error) ? delay / 2 : undefined;
  const asksForRetry = error.kind === 'rateLimited' || (error.status === 503 && error.retryAfter !== undefined);
  if (!asksForRetry) return undefined;
  const seconds = error.retryAfter ?? delay;
  return seconds <= maxDelaySeconds ? seconds : undefined;
}
