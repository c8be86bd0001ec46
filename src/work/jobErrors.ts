import * as l10n from '@vscode/l10n';
import { nameIn } from '../files/pathFrom.ts';
import type { Asset } from '../library/LibraryRecord.ts';
import { factsOfKind, MediaError, reasonOf } from '../operations/MediaError.ts';
import { type OperationId, operations } from '../operations/operations.ts';
import type { EndState, JobError, JobFacts, JobRecord } from './Job.ts';

/** The job that an error is about. The sandbox is free, so errors of its jobs never mention billing. */
type FailedJob = Pick<JobFacts, 'id' | 'sandbox'>;

/** Thrown when the service's answer reports a failure: there is nothing to save, and the person must see the reason. */
export class RefusedAnswer extends Error {
  readonly reason: MediaError;

  constructor(reason: MediaError) {
    super(reason.message, { cause: reason });
    this.reason = reason;
  }
}

/** Whether an answer could not be read, or holds no media. */
export function isNotUnderstood(error: unknown): boolean {
  return error instanceof MediaError && (error.kind === 'noMedia' || error.kind === 'unreadableAnswer');
}

/**
 * Whether an error after the answer says that the answer cannot be used, although trying it again is free: the service's
 * job is reported as an error, was forgotten or never finishes, or its host cannot be asked, perhaps never again.
 */
export function isUnusable({ kind }: Pick<JobError, 'kind'>): boolean {
  return factsOfKind(kind).isLocal !== true;
}

/** Whether reading an answer failed because the service reports an error in it. */
export function isRefusal(error: unknown): error is MediaError {
  return error instanceof MediaError && !isNotUnderstood(error);
}

/** Returns the error for a request that was in progress when its window closed. */
export function lostRequest(job: FailedJob, hasRawAnswer: boolean): MediaError {
  const sentence = [
    l10n.t('The editor closed before the whole answer was received.'),
    hasRawAnswer && l10n.t('The received part of the answer is kept.'),
  ];
  const error = new MediaError('network', sentence.filter(Boolean).join(' '), { mayBeBilled: true });
  return errorAbout(job, error, hasRawAnswer);
}

/** Returns the error with a note that nothing was sent. */
export function beforeSending(error: unknown): unknown {
  return error instanceof MediaError
    ? new MediaError(error.kind, l10n.t('Nothing was sent. {0}', error.message), { ...error, cause: error })
    : error;
}

/** @throws MediaError `save`, always: the store could not be written, so nothing was sent */
export function cannotKeep(error: unknown): never {
  throw new MediaError(
    'save',
    l10n.t("Nothing was sent, because the extension's storage cannot be written: {0}.", reasonOf(error)),
    { cause: error },
  );
}

/**
 * Adds the job to an error that happened before an answer was received, and says what the request may cost, unless
 * another step has done both.
 */
export function ofJob(error: unknown, job: FailedJob, hasRawAnswer = false): unknown {
  if (!(error instanceof MediaError)) return error;
  return error.jobId === job.id ? error : errorAbout(job, error, hasRawAnswer);
}

function errorAbout(job: FailedJob, error: MediaError, hasRawAnswer: boolean): MediaError {
  const isBilled = error.mayBeBilled && !job.sandbox;
  const sentence = [error.message, error.mayBeBilled && mayBeBilled(job)];
  const details = { ...error, cause: error, jobId: job.id, hasRawAnswer, mayBeBilled: isBilled };
  return new MediaError(error.kind, sentence.filter(Boolean).join(' '), details);
}

/**
 * Returns the error for a failure that the service reported. Nothing is left to save, and the request may be run again.
 */
export function afterRefusal({ reason }: RefusedAnswer, job: FailedJob): MediaError {
  return errorAbout(job, reason, reason.hasRawAnswer);
}

/** Returns the error of a job. Whatever came of a request that was sent again, the one before it may be billed. */
export function afterRepeat<E>(error: E, job: FailedJob & Pick<JobFacts, 'isRepeated'>): E | MediaError {
  if (!job.isRepeated || !(error instanceof MediaError) || error.mayBeBilled) return error;
  const sentence = l10n.t('{0} The earlier request may still be billed; its outcome is still unknown.', error.message);
  return new MediaError(error.kind, sentence, { ...error, cause: error, jobId: job.id, mayBeBilled: !job.sandbox });
}

/** Whether the last attempt certainly was not billed, whatever is true of one before it. */
export function isUnbilled({ mayBeBilled, cause }: MediaError): boolean {
  return !mayBeBilled || (cause instanceof MediaError && !cause.mayBeBilled);
}

/** Returns the error for a part whose result is kept, but which the whole cannot use. */
export function refusedPart({ kind, message }: MediaError, job: FailedJob): MediaError {
  const kept = l10n.t(
    '{0} What the service sent for it is kept. The paragraph is spoken again only if you agree.',
    message,
  );
  return errorAbout(job, new MediaError(kind, ifBilled(job, kept) ?? message, { mayBeBilled: true }), true);
}

/** Returns the error of a part where others were paid for, which a sentence such as “Nothing was sent” must not deny. */
export function ofPart(error: unknown): unknown {
  if (!(error instanceof MediaError)) return error;
  return new MediaError(error.kind, l10n.t('One part failed: {0}', error.message), { ...error, cause: error });
}

interface Circumstances {
  readonly job: FailedJob;
  readonly isCancelled: boolean;
  /** Where the answer is: in the store, else the path of its file; undefined if it is only in memory. */
  readonly keptAt: 'store' | string | undefined;
  /** Whether results of unknown type are kept. */
  readonly hasRawResult: boolean;
  /** URL of the host that answered. */
  readonly host: string;
}

/** Returns the error for a failure after the service answered. Says what is saved, and where the rest is kept. */
export function afterAnswer(error: unknown, assets: readonly Asset[], circumstances: Circumstances): MediaError {
  const { isCancelled, job, keptAt, hasRawResult, host } = circumstances;
  const kind = isCancelled ? 'cancelled' : error instanceof MediaError ? error.kind : 'save';
  const { status, requestId, field } = error instanceof MediaError ? error : {};
  const names = assets.map(({ uri }) => nameIn(uri)).join(', ');
  const isUncertain = isCancelled || (error instanceof MediaError && error.mayBeBilled);
  const reason = isCancelled
    ? l10n.t('Cancelled. The service accepted the request; you can still download the result.')
    : reasonOf(error);
  const sentence = [
    reason,
    // The settings may name another host by now.
    factsOfKind(kind).isHostWide && !reason.includes(host) && l10n.t('The request was sent to {0}.', host),
    isUncertain && mayBeBilled(job),
    names && l10n.t('Already saved: {0}.', names),
    kind === 'save' && field !== 'manifest' && l10n.t('Save it elsewhere, or free some disk space and try again.'),
    keptAt === undefined && l10n.t('The result is in memory only. Save it before you close this window.'),
    keptAt !== undefined && keptAt !== 'store' && l10n.t('The answer is kept in {0}.', keptAt),
  ];
  return new MediaError(kind, sentence.filter(Boolean).join(' '), {
    status,
    requestId,
    field,
    mayBeBilled: !job.sandbox,
    saved: assets.map(({ uri }) => uri),
    jobId: job.id,
    hasAnswer: true,
    hasRawAnswer: (hasRawResult && kind === 'download') || isNotUnderstood(error),
    cause: error,
  });
}

/** Whether the request of an ended job may be billed a second time when it is sent again. */
export function mayBeBilledAgain({ hasAnswer, error }: Pick<JobRecord, 'hasAnswer' | 'error'>): boolean {
  return hasAnswer || error?.mayBeBilled === true;
}

/** Returns how a job ended: cancelled by the person, failed for certain, or with an unknown outcome. */
export function endStateOf(error: unknown): EndState {
  if (!(error instanceof MediaError)) return 'failed';
  const { kind, mayBeBilled, hasAnswer } = error;
  if (kind === 'cancelled') return 'cancelled';
  // With an answer, the outcome is unknown only if the service's job may still be running (`timeout`).
  const isLost = kind === 'timeout' || (!hasAnswer && (kind === 'network' || kind === 'gatewayTimeout'));
  return isLost && mayBeBilled ? 'unknown' : 'failed';
}

/** Converts an error for the journal. */
export function recordOf(error: unknown, { sandbox }: FailedJob): JobError {
  if (!(error instanceof MediaError)) {
    return { kind: 'save', message: reasonOf(error), mayBeBilled: !sandbox };
  }
  const { kind, message, status, requestId, mayBeBilled, hasRawAnswer } = error;
  return { kind, message, status, requestId, mayBeBilled, hasRawAnswer };
}

/** Converts an error from the journal back to one to show. */
export function errorOf(id: string, { kind, message, ...facts }: JobError, hasAnswer: boolean): MediaError {
  return new MediaError(kind, message, { ...facts, jobId: id, hasAnswer });
}

/** Returns the error for a request that another process is working on. Nothing was sent. */
export function inUseElsewhere(operation: OperationId): MediaError {
  switch (operations[operation].result) {
    case 'speech':
      return new MediaError('invalidInput', l10n.t('This text is already being spoken.'), { field: 'input' });
    case 'transcripts':
      return new MediaError('invalidInput', l10n.t('This recording is already being transcribed.'), { field: 'file' });
    default:
      return new MediaError(
        'invalidInput',
        l10n.t('Another window or program is working on this job. Try again when it has finished.'),
      );
  }
}

/** The same request was sent before, and may be billed. Nothing was sent now; a person may say yes to it. */
export class UnknownOutcome extends MediaError {
  constructor() {
    const sentence = l10n.t(
      "Nothing was sent, because the same request was sent before. Its outcome is unknown, and the service may bill it. Check your service's usage page first. To send it again, start it in the editor and agree, or use “apply --again”.",
    );
    super('invalidInput', sentence);
  }
}

/** Whether an error or one of its causes is {@link UnknownOutcome}. */
export function isUnknownOutcome(error: unknown): boolean {
  return isCausedBy(error, UnknownOutcome);
}

/** Another program has made the same in the meantime. Nothing was sent. */
export class MadeMeanwhile extends MediaError {
  constructor() {
    super('invalidInput', l10n.t('Nothing was sent, because another program has made it in the meantime.'));
  }
}

/** Whether an error or one of its causes is {@link MadeMeanwhile}. */
export function isMadeMeanwhile(error: unknown): boolean {
  return isCausedBy(error, MadeMeanwhile);
}

/** Whether an error or one of its causes is of a class. */
export function isCausedBy(error: unknown, type: new (...values: never[]) => MediaError): boolean {
  return error instanceof type || (error instanceof Error && isCausedBy(error.cause, type));
}

/** Returns words about money for a request to a service; none for one to the sandbox, which is free. */
export function ifBilled({ sandbox }: Pick<JobFacts, 'sandbox'>, words: string): string | undefined {
  return sandbox ? undefined : words;
}

/** Returns a sentence that a failed request may still be billed; undefined for the sandbox. */
function mayBeBilled(job: Pick<JobFacts, 'sandbox'>): string | undefined {
  return ifBilled(job, l10n.t('The service may still bill this request.'));
}
