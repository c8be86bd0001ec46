import * as l10n from '@vscode/l10n';
import { PrivateAddressError } from '../foreign/privateAddress.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { errorFromFailure, redact } from './errors.ts';
import { errors } from './undici.ts';

/** What a call is for, which decides how it is sent and what is taken of its answer. */
export type CallKind = 'submit' | 'poll' | 'download' | 'list' | 'probe';

interface Policy {
  /** Whether the service may bill the call. */
  readonly isPaid: boolean;
  /** Maximum number of automatic retries. */
  readonly retries: number;
  /** Where redirects are followed to: not at all, within the origin that gets the key, or to any web address. */
  readonly redirects: 'none' | 'origin' | 'any';
  /** Statuses outside 2xx that are answers of the service, not errors. */
  readonly answers?: readonly number[];
  /** Longest time of the whole call; when it is not given, only silence ends the call. */
  readonly seconds?: number;
  /** Maximum size of the body after decompression. */
  readonly maxBytes: number;
  /** Where the body goes; a large one goes to the caller's file if there is one. */
  readonly body: 'file' | 'memory' | 'stream' | 'none';
  /** Whether the path is logged. The address of a job or a result may hold a secret. */
  readonly logsPath: boolean;
  readonly tooLarge: (host: string) => string;
  readonly cancelled: () => string;
  /** Returns the error to show for a call that failed. */
  readonly error: (failure: unknown, host: string) => MediaError;
}

const mebibyte = 2 ** 20;

/** How each kind of call is sent. */
export const policies: Readonly<Record<CallKind, Policy>> = {
  submit: {
    isPaid: true,
    retries: 4,
    redirects: 'none',
    // Larger than the longest string in JavaScript.
    maxBytes: 512 * mebibyte,
    body: 'file',
    logsPath: true,
    tooLarge: answerTooLarge,
    cancelled: () => l10n.t('Cancelled.'),
    error: (failure, host) => errorFromFailure(failure, host),
  },
  poll: {
    isPaid: false,
    retries: 0,
    redirects: 'origin',
    // No news, not ready yet, or the job has failed: the body of a 400 tells.
    answers: [304, 400, 409, 423, 425],
    maxBytes: 512 * mebibyte,
    body: 'file',
    logsPath: false,
    tooLarge: answerTooLarge,
    cancelled: () => l10n.t('Cancelled while waiting for the result.'),
    error: pollError,
  },
  download: {
    isPaid: false,
    retries: 0,
    redirects: 'any',
    // Far larger than any video that a model makes: an endless response must not fill the disk.
    maxBytes: 4096 * mebibyte,
    body: 'stream',
    logsPath: false,
    tooLarge: (host) => l10n.t('The result at {0} is larger than 4 GiB. It was not saved.', host),
    cancelled: () => l10n.t('Cancelled while downloading the result.'),
    error: downloadError,
  },
  list: {
    isPaid: false,
    retries: 0,
    redirects: 'none',
    seconds: 30,
    maxBytes: 8 * mebibyte,
    body: 'memory',
    logsPath: true,
    tooLarge: () => l10n.t("The service's list of models is larger than 8 MiB."),
    cancelled: () => l10n.t('Cancelled.'),
    error: freeError,
  },
  probe: {
    isPaid: false,
    retries: 0,
    redirects: 'none',
    seconds: 30,
    maxBytes: 0,
    body: 'none',
    logsPath: false,
    tooLarge: answerTooLarge,
    cancelled: () => l10n.t('Cancelled.'),
    error: freeError,
  },
};

function answerTooLarge(): string {
  return l10n.t("The service's answer is larger than 512 MiB.");
}

/** Polling is never billed, so the error must not say that it may be. */
function pollError(failure: unknown, host: string): MediaError {
  const error = errorFromFailure(failure, host, false);
  const { kind, message } = error;
  const sentence = kind === 'timeout' ? l10n.t('The service did not report the status of the job in time.') : message;
  return new MediaError(kind, sentence, { ...error, mayBeBilled: false, cause: error });
}

/** Returns the error for a failed download. One without a status or cause is not worth a retry. */
function downloadError(failure: unknown, host: string): MediaError {
  if (failure instanceof PrivateAddressError) {
    const sentence = l10n.t(
      'The result\'s address ({0}) is in a private network, but the service is not known to be. To download it anyway, turn on "unifiedMedia.allowPrivateResultAddresses".',
      host,
    );
    return new MediaError('download', sentence);
  }
  const error = errorFromFailure(failure, host, false);
  if (error.kind === 'timeout') {
    const sentence = l10n.t('The download of the result was interrupted: {0}', error.message);
    return new MediaError('download', sentence, { cause: error });
  }
  if (!error.mayBeBilled) return error;
  const sentence = l10n.t('The download of the result from {0} was interrupted.', host);
  return new MediaError('download', sentence, { cause: failure });
}

/** Returns the error for a failed call to a service that may not be set up yet. */
function freeError(failure: unknown, host: string): MediaError {
  const error = errorFromFailure(failure, host);
  if (!error.mayBeBilled) return error;
  const { kind, status, requestId } = error;
  return new MediaError(kind, describeFree(error, failure, host), { status, requestId, cause: failure });
}

function describeFree({ kind, status, message }: MediaError, failure: unknown, host: string): string {
  if (kind === 'timeout') return message;
  if (status !== undefined) return message;
  // Replaces OpenSSL's message, which does not help.
  if (kind === 'tls') return l10n.t('{0} does not use https on this port.', host);
  const isNoHttp = failure instanceof errors.HTTPParserError;
  const reason = isNoHttp ? l10n.t('its answer is not HTTP') : redact(reasonOf(failure));
  return l10n.t('No web service answers at {0}: {1}.', host, reason);
}
