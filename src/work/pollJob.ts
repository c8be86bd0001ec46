import { setTimeout as sleepFor } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import { type OperationId, operations } from '../operations/operations.ts';
import { parseJson } from '../operations/parseJson.ts';
import {
  type Answer,
  type AnswerSource,
  isObject,
  type JobAnswer,
  type Json,
  type MediaAnswer,
  type RawAnswer,
  stateOf,
  type TranscriptAnswer,
} from '../service/Answer.ts';
import type { Attempt, JobClient } from './Attempt.ts';
import type { JobFacts } from './Job.ts';
import { isRefusal, RefusedAnswer } from './jobErrors.ts';
import { secondsOf } from './measureFile.ts';
import { bytesOfBody } from './rawAnswer.ts';
import type { KeptAnswer } from './Work.ts';

/** An answer with results, not one that names a job of the service. */
export type SavedAnswer = MediaAnswer | TranscriptAnswer;

/** The final answer, as it arrived and as it was read. */
export interface FinalAnswer {
  readonly raw: RawAnswer;
  readonly answer: SavedAnswer;
  /** Whether it names no result, which is then looked for where services often have it. */
  readonly isGuessed?: true;
}

const firstPauseSeconds = 2;
const maxPauseSeconds = 30;
const maxRequestedPauseSeconds = 300;
/** Polls in a row that may fail before polling stops. The service's job continues. */
const maxRefusals = 8;

/**
 * Reads an answer. If the service made a job of the request, polls it with growing pauses until it is done, which costs
 * nothing.
 *
 * @param isKnown whether an earlier answer has the URLs of the results, which a refusal must not replace
 * @throws RefusedAnswer when the service reports a failure; MediaError `timeout` when the state does not change,
 *   `noMedia` when no status URL is known; others like the client's `status` and `read`
 */
export async function pollJob(
  kept: KeptAnswer,
  client: JobClient,
  attempt: Attempt,
  isKnown: boolean,
): Promise<FinalAnswer> {
  const { work } = attempt;
  const { operation } = attempt.job;
  const first = await read(attempt.job, kept, client);
  if (first.type !== 'job') return { raw: kept.raw, answer: { ...first, id: first.id ?? kept.videoId } };
  attempt.release();
  const patience = new Patience(attempt.unchangedSeconds);
  let latest: JobAnswer = first;
  for await (const { raw, seconds } of statesOf(first, kept.raw.source, patience, client, attempt)) {
    const answer = await readState({ raw, videoId: first.id }, client, attempt, isKnown);
    if (answer instanceof MediaError) {
      if (patience.isOver()) {
        await work.keepRaw(0, bytesOfBody(raw.body));
        throw answer;
      }
    } else if (answer && answer.type !== 'job') {
      return { raw, answer: { ...answer, id: answer.id ?? first.id } };
    } else if (
      answer?.state === 'done' ||
      (answer?.state === 'unclear' && patience.endsWith(answer, seconds, operation))
    ) {
      const known = { ...answer, id: answer.id ?? first.id };
      await attempt.keep({ raw, videoId: first.id });
      const url = client.contentUrl(operation, first.id, raw.source);
      return { raw, answer: { ...known, type: 'media', media: [{ url }] }, isGuessed: true };
    } else {
      latest = answer ?? latest;
      patience.reported(latest, seconds);
    }
    await work.discard(raw);
  }
  throw new Error('polling ended without an answer or an error');
}

/** Statuses of a poll that say that nothing has changed, or that the job is not ready, whatever the body says. */
const waitingStatuses: readonly number[] = [304, 409, 423, 425];

/** Whether the answer only says that there is no news yet. */
function isNoNews({ status, body }: RawAnswer): boolean {
  return waitingStatuses.includes(status) || (status < 300 && body.length === 0);
}

/**
 * Reads the answer to a poll. Keeps a final answer before returning it.
 *
 * @returns undefined for no news; an error for an answer that does not report the job's state, as the next one may
 * @throws RefusedAnswer when the service reports that the job failed; MediaError when it does so in an answer that may
 *   refuse only the poll, so that the job can be asked again
 */
async function readState(
  state: KeptAnswer,
  client: JobClient,
  attempt: Attempt,
  isKnown: boolean,
): Promise<Answer | MediaError | undefined> {
  const { raw } = state;
  if (isNoNews(raw)) return undefined;
  try {
    const answer = await read(attempt.job, state, client);
    if (answer.type !== 'job') await attempt.keep({ ...state, results: resultsIn(answer) });
    else if (answer.state !== 'done') showState(answer, attempt);
    return answer;
  } catch (error) {
    if (error instanceof RefusedAnswer) {
      if (!isOfJob(raw, error.reason)) return error.reason;
      if (raw.status >= 300) throw error.reason;
      if (!isKnown) await attempt.keep(state);
    }
    if (error instanceof MediaError) return error;
    throw error;
  }
}

function resultsIn(answer: SavedAnswer): number {
  return answer.type === 'media' ? answer.media.length : 1;
}

/** Whether a refusal says that the job failed. A gateway, or a busy service, refuses a poll while the job continues. */
function isOfJob({ status, body }: RawAnswer, { kind }: MediaError): boolean {
  // An answer this large is not the error of a gateway.
  if (!(body instanceof Uint8Array)) return status < 300;
  const value = parseJson<Json>(new TextDecoder().decode(body));
  if (!isObject(value)) return false;
  const state = stateOf(value);
  // A 400 may refuse only the poll, because the job is not ready.
  if (status >= 300) return state === 'failed';
  return kind === 'contentRefused' || kind === 'badRequest' || state === 'failed' || state === 'done';
}

/** Times are compared with the length of the recording that was sent, since services count them in several units. */
async function read(job: JobFacts, { raw, videoId }: KeptAnswer, client: JobClient) {
  const { operation, request } = job;
  const count = 'n' in request ? request.n : undefined;
  try {
    const answer = await client.read(operation, raw, videoId, { count });
    const isTimed = answer.type === 'transcript' && (answer.segments.length > 0 || answer.words || answer.notices);
    const seconds = isTimed && 'file' in request ? await secondsOf(request.file) : undefined;
    return seconds === undefined ? answer : await client.read(operation, raw, videoId, { count, seconds });
  } catch (error) {
    throw isRefusal(error) ? new RefusedAnswer(error) : error;
  }
}

/** Polls a job and yields each answer with the pause before it, in seconds. */
async function* statesOf(
  job: JobAnswer,
  source: AnswerSource,
  patience: Patience,
  client: JobClient,
  attempt: Attempt,
): AsyncGenerator<{ readonly raw: RawAnswer; readonly seconds: number }> {
  const { job: facts, work, options } = attempt;
  const { signal } = options;
  showState(job, attempt);
  for (let seconds = firstPauseSeconds; ; ) {
    await pause(seconds, attempt);
    const growing = Math.min(maxPauseSeconds, seconds * 1.5);
    const raw = await client
      .status(facts.operation, job, source, { signal, openFile: () => work.openStatus() })
      .catch((error: unknown) => {
        patience.failed(error, seconds);
        return error as MediaError;
      });
    if (!(raw instanceof MediaError)) yield { raw, seconds };
    seconds = Math.max(growing, Math.min(raw.retryAfter ?? 0, maxRequestedPauseSeconds));
  }
}

function showState({ status, progress }: JobAnswer, { options }: Attempt): void {
  options.onProgress({ stage: 'waiting', status, progress: percentOf(progress) });
}

async function pause(seconds: number, { options: { signal }, parts }: Attempt): Promise<void> {
  const { sleep = (milliseconds: number) => sleepFor(milliseconds, undefined, { signal }) } = parts;
  await sleep(seconds * 1000, signal).catch((reason: unknown) => {
    throw signal.aborted ? new MediaError('cancelled', l10n.t('Cancelled while waiting for the service.')) : reason;
  });
}

/** Decides when polling stops. Counts only pauses without news. */
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

  /** Whether this state has not changed for too long, and a video may be finished in spite of an old progress. */
  endsWith(state: JobAnswer, seconds: number, operation: OperationId): boolean {
    const isOver = !this.#isNew(state) && this.#unchanged + seconds >= this.#unchangedSeconds;
    return isOver && operations[operation].result === 'videos';
  }

  /** @throws MediaError `timeout` when the state has not changed for too long */
  reported(state: JobAnswer, seconds: number): void {
    this.#offline = 0;
    this.#refusals = 0;
    const { status, progress = -1 } = state;
    const isNew = this.#isNew(state);
    this.#states.add(status);
    this.#progress = Math.max(progress, this.#progress);
    this.#unchanged = isNew ? 0 : this.#unchanged + seconds;
    if (this.#unchanged >= this.#unchangedSeconds) throw unchanged(this.#unchanged);
  }

  /** Alternating states and progress that goes back and forth are not news. */
  #isNew({ status, progress = -1 }: JobAnswer): boolean {
    return !this.#states.has(status) || progress > this.#progress;
  }

  /** @throws the given error when retrying does not help, or it has lasted too long */
  failed(error: unknown, seconds: number): void {
    if (!(error instanceof MediaError)) throw error;
    if (error.status === undefined) {
      const isOffline = ['network', 'timeout', 'tls', 'proxy'].includes(error.kind);
      this.#offline += seconds;
      if (!isOffline || this.#offline >= this.#unchangedSeconds) throw error;
      return;
    }
    // Some servers may not know the job yet, or the service is busy.
    const passes = error.status >= 500 || [404, 408, 429].includes(error.status);
    if (!passes || this.isOver()) throw error;
  }

  /** Whether the service has failed to report the state too often in a row. */
  isOver(): boolean {
    this.#refusals++;
    return this.#refusals > maxRefusals;
  }
}

function unchanged(seconds: number): MediaError {
  const sentence = l10n.t(
    'The service has reported the same state for {0} min. The job may still finish; checking again later is free.',
    Math.max(1, Math.round(seconds / 60)),
  );
  return new MediaError('timeout', sentence, { mayBeBilled: true });
}

/** Returns the progress in percent. Some services report 0 to 1, others 0 to 100. */
function percentOf(progress: number | undefined): number | undefined {
  if (progress === undefined) return undefined;
  return Math.round(progress > 0 && progress < 1 ? progress * 100 : progress);
}
