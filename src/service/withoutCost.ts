import * as l10n from '@vscode/l10n';
import { errors } from 'undici';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { errorFromFailure } from './errorFromFailure.ts';
import { redact } from './redact.ts';
import { TimeLimit, untilAborted } from './TimeLimit.ts';

const maxSeconds = 30;

/**
 * Runs an exchange that no service bills, for at most 30 s.
 *
 * @throws MediaError, never `mayBeBilled`
 */
export async function withoutCost<T>(
  url: URL,
  signal: AbortSignal | undefined,
  exchange: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  using limit = new TimeLimit(signal);
  limit.start(maxSeconds, l10n.t('{0} did not answer within {1} s.', url.host, maxSeconds));
  try {
    return await untilAborted(limit.signal, exchange(limit.signal));
  } catch (failure) {
    if (limit.isCancelled) throw new MediaError('cancelled', l10n.t('Cancelled.'), { cause: failure });
    const error = limit.error ?? errorFromFailure(failure, url.host);
    if (!error.mayBeBilled) throw error;
    const { kind, status, requestId } = error;
    throw new MediaError(kind, describeFailure(error, failure, url.host), { status, requestId, cause: failure });
  }
}

/** Describes a failure without the billing warning of paid requests. */
function describeFailure({ kind, status, message }: MediaError, failure: unknown, host: string): string {
  if (kind === 'timeout') return message;
  if (status !== undefined) {
    return kind === 'gatewayTimeout' ? l10n.t('The service reported an error ({0}).', status) : message;
  }
  // Replaces OpenSSL's message, which does not help.
  if (kind === 'tls') return l10n.t('{0} does not use https on this port.', host);
  const isNoHttp = failure instanceof errors.HTTPParserError;
  const reason = isNoHttp ? l10n.t('its answer is not HTTP') : redact(reasonOf(failure));
  return l10n.t('No web service answers at {0}: {1}.', host, reason);
}
