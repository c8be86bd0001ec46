import { setTimeout as sleepFor } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import type { MediaErrorKind } from '../operations/MediaError.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { OperationId } from '../operations/operations.ts';
import type { Answer, AnswerSource, JobAnswer, RawAnswer } from '../service/Answer.ts';
import type { AnswerSink } from '../service/AnswerBody.ts';
import type { MediaClient } from '../service/MediaClient.ts';
import type { FinalAnswer } from './FinalAnswer.ts';
import type { FetchOptions } from './fetchResult.ts';
import type { KeptAnswer } from './JobLog.ts';
import { isRefusal, RefusedAnswer } from './jobErrors.ts';
import type { JobProgress } from './saveResults.ts';

export interface PollOptions {
  readonly client: Pick<MediaClient, 'read' | 'status' | 'contentUrl'>;
  readonly signal: AbortSignal;
  readonly sleep?: FetchOptions['sleep'];
  /** For this long the service may report the same state, or not be reached. */
  readonly unchangedSeconds: number;
  onProgress(progress: JobProgress): void;
  /** Called once when the service turns out to work on it as a job. */
  onPolling(): void;
  openFile(): Promise<AnswerSink>;
  /** Called with the answer that is final, before anything else happens to it. */
  onAnswer(answer: KeptAnswer): Promise<void>;
  /** Called with an answer that says nothing new. */
  onDiscard(answer: RawAnswer): Promise<void>;
  /** Called with the last of several answers that say nothing of the job. */
  onUnclear(answer: RawAnswer): Promise<void>;
}

/** Seconds. */
const firstPause = 2;
const maxPauseSeconds = 30;
const maxRequestedPauseSeconds = 300;
/** Refusals to report the state, in a row; after these the person is asked. The service's job goes on. */
const maximumRefusals = 8;

/**
 * What an answer holds. Where the service made a job of the request, its state is polled, with growing pauses, until the
 * job is over; polling costs nothing.
 *
 * @throws RefusedAnswer when the service says that it failed; MediaError `timeout` when its state does not change;
 *   `noMedia` when nobody knows where to ask; others like the client's `status` and `read`
 */
export async function pollJob(operation: OperationId, kept: KeptAnswer, options: PollOptions): Promise<FinalAnswer> {
  const { client } = options;
  const first = await read(operation, kept, client);
  const { source } = kept.raw;
  if (first.type !== 'job') return { source, answer: { ...first, id: first.id ?? kept.videoId } };
  options.onPolling();
  const patience = new Patience(options.unchangedSeconds);
  let latest: JobAnswer = first;
  for await (const { raw, seconds } of statesOf(operation, first, source, patience, options)) {
    const state = await readState(operation, { raw, videoId: first.id }, options);
    if (state instanceof MediaError) {
      if (patience.isOver()) {
        await options.onUnclear(raw);
        throw state;
      }
    } else if (state && state.type !== 'job') {
      return { source: raw.source, answer: { ...state, id: state.id ?? first.id } };
    } else if (state?.isDone) {
      const known = { ...state, id: state.id ?? first.id };
      const url = client.contentUrl(operation, first.id, raw.source);
      return { source: raw.source, answer: { ...known, type: 'media', media: [{ url }] } };
    } else {
      latest = state ?? latest;
      patience.reported(latest, seconds);
    }
    await options.onDiscard(raw);
  }
  throw new Error('polling ends by an answer or an error');
}

/** Accepted, and nothing to say yet. */
function isEmpty({ status, body }: RawAnswer): boolean {
  return status === 202 && body.length === 0;
}

/**
 * Understands an answer to a poll. One that is final is kept first.
 *
 * @returns undefined for no news; what went wrong for an answer that says nothing of the job: the next one may
 * @throws RefusedAnswer when the service says that the job failed
 */
async function readState(
  operation: OperationId,
  state: KeptAnswer,
  { client, onAnswer, onProgress }: PollOptions,
): Promise<Answer | MediaError | undefined> {
  const { raw } = state;
  if (isEmpty(raw)) return undefined;
  try {
    const answer = await read(operation, state, client);
    if (answer.type !== 'job') await onAnswer(state);
    else if (!answer.isDone) onProgress({ stage: 'waiting', status: answer.status, progress: percentOf(answer) });
    return answer;
  } catch (error) {
    if (error instanceof RefusedAnswer) {
      const isOfJob = isJson(raw) && !passingKinds.includes(error.reason.kind);
      if (!isOfJob) return error.reason;
      await onAnswer(state);
    }
    if (error instanceof MediaError) return error;
    throw error;
  }
}

/** What a gateway says in the place of the service, which goes on. */
const passingKinds: readonly MediaErrorKind[] = ['rateLimited', 'gatewayTimeout', 'unauthorized', 'notFound'];

function isJson({ body }: RawAnswer): boolean {
  return !(body instanceof Uint8Array) || /^\s*\{/.test(Buffer.from(body.subarray(0, 100)).toString('latin1'));
}

async function read(operation: OperationId, { raw, videoId }: KeptAnswer, client: PollOptions['client']) {
  try {
    return await client.read(operation, raw, videoId);
  } catch (error) {
    throw isRefusal(error) ? new RefusedAnswer(error) : error;
  }
}

/** The answers of a service that is asked about its job, with the seconds before each. */
async function* statesOf(
  operation: OperationId,
  job: JobAnswer,
  source: AnswerSource,
  patience: Patience,
  options: PollOptions,
): AsyncGenerator<{ readonly raw: RawAnswer; readonly seconds: number }> {
  const { client, signal, openFile } = options;
  options.onProgress({ stage: 'waiting', status: job.status, progress: percentOf(job) });
  for (let seconds = firstPause; ; ) {
    await pause(seconds, options);
    const growing = Math.min(maxPauseSeconds, seconds * 1.5);
    const raw = await client.status(operation, job, source, { signal, openFile }).catch((error: unknown) => {
      patience.failed(error, seconds);
      return error as MediaError;
    });
    if (raw instanceof MediaError) {
      seconds = Math.max(growing, Math.min(raw.retryAfter ?? 0, maxRequestedPauseSeconds));
    } else {
      yield { raw, seconds };
      seconds = growing;
    }
  }
}

async function pause(seconds: number, { signal, sleep }: PollOptions): Promise<void> {
  const pass = sleep ?? ((milliseconds) => sleepFor(milliseconds, undefined, { signal }));
  await pass(seconds * 1000, signal).catch((reason: unknown) => {
    throw signal.aborted ? new MediaError('cancelled', l10n.t('Cancelled while waiting for the service.')) : reason;
  });
}

/** Decides when polling is given up. It counts only the pauses that brought nothing new. */
class Patience {
  readonly #unchangedSeconds: number;
  readonly #states = new Set<string | undefined>();
  #progress = -1;
  #unchanged = 0;
  #offline = 0;
  #refusals = 0;

  constructor(unchangedSeconds: number) {
    this.#unchangedSeconds = unchangedSeconds;
  }

  /** @throws MediaError `timeout` when nothing new has been reported for too long */
  reported({ status, progress = -1 }: JobAnswer, seconds: number): void {
    this.#offline = 0;
    this.#refusals = 0;
    // States that alternate, or a progress that goes back and forth, are nothing new.
    const isNew = !this.#states.has(status) || progress > this.#progress;
    this.#states.add(status);
    this.#progress = Math.max(progress, this.#progress);
    this.#unchanged = isNew ? 0 : this.#unchanged + seconds;
    if (this.#unchanged >= this.#unchangedSeconds) throw unchanged(this.#unchanged);
  }

  /** @throws what it was given when that does not pass, or has lasted too long */
  failed(error: unknown, seconds: number): void {
    if (!(error instanceof MediaError)) throw error;
    if (error.status === undefined) {
      const isOffline = ['network', 'timeout', 'tls', 'proxy'].includes(error.kind);
      this.#offline += seconds;
      if (!isOffline || this.#offline >= this.#unchangedSeconds) throw error;
      return;
    }
    // The service may not know the job everywhere yet, or be busy.
    const passes = error.status >= 500 || [404, 408, 425, 429].includes(error.status);
    if (!passes || this.isOver()) throw error;
  }

  /** Whether the service has failed to report the state too often in a row. */
  isOver(): boolean {
    this.#refusals++;
    return this.#refusals > maximumRefusals;
  }
}

function unchanged(seconds: number): MediaError {
  const sentence = l10n.t(
    'The service has reported the same state for {0} min. It may still finish; asking again later is free.',
    Math.max(1, Math.round(seconds / 60)),
  );
  return new MediaError('timeout', sentence, { mayBeBilled: true });
}

/** Some services report 0 to 1, others 0 to 100. */
function percentOf({ progress }: JobAnswer): number | undefined {
  if (progress === undefined) return undefined;
  return Math.round(progress > 0 && progress < 1 ? progress * 100 : progress);
}
