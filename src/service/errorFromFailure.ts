import * as l10n from '@vscode/l10n';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { redact } from './redact.ts';

/** Codes of failures before anything is sent: name not resolved, connection refused. */
const notArrivedCodes = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED'];

/** Certificate errors come before anything is sent; protocol errors may come at any time. */
const certificate = /^(CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|ERR_TLS_CERT)/;
const secureProtocol = /^(ERR_TLS_|ERR_SSL_|EPROTO)/;

/**
 * Returns the error for a failed connection to a host.
 *
 * @param sends whether a request was to be sent, which a person wants to hear of; a download or a status is none
 */
export function errorFromFailure(failure: unknown, host: string, sends = true): MediaError {
  if (failure instanceof MediaError) return failure;
  const code = textMember(failure, 'code');
  const reason = describeFailure(failure);
  if (neverArrived(failure) || neverConnected(failure)) {
    const sentence = sends
      ? l10n.t('Cannot reach {0}: {1}. Nothing was sent.', host, reason)
      : l10n.t('Cannot reach {0}: {1}.', host, reason);
    return new MediaError('network', sentence, { cause: failure });
  }
  if (certificate.test(code) || reasonOf(failure).includes('before secure TLS connection was established')) {
    const problem = sends
      ? l10n.t('Could not connect securely to {0}: {1}. Nothing was sent.', host, reason)
      : l10n.t('Could not connect securely to {0}: {1}.', host, reason);
    const sentence = [problem, adviceOn(code)];
    return new MediaError('tls', sentence.filter(Boolean).join(' '), { cause: failure });
  }
  const sentence = l10n.t(
    'The connection to {0} was lost: {1}. The service may have done the work and may bill it.',
    host,
    reason,
  );
  return new MediaError(secureProtocol.test(code) ? 'tls' : 'network', sentence, { mayBeBilled: true, cause: failure });
}

/** Returns why a connection failed, as a clause after a colon. */
export function describeFailure(failure: unknown): string {
  const code = textMember(failure, 'code');
  const reason = redact(reasonOf(failure));
  return reasonFor(code) ?? (code ? `${reason} (${code})` : reason);
}

function reasonFor(code: string): string | undefined {
  switch (code) {
    case 'ENOTFOUND':
      return l10n.t('its name cannot be resolved');
    case 'EAI_AGAIN':
      return l10n.t('its name cannot be resolved right now');
    case 'ECONNREFUSED':
      return l10n.t('it refuses the connection');
    case 'UND_ERR_CONNECT_TIMEOUT':
      return l10n.t('it does not answer');
    case 'ENETUNREACH':
      return l10n.t('the network cannot be reached');
    case 'EHOSTUNREACH':
      return l10n.t('the host cannot be reached');
    default:
      return certificateFault(code);
  }
}

/** Explains a certificate error in place of OpenSSL's message, and adds its code to search for. */
function certificateFault(code: string): string | undefined {
  if (isUnknownAuthority(code))
    return l10n.t('its certificate is from an authority that this computer does not trust ({0})', code);
  if (code === 'CERT_HAS_EXPIRED') return l10n.t('its certificate has expired ({0})', code);
  if (code === 'CERT_NOT_YET_VALID') return l10n.t('its certificate is not valid yet ({0})', code);
  return code === 'ERR_TLS_CERT_ALTNAME_INVALID'
    ? l10n.t('its certificate is for another host name ({0})', code)
    : undefined;
}

function isUnknownAuthority(code: string): boolean {
  return /^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/.test(code);
}

/** Returns what to do about a certificate error. */
function adviceOn(code: string): string | undefined {
  if (isUnknownAuthority(code)) {
    return l10n.t(
      'If your company or a program on this computer uses its own certificate authority, install its certificate in the operating system and keep "http.systemCertificates" on, or set NODE_EXTRA_CA_CERTS to the path of its file. Then restart the editor.',
    );
  }
  if (/^CERT_(HAS_EXPIRED|NOT_YET_VALID)/.test(code)) {
    return l10n.t("Check this computer's clock, or contact the service operator.");
  }
  if (code !== 'ERR_TLS_CERT_ALTNAME_INVALID') return undefined;
  return l10n.t('Check the address for typing errors, or contact the service operator.');
}

/** Returns the code of a failure or its cause, such as `ENOTFOUND`; empty when there is none. */
export function failureCode(failure: unknown): string {
  return textMember(failure, 'code');
}

/** Whether a request certainly did not reach the service, so that a retry cannot be billed twice. */
export function neverArrived(failure: unknown): boolean {
  return notArrivedCodes.includes(textMember(failure, 'code'));
}

/** Whether no connection was made, for a reason that does not pass within seconds. */
function neverConnected(failure: unknown): boolean {
  return textMember(failure, 'code') === 'UND_ERR_CONNECT_TIMEOUT' || textMember(failure, 'syscall') === 'connect';
}

/** Returns a member of a failure, of its cause, or of the first of several attempts (one per IP address). */
function textMember(failure: unknown, name: 'code' | 'syscall'): string {
  if (!(failure instanceof Error)) return '';
  const value = new Map<string, unknown>(Object.entries(failure)).get(name);
  if (typeof value === 'string') return value;
  if (failure instanceof AggregateError) return textMember(failure.errors[0], name);
  return textMember(failure.cause, name);
}
