import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import { untilAborted } from './untilAborted.ts';

/**
 * Runs work that ends by itself, by the caller's signal or after some seconds.
 *
 * @throws MediaError `cancelled` or `timeout`, both `mayBeBilled`, whatever the work made of the abort
 */
export async function withDeadline<T>(
  seconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  // A longer timer would overflow and end at once.
  const timer = setTimeout(() => deadline.abort(), Math.min(seconds * 1000, 2 ** 31 - 1));
  try {
    const either = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
    return await untilAborted(either, work(either));
  } catch (error) {
    if (signal?.aborted) throw cancelled(error);
    if (!deadline.signal.aborted) throw error;
    const sentence = l10n.t('The service did not answer within {0} s. It may still do the work and bill it.', seconds);
    throw new MediaError('timeout', sentence, { mayBeBilled: true, cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function cancelled(cause: unknown): MediaError {
  const sentence = l10n.t('Cancelled. The service may still do the work and bill it.');
  return new MediaError('cancelled', sentence, { mayBeBilled: true, cause });
}
