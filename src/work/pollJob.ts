import { createHash } from 'node:crypto';
import { setTimeout as sleepFor } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import type { HashedData } from '../library/saveMedia.ts';
import { withHash } from '../library/saveMedia.ts';
import type { MediaErrorKind } from '../operations/MediaError.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { Answer, AnswerSource, JobAnswer, MediaAnswer, RawAnswer, TranscriptAnswer } from '../service/Answer.ts';
import type { AnswerBody } from '../service/AnswerBody.ts';
import { bytesOf } from '../service/AnswerBody.ts';
import type { Download } from '../service/download.ts';
import type { MediaClient } from '../service/MediaClient.ts';
import type { Progress, ResultVersion } from '../service/send.ts';
import type { JobFacts, JobProgress } from './Job.ts';
import { isRefusal, RefusedAnswer } from './jobErrors.ts';
import type { KeptAnswer, Work } from './Work.ts';

/** The final answer and its source. */
export interface FinalAnswer {
  readonly answer: SavedAnswer;
  readonly source: AnswerSource;
}

/** An answer with results, not one that names a job of the service. */
export type SavedAnswer = MediaAnswer | TranscriptAnswer;

/** One attempt to get the results of an answer and to save them. */
export interface Attempt extends FetchOptions {
  readonly job: JobFacts;
  readonly work: Work;
  readonly client: Pick<MediaClient, 'read' | 'download' | 'status' | 'contentUrl'>;
  /** How long the service may report the same state, or be unreachable. */
  readonly unchangedSeconds: number;
  onProgress(progress: JobProgress): void;
  /** Lets the next job start while this one only polls. */
  release(): void;
  /** Keeps the final answer, before anything else happens to it. */
  keep(answer: KeptAnswer): Promise<unknown>;
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
 * @throws RefusedAnswer when the service reports a failure; MediaError `timeout` when the state does not change,
 *   `noMedia` when no status URL is known; others like the client's `status` and `read`
 */
export async function pollJob(kept: KeptAnswer, attempt: Attempt): Promise<FinalAnswer> {
  const { client, work, job } = attempt;
  const { operation } = job;
  const first = await read(operation, kept, client);
  const { source } = kept.raw;
  if (first.type !== 'job') return { source, answer: { ...first, id: first.id ?? kept.videoId } };
  attempt.release();
  const patience = new Patience(attempt.unchangedSeconds);
  let latest: JobAnswer = first;
  for await (const { raw, seconds } of statesOf(first, source, patience, attempt)) {
    const state = await readState({ raw, videoId: first.id }, attempt);
    if (state instanceof MediaError) {
      if (patience.isOver()) {
        await work.keepRaw(0, bytesOfBody(raw.body));
        throw state;
      }
    } else if (state && state.type !== 'job') {
      return { source: raw.source, answer: { ...state, id: state.id ?? first.id } };
    } else if (state && (state.isDone || (state.mayBeDone && patience.endsWith(state, seconds, operation)))) {
      const known = { ...state, id: state.id ?? first.id };
      const url = client.contentUrl(operation, first.id, raw.source);
      return { source: raw.source, answer: { ...known, type: 'media', media: [{ url }] } };
    } else {
      latest = state ?? latest;
      patience.reported(latest, seconds);
    }
    await work.discard(raw);
  }
  throw new Error('polling ended without an answer or an error');
}

export async function* bytesOfBody(body: AnswerBody): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield Uint8Array.from(body);
  else yield* bytesOf(body);
}

/** Whether the answer only says that there is no news yet. */
function isEmpty({ status, body }: RawAnswer): boolean {
  return status === 202 && body.length === 0;
}

/**
 * Reads the answer to a poll. Keeps a final answer before returning it.
 *
 * @returns undefined for no news; an error for an answer that does not report the job's state, as the next one may
 * @throws RefusedAnswer when the service reports that the job failed
 */
async function readState(state: KeptAnswer, attempt: Attempt): Promise<Answer | MediaError | undefined> {
  const { client, job, onProgress } = attempt;
  const { raw } = state;
  if (isEmpty(raw)) return undefined;
  try {
    const answer = await read(job.operation, state, client);
    if (answer.type !== 'job') await attempt.keep(state);
    else if (!answer.isDone) onProgress({ stage: 'waiting', status: answer.status, progress: percentOf(answer) });
    return answer;
  } catch (error) {
    if (error instanceof RefusedAnswer) {
      const isOfJob = isJson(raw) && !passingKinds.includes(error.reason.kind);
      if (!isOfJob) return error.reason;
      await attempt.keep(state);
    }
    if (error instanceof MediaError) return error;
    throw error;
  }
}

/** Errors that come from a gateway, while the service continues. */
const passingKinds: readonly MediaErrorKind[] = ['rateLimited', 'gatewayTimeout', 'unauthorized', 'notFound'];

function isJson({ body }: RawAnswer): boolean {
  return !(body instanceof Uint8Array) || /^\s*\{/.test(Buffer.from(body.subarray(0, 100)).toString('latin1'));
}

async function read(operation: OperationId, { raw, videoId }: KeptAnswer, client: Attempt['client']) {
  try {
    return await client.read(operation, raw, videoId);
  } catch (error) {
    throw isRefusal(error) ? new RefusedAnswer(error) : error;
  }
}

/** Polls a job and yields each answer with the pause before it, in seconds. */
async function* statesOf(
  job: JobAnswer,
  source: AnswerSource,
  patience: Patience,
  attempt: Attempt,
): AsyncGenerator<{ readonly raw: RawAnswer; readonly seconds: number }> {
  const { client, signal, work } = attempt;
  const { operation } = attempt.job;
  attempt.onProgress({ stage: 'waiting', status: job.status, progress: percentOf(job) });
  for (let seconds = firstPauseSeconds; ; ) {
    await pause(seconds, attempt);
    const growing = Math.min(maxPauseSeconds, seconds * 1.5);
    const raw = await client
      .status(operation, job, source, { signal, openFile: () => work.openStatus() })
      .catch((error: unknown) => {
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

async function pause(seconds: number, { signal, sleep }: Attempt): Promise<void> {
  const pass = sleep ?? ((milliseconds) => sleepFor(milliseconds, undefined, { signal }));
  await pass(seconds * 1000, signal).catch((reason: unknown) => {
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
    const passes = error.status >= 500 || [404, 408, 425, 429].includes(error.status);
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
function percentOf({ progress }: JobAnswer): number | undefined {
  if (progress === undefined) return undefined;
  return Math.round(progress > 0 && progress < 1 ? progress * 100 : progress);
}

export interface FetchOptions {
  readonly signal: AbortSignal;
  onProgress(progress: Progress): void;
  /** Must reject when the signal is aborted. */
  readonly sleep?: ((milliseconds: number, signal: AbortSignal) => Promise<unknown>) | undefined;
}

/** Opens a result at an offset. `version` is that of the bytes received before, if any. */
export type OpenResult = (from: number, version: ResultVersion | undefined) => Promise<Download>;

/** Seconds between attempts that bring no data, about 20 in total. */
const pauses = [0.5, 1, 2, 4, 6, 6.5];
/** Statuses worth a retry: the file may not be there yet, or the server may be busy. */
const passingStatuses = [401, 403, 404, 408, 425, 429, 500, 502, 503, 504];

/**
 * Downloads and hashes a result. Downloading is free, so an interrupted download is resumed and a missing file is
 * requested again.
 *
 * @throws MediaError the last failure, when no data has arrived for about 20 s or a retry cannot help
 */
export function fetchResult(open: OpenResult, options: FetchOptions): HashedData {
  const data: HashedData = withHash(receive(open, () => data.sha256(), options));
  return data;
}

async function* receive(
  open: OpenResult,
  sha256: () => string,
  { signal, onProgress, sleep = (milliseconds) => sleepFor(milliseconds, undefined, { signal }) }: FetchOptions,
): AsyncGenerator<Uint8Array> {
  let received = 0;
  let version: ResultVersion | undefined;
  for (let failures = 0; ; failures++) {
    try {
      const download = await open(received, version);
      version = sameVersion(version, download.version);
      for await (const chunk of restOf(download, received, sha256)) {
        received += chunk.length;
        failures = 0;
        yield chunk;
      }
      return;
    } catch (error) {
      const seconds = isPassing(error) ? pauses[failures] : undefined;
      if (seconds === undefined) throw error;
      onProgress({ stage: 'repeating', seconds, reason: (error as MediaError).message });
      await sleep(seconds * 1000, signal).catch((reason: unknown) => {
        throw signal.aborted ? new MediaError('cancelled', l10n.t('Cancelled while downloading the result.')) : reason;
      });
    }
  }
}

/** Yields the new bytes of a download. Bytes that a server without range support repeats must be unchanged. */
async function* restOf({ start, data }: Download, received: number, sha256: () => string) {
  let known = received - start;
  if (known < 0) throw changed();
  const again = createHash('sha256');
  const isWhole = start === 0;
  for await (const chunk of data) {
    const old = chunk.subarray(0, known);
    known -= old.length;
    if (old.length > 0 && isWhole) again.update(old);
    if (known === 0 && old.length > 0 && !(isWhole && again.digest('hex') === sha256())) throw changed();
    if (old.length < chunk.length) yield chunk.subarray(old.length);
  }
  // The file is now shorter than what was received before.
  if (known > 0) throw changed();
}

/** @throws MediaError when a resumed download has another version */
function sameVersion(known: ResultVersion | undefined, next: ResultVersion | undefined): ResultVersion {
  return { etag: same(known?.etag, next?.etag), total: same(known?.total, next?.total) };
}

function same<T>(before: T | undefined, after: T | undefined): T | undefined {
  if (before !== undefined && after !== undefined && before !== after) throw changed();
  return before ?? after;
}

function changed(): MediaError {
  return new MediaError('download', l10n.t('The result changed while it was being downloaded.'));
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof MediaError) || (error.kind !== 'download' && error.kind !== 'network')) return false;
  return error.status === undefined ? error.cause !== undefined : passingStatuses.includes(error.status);
}
