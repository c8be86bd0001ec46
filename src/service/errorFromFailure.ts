import * as l10n from '@vscode/l10n';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { redact } from './redact.ts';

/** Failures that only come before anything is sent: names not resolved, connections refused. */
const notArrivedCodes = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED'];

/** What is wrong with a certificate shows before anything is sent; a protocol error may come at any time. */
const certificate = /^(CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|ERR_TLS_CERT)/;
const secureProtocol = /^(ERR_TLS_|ERR_SSL_|EPROTO)/;

/** A failure of the connection, as the error a person can act on. `host` is what was called. */
export function errorFromFailure(failure: unknown, host: string): MediaError {
  if (failure instanceof MediaError) return failure;
  const code = textMember(failure, 'code');
  const reason = describeFailure(failure);
  if (neverArrived(failure) || neverConnected(failure)) {
    const sentence = l10n.t('Cannot reach {0}: {1}. Nothing was sent.', host, reason);
    return new MediaError('network', sentence, { cause: failure });
  }
  if (certificate.test(code) || reasonOf(failure).includes('before secure TLS connection was established')) {
    const sentence = [l10n.t('No secure connection to {0}: {1}. Nothing was sent.', host, reason), adviceOn(code)];
    return new MediaError('tls', sentence.filter(Boolean).join(' '), { cause: failure });
  }
  const sentence = l10n.t(
    'The connection to {0} broke: {1}. The service may have done the work and may bill it.',
    host,
    reason,
  );
  return new MediaError(secureProtocol.test(code) ? 'tls' : 'network', sentence, { mayBeBilled: true, cause: failure });
}

/** Why a connection failed, as a part of a sentence. */
export function describeFailure(failure: unknown): string {
  const code = textMember(failure, 'code');
  const told = redact(reasonOf(failure));
  return reasonFor(code) ?? (code ? `${told} (${code})` : told);
}

function reasonFor(code: string): string | undefined {
  switch (code) {
    case 'ENOTFOUND':
      return l10n.t('its name cannot be resolved');
    case 'EAI_AGAIN':
      return l10n.t('its name cannot be resolved at the moment');
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

/** Instead of OpenSSL's words, and with its code, by which more can be found. */
function certificateFault(code: string): string | undefined {
  if (isUnknownAuthority(code))
    return l10n.t('its certificate is from an authority that is not trusted here ({0})', code);
  if (code === 'CERT_HAS_EXPIRED') return l10n.t('its certificate has expired ({0})', code);
  if (code === 'CERT_NOT_YET_VALID') return l10n.t('its certificate is not valid yet ({0})', code);
  return code === 'ERR_TLS_CERT_ALTNAME_INVALID'
    ? l10n.t('its certificate is for another name ({0})', code)
    : undefined;
}

function isUnknownAuthority(code: string): boolean {
  return /^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/.test(code);
}

/** What to do about a certificate, as a sentence. */
function adviceOn(code: string): string | undefined {
  if (isUnknownAuthority(code)) {
    return l10n.t(
      'Where a company or a program has its own certificate authority: install its certificate in the operating system and leave "http.systemCertificates" on, or name its file in the variable NODE_EXTRA_CA_CERTS, and start the editor again.',
    );
  }
  if (/^CERT_(HAS_EXPIRED|NOT_YET_VALID)/.test(code)) {
    return l10n.t('Check the clock of this machine; else tell who runs it.');
  }
  if (code !== 'ERR_TLS_CERT_ALTNAME_INVALID') return undefined;
  return l10n.t('Check the address for typing errors; else tell who runs it.');
}

/** The code of a failure or of its cause, such as `ENOTFOUND`; empty when it has none. */
export function failureCode(failure: unknown): string {
  return textMember(failure, 'code');
}

/** Whether a request certainly did not reach the service, so that sending it again cannot be paid twice. */
export function neverArrived(failure: unknown): boolean {
  return notArrivedCodes.includes(textMember(failure, 'code'));
}

/** No connection came about either, but not for a reason that passes in seconds. */
function neverConnected(failure: unknown): boolean {
  return textMember(failure, 'code') === 'UND_ERR_CONNECT_TIMEOUT' || textMember(failure, 'syscall') === 'connect';
}

/** A member of a failure, of its cause, or of the first of several attempts (one per address). */
function textMember(failure: unknown, name: 'code' | 'syscall'): string {
  if (!(failure instanceof Error)) return '';
  const value = new Map<string, unknown>(Object.entries(failure)).get(name);
  if (typeof value === 'string') return value;
  if (failure instanceof AggregateError) return textMember(failure.errors[0], name);
  return textMember(failure.cause, name);
}
