import { MediaError } from '../operations/MediaError.ts';
import { redact } from './redact.ts';

/** Failures after which the request certainly never left: names not resolved, connections refused. */
const notArrivedCodes = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED'];
/** No connection came about either, but not for a reason that passes in seconds. */
const notConnectedCodes = ['UND_ERR_CONNECT_TIMEOUT', 'ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL'];

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name cannot be resolved',
  EAI_AGAIN: 'its name cannot be resolved at the moment',
  ECONNREFUSED: 'it refuses the connection',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  ENETUNREACH: 'the network cannot be reached',
  EHOSTUNREACH: 'the host cannot be reached',
};

/** A failure of the connection, as the error a person can act on. `host` is what was called. */
export function errorFromFailure(failure: unknown, host: string): MediaError {
  if (failure instanceof MediaError) return failure;
  const code = codeOf(failure);
  const told = redact(failure instanceof Error ? failure.message : String(failure));
  const reason = reasons[code] ?? `${told}${code ? ` (${code})` : ''}`;
  if (isTls(code, told)) {
    return new MediaError('tls', `No secure connection to ${host}: ${told}${code ? ` (${code})` : ''}.`, {
      cause: failure,
    });
  }
  if (/proxy/i.test(told)) {
    return new MediaError('proxy', `The proxy does not pass the connection to ${host} on: ${told}.`, {
      cause: failure,
    });
  }
  if (neverArrived(failure) || notConnectedCodes.includes(code)) {
    return new MediaError('network', `Cannot reach ${host}: ${reason}. Nothing was sent.`, { cause: failure });
  }
  const sentence = `The connection to ${host} broke: ${reason}. The service may have done the work and may bill it.`;
  return new MediaError('network', sentence, { mayBeBilled: true, cause: failure });
}

/** Whether a request certainly did not reach the service, so that sending it again cannot be paid twice. */
export function neverArrived(failure: unknown): boolean {
  return notArrivedCodes.includes(codeOf(failure));
}

function isTls(code: string, message: string): boolean {
  return (
    /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH)/.test(code) ||
    message.includes('before secure TLS connection was established')
  );
}

/** The code of a failure, of its cause, or of the first of several attempts (one per address). */
function codeOf(failure: unknown): string {
  if (!(failure instanceof Error)) return '';
  if ('code' in failure && typeof failure.code === 'string') return failure.code;
  if (failure instanceof AggregateError) return codeOf(failure.errors[0]);
  return codeOf(failure.cause);
}
