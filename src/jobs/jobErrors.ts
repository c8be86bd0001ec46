import * as l10n from '@vscode/l10n';
import type { Asset } from '../library/Asset.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { EndState, JobError } from './JobRecord.ts';

/** The service's answer says that it failed: there is nothing to save, and the reason is for the person. */
export class RefusedAnswer extends Error {
  readonly reason: MediaError;

  constructor(reason: MediaError) {
    super(reason.message, { cause: reason });
    this.reason = reason;
  }
}

/** Whether an answer cannot be understood, or holds nothing that is. */
export function isNotUnderstood(error: unknown): boolean {
  return error instanceof MediaError && (error.kind === 'noMedia' || error.kind === 'unreadableAnswer');
}

/** Whether reading an answer failed because of what the service says in it. */
export function isRefusal(error: unknown): error is MediaError {
  return error instanceof MediaError && !isNotUnderstood(error);
}

/** The error of a request that was out when its window ended. */
export function lostRequest(jobId: string, hasRawAnswer: boolean): MediaError {
  const sentence = [
    l10n.t(
      'The editor closed while the request was out. Nobody knows whether the service did the work; it may be billed.',
    ),
    hasRawAnswer && l10n.t('Part of its answer is kept.'),
  ];
  return new MediaError('network', sentence.filter(Boolean).join(' '), { mayBeBilled: true, jobId, hasRawAnswer });
}

/** A failure before anything was sent. */
export function beforeSending(error: unknown): unknown {
  return error instanceof MediaError
    ? new MediaError(error.kind, l10n.t('Nothing was sent. {0}', error.message), { ...error, cause: error })
    : error;
}

/** A failure before there was an answer, as one of its job. */
export function ofJob(error: unknown, jobId: string, hasRawAnswer = false): unknown {
  return error instanceof MediaError
    ? new MediaError(error.kind, error.message, { ...error, cause: error, jobId, hasRawAnswer })
    : error;
}

/** The service's job or answer failed: nothing waits, and the same request may be tried again. */
export function afterRefusal({ reason }: RefusedAnswer, jobId: string): MediaError {
  return new MediaError(reason.kind, reason.message, { ...reason, cause: reason, jobId });
}

interface Circumstances {
  readonly jobId: string;
  readonly isCancelled: boolean;
  /** False when the extension's own storage could not take the answer. */
  readonly isOnDisk: boolean;
  /** Whether results of unknown type are kept. */
  readonly hasRawResult: boolean;
}

/** A failure after the service had answered: what is saved already, where the rest waits, and that it is paid for. */
export function afterAnswer(error: unknown, assets: readonly Asset[], circumstances: Circumstances): MediaError {
  const { isCancelled, jobId, isOnDisk, hasRawResult } = circumstances;
  const kind = isCancelled ? 'cancelled' : error instanceof MediaError ? error.kind : 'save';
  const { status, requestId, field } = error instanceof MediaError ? error : {};
  const names = assets.map(({ uri }) => uri.slice(uri.lastIndexOf('/') + 1)).join(', ');
  const sentence = [
    isCancelled
      ? l10n.t('Cancelled. The service has accepted the request and may bill it; what it made can still be downloaded.')
      : reasonOf(error),
    names && l10n.t('Saved already: {0}.', names),
    kind === 'save' && l10n.t('Save it elsewhere, or try again when there is room.'),
    !isOnDisk && l10n.t('What was paid for is in memory only: save it before this window closes.'),
  ];
  return new MediaError(kind, sentence.filter(Boolean).join(' '), {
    status,
    requestId,
    field,
    mayBeBilled: true,
    saved: assets.map(({ uri }) => uri),
    jobId,
    hasAnswer: true,
    hasRawAnswer: (hasRawResult && kind === 'download') || isNotUnderstood(error),
    cause: error,
  });
}

/** Cancelled by the person, certainly failed, or nobody knows. */
export function endStateOf(error: unknown): EndState {
  if (!(error instanceof MediaError)) return 'failed';
  const { kind, mayBeBilled, hasAnswer } = error;
  if (kind === 'cancelled') return 'cancelled';
  // With an answer, only the service's own job can still be open.
  const isLost = kind === 'timeout' || (!hasAnswer && (kind === 'network' || kind === 'gatewayTimeout'));
  return isLost && mayBeBilled ? 'unknown' : 'failed';
}

/** An error as it is written down. */
export function recordOf(error: unknown): JobError {
  if (!(error instanceof MediaError)) {
    return { kind: 'save', message: reasonOf(error), mayBeBilled: true };
  }
  const { kind, message, status, requestId, mayBeBilled, hasRawAnswer } = error;
  return { kind, message, status, requestId, mayBeBilled, hasRawAnswer };
}

/** An error that was written down, as the one to show. */
export function errorOf(id: string, { kind, message, ...facts }: JobError, hasAnswer: boolean): MediaError {
  return new MediaError(kind, message, { ...facts, jobId: id, hasAnswer });
}
