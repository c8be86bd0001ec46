import * as l10n from '@vscode/l10n';
import type { Asset } from '../library/Asset.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { EndState, JobError } from './JobRecord.ts';

/** What is told of a request that was out when the window ended. */
export function lostRequest(jobId: string): MediaError {
  const sentence = l10n.t(
    'The editor closed while the request was out. Nobody knows whether the service did the work; it may be billed.',
  );
  return new MediaError('network', sentence, { mayBeBilled: true, jobId });
}

/** What was found wrong in time: before anything was sent. */
export function beforeSending(error: unknown): unknown {
  return error instanceof MediaError
    ? new MediaError(error.kind, l10n.t('Nothing was sent. {0}', error.message), { ...error, cause: error })
    : error;
}

/** A failure before there was an answer, as one of its job. */
export function ofJob(error: unknown, jobId: string): unknown {
  return error instanceof MediaError
    ? new MediaError(error.kind, error.message, { ...error, cause: error, jobId })
    : error;
}

interface Circumstances {
  readonly jobId: string;
  readonly isCancelled: boolean;
  /** False when the extension's own storage could not take the answer. */
  readonly isOnDisk: boolean;
}

/** What went wrong after the service had answered: what is saved already, where the rest waits, and that it is paid for. */
export function afterAnswer(
  error: unknown,
  assets: readonly Asset[],
  { isCancelled, jobId, isOnDisk }: Circumstances,
): MediaError {
  const kind = isCancelled ? 'cancelled' : error instanceof MediaError ? error.kind : 'save';
  const { status, requestId, field } = error instanceof MediaError ? error : {};
  const names = assets.map(({ uri }) => uri.slice(uri.lastIndexOf('/') + 1)).join(', ');
  const sentence = [
    isCancelled
      ? l10n.t('Cancelled. The service has accepted the request and may bill it; what it made can still be downloaded.')
      : reasonOf(error),
    names && l10n.t('Saved all the same: {0}.', names),
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
    cause: error,
  });
}

/** Cancelled by the person, certainly failed, or out there somewhere. */
export function endStateOf(error: unknown): EndState {
  if (!(error instanceof MediaError)) return 'failed';
  if (error.kind === 'cancelled') return 'cancelled';
  const isLost = error.kind === 'network' || error.kind === 'timeout' || error.kind === 'gatewayTimeout';
  return isLost && error.mayBeBilled ? 'unknown' : 'failed';
}

/** An error as it is written down. */
export function recordOf(error: unknown): JobError {
  if (!(error instanceof MediaError)) {
    return { kind: 'save', message: reasonOf(error), mayBeBilled: true };
  }
  const { kind, message, status, requestId, mayBeBilled } = error;
  return { kind, message, status, requestId, mayBeBilled };
}

/** An error that was written down, as the one to show. */
export function errorOf(id: string, { kind, message, ...facts }: JobError, hasAnswer: boolean): MediaError {
  return new MediaError(kind, message, { ...facts, jobId: id, hasAnswer });
}
