import * as l10n from '@vscode/l10n';
import { errors } from 'undici';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { errorFromFailure } from './errorFromFailure.ts';
import { redact } from './redact.ts';
import { TimeLimit } from './TimeLimit.ts';
import { untilAborted } from './untilAborted.ts';

const maxSeconds = 30;

/**
 * Runs an exchange that a service never bills, for at most 30 s.
 *
 * @throws MediaError that is never `mayBeBilled`, whatever went wrong
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

/** Says it without the warning that paid requests need. */
function describeFailure({ kind, status, message }: MediaError, failure: unknown, host: string): string {
  if (kind === 'timeout') return message;
  if (status !== undefined) {
    return kind === 'gatewayTimeout' ? l10n.t('The service reported an error ({0}).', status) : message;
  }
  // OpenSSL's own words help nobody.
  if (kind === 'tls') return l10n.t('{0} does not speak https at this port.', host);
  const isNoHttp = failure instanceof errors.HTTPParserError;
  const reason = isNoHttp ? l10n.t('what comes back is not HTTP') : redact(reasonOf(failure));
  return l10n.t('No web service answers at {0}: {1}.', host, reason);
}
