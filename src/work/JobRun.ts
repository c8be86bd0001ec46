import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import type { Agreed } from '../files/AgreedFile.ts';
import { hasCode } from '../files/FileCalls.ts';
import { LocalFolder } from '../files/LocalFolder.ts';
import { Library } from '../library/Library.ts';
import type { Asset } from '../library/LibraryRecord.ts';
import { usageOf } from '../library/recordFacts.ts';
import type { ConvertBytes } from '../library/saveMedia.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { Area, MediaRequest, OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import { parseJson } from '../operations/parseJson.ts';
import type { Answer, AnswerSource, JobAnswer, Json, RawAnswer } from '../service/Answer.ts';
import { isObject, stateOf } from '../service/Answer.ts';
import type { MediaClient } from '../service/MediaClient.ts';
import { originOf } from '../service/ServiceConfiguration.ts';
import type { Attempt, Delivery, FinalAnswer, Place, SavedAnswer } from './deliver.ts';
import {
  bytesOfBody,
  checkManifest,
  checkPlace,
  deliver,
  isSavedByOther,
  keepLinked,
  removeAttempts,
} from './deliver.ts';
import type { FetchOptions } from './fetchResult.ts';
import type { JobFacts, JobList, JobProgress, JobRecord, PlaceReference } from './Job.ts';
import {
  afterAnswer,
  afterRefusal,
  afterRepeat,
  beforeSending,
  cannotKeep,
  endStateOf,
  inUseElsewhere,
  isNotUnderstood,
  isRefusal,
  ofJob,
  RefusedAnswer,
  recordOf,
  UnknownOutcome,
} from './jobErrors.ts';
import { LeaseLost } from './Lease.ts';
import type { KeyOrigin } from './repeatable.ts';
import { repeats, sentKey } from './repeatable.ts';
import type { Store } from './Store.ts';
import { keyBeside } from './Store.ts';
import type { KeptAnswer, Work } from './Work.ts';

export type JobClient = Pick<MediaClient, 'exchange' | 'fingerprint' | 'read' | 'download' | 'status' | 'contentUrl'>;

/** Dependencies of jobs. */
export interface JobParts {
  readonly store: Store;
  /** The list that shows the jobs. */
  readonly jobs: JobList;
  /** Opens a client for the sandbox or the remote service. */
  readonly openClient: (sandbox: boolean) => Promise<JobClient>;
  readonly placeAt: (reference: PlaceReference) => Place;
  /** How long a polled job may report the same state. */
  readonly timeoutSeconds: (area: Area) => number;
  readonly sleep?: FetchOptions['sleep'];
  /** Converts results whose name requires another type; see {@link PlaceReference.exactName}. */
  readonly convert?: ConvertBytes;
  /** Whether files that are joined or converted here say that a model made them; default: yes. */
  readonly marksGenerated?: () => boolean;
  /** Default: no service honours idempotency keys. */
  readonly keyOrigin?: KeyOrigin;
  /** Records whether the service still has a request's model, as its answer shows. */
  readonly noteModel?: (operation: OperationId, model: string, isGone: boolean) => Promise<void>;
  /** Absolute path of a folder for paid answers that the store has no room for, if no window keeps them in memory. */
  readonly spareFolder?: string;
}

export interface RunOptions {
  readonly signal: AbortSignal;
  /** Called with a sentence that says how the result differs from the request. */
  onNotice(sentence: string): void;
  onProgress(progress: RunProgress): void;
  /**
   * Called when it is the job's turn, also that of each part of a longer text or recording. If it throws a MediaError,
   * the job fails and nothing is sent.
   */
  beforeSending?(job: Pick<JobFacts, 'operation' | 'request'>): void | Promise<void>;
  /**
   * Called when the request is noted beside the project, so that no other program sends it: one that shares nothing but
   * the project may have made the result since it was looked for. If it throws a MediaError, nothing is sent.
   */
  lookAgain?(): Promise<void>;
  /** Whether a person is present to answer a question. */
  readonly isAttended?: boolean;
  /** Whether a person has agreed to send again what may already be billed, and to give up what cannot be used. */
  readonly again?: boolean;
  /** Only these files are sent, and only with this content. */
  readonly agreed?: Agreed;
}

/** Progress of preparing a recording; `share` is 0 to 1. */
interface PreparingProgress {
  readonly stage: 'preparing';
  readonly share: number;
}

/** Progress of a run. */
export type RunProgress = JobProgress | PreparingProgress;

interface JobRunOptions extends RunOptions {
  /** Lets the next job start while this one only polls. */
  readonly release: () => void;
}

/** One run of a job, by the process that holds its lease. Each step is in the journal before it is taken. */
export class JobRun {
  #job: JobFacts;
  #work: Work;
  readonly #unwritten: Map<string, KeptAnswer>;
  readonly #parts: JobParts;
  readonly #options: JobRunOptions;
  readonly #saved: Record<number, Asset>;
  #isSent = false;

  /** @param unwritten answers that could not be written to the journal */
  constructor(
    job: JobFacts & Pick<JobRecord, 'assets'>,
    work: Work,
    unwritten: Map<string, KeptAnswer>,
    parts: JobParts,
    options: JobRunOptions,
  ) {
    this.#job = job;
    this.#work = work;
    this.#unwritten = unwritten;
    this.#parts = parts;
    this.#options = options;
    this.#saved = { ...job.assets };
    work.limitTo(job.id);
  }

  /** The work that holds the answer. If the answer came late, this is not the work that the run began with. */
  get work(): Work {
    return this.#work;
  }

  /** Whether the journal records that the request is being sent. */
  get isSent(): boolean {
    return this.#isSent;
  }

  /** Sends the request and keeps the answer. @throws MediaError */
  async exchange(client: JobClient): Promise<KeptAnswer> {
    const { jobs } = this.#parts;
    const { id, key, place, operation } = this.#job;
    const work = this.#work;
    try {
      // It may have been moved while the job waited for its turn.
      checkManifest(place);
    } catch (error) {
      throw beforeSending(error);
    }
    const repeatsKey = await this.#takeKey(client);
    await this.#options.beforeSending?.(this.#job);
    jobs.update(id, { state: 'sending' });
    // Noted first, because its outcome is unknown already, and must stay so if it cannot be noted.
    if (await this.#noteAgain(repeatsKey)) this.#job = { ...this.#job, isRepeated: true };
    const { isRepeated } = this.#job;
    const earlier = await work.sending(this.#job).catch((error: unknown) => {
      if (error instanceof LeaseLost) throw inUseElsewhere(operation);
      return cannotKeep(error);
    });
    for (const replaced of earlier) jobs.remove(replaced);
    if (!isRepeated) await this.#note();
    await this.#options.lookAgain?.().catch(async (error: unknown) => {
      await this.#parts.store.withdraw(key, place, id);
      throw error;
    });
    this.#isSent = true;
    let isPartial = false;
    const raw = await client
      .exchange(operation, sentRequest(this.#job), {
        ...this.#options,
        idempotencyKey: this.#job.idempotencyKey?.value,
        repeatsKey,
        openFile: () => work.openAnswer(),
        onPartial: async (part) => {
          await work.partial(part);
          isPartial = true;
        },
      })
      .catch(async (error: unknown) => {
        if (this.#options.signal.aborted) {
          isPartial = false;
          await ignoreFailure(work.discardAnswers());
        }
        if (isModelGone(error)) await this.#noteModel(true);
        const ended = afterRepeat(ofJob(error, this.#job, isPartial), this.#job);
        jobs.update(id, { hasRawAnswer: isPartial });
        await ignoreFailure(work.ended(endStateOf(ended), recordOf(ended, this.#job), false));
        if (ended instanceof MediaError && !ended.mayBeBilled) {
          await this.#parts.store.withdraw(key, place, id);
          await this.#parts.store.forgetWhole(this.#job);
        }
        throw ended;
      })
      .finally(() => ignoreFailure(work.removeRecording()));
    const kept = await this.#answered({ raw, videoId: undefined });
    if (isRepeated) await this.#parts.store.withdrawOthers(this.#job);
    await this.#noteModel(false);
    return kept;
  }

  /**
   * Gives the job its idempotency key, which is in the journal before the request is sent: that of an earlier attempt whose
   * outcome is unknown, or a new one.
   *
   * @returns whether an earlier attempt has sent the key
   * @throws UnknownOutcome when the request is not the one of the earlier attempt, unless a person has agreed to send it
   */
  async #takeKey(client: JobClient): Promise<boolean> {
    const { idempotencyKey: earlier, ...job } = this.#job;
    const found = await client.fingerprint(job.operation, sentRequest(job)).catch((error: unknown) => {
      throw beforeSending(error);
    });
    const isRepeat = repeats(earlier, found);
    if (earlier && !isRepeat && !this.#options.again) throw new UnknownOutcome();
    const idempotencyKey = isRepeat ? earlier : found && sentKey(job.id, found);
    this.#job = { ...job, ...(idempotencyKey ? { idempotencyKey } : {}) };
    this.#parts.jobs.update(job.id, { idempotencyKey });
    return isRepeat;
  }

  async #noteModel(isGone: boolean): Promise<void> {
    const { operation, request, sandbox } = this.#job;
    if (!sandbox) await ignoreFailure(this.#parts.noteModel?.(operation, request.model, isGone));
  }

  /**
   * Notes that a request is sent again whose outcome is unknown: a person has agreed, or it repeats an idempotency key.
   *
   * @returns whether it is such a request
   * @throws MediaError when a note of others cannot be replaced; nothing was sent
   */
  async #noteAgain(repeatsKey: boolean): Promise<boolean> {
    const { key, place, sandbox } = this.#job;
    const { store } = this.#parts;
    const isAllowed = this.#options.again || repeatsKey;
    if (!isAllowed || sandbox || (await store.stateOf(key, place)) === 'none') return false;
    if (!place.isChosen) await store.noteAgain(this.#job);
    return true;
  }

  /**
   * Writes a note beside the project that the request is being sent.
   *
   * @throws MediaError when another computer has noted the same request; nothing was sent
   */
  async #note(): Promise<void> {
    const { id, key, place, sandbox } = this.#job;
    if (sandbox || place.isChosen) return;
    const isNoted = this.#parts.store.note(this.#job);
    // No other computer sends a request under the id of this job, so a failed note is ignored.
    if (key === id) await isNoted.catch(() => undefined);
    else if (!(await isNoted.catch(cannotKeep))) throw new UnknownOutcome();
  }

  /** Stores an answer before anything else happens to it. */
  async #answered(answer: KeptAnswer): Promise<KeptAnswer> {
    const { id } = this.#job;
    const work = this.#work;
    let kept: KeptAnswer | undefined = answer;
    try {
      // Recreates a journal that was removed by accident.
      if (!(await work.read())) await work.sending(this.#job);
      await work.answered(answer.raw, answer.videoId, answer.results);
      this.#unwritten.delete(id);
    } catch (error) {
      kept = error instanceof LeaseLost ? await this.#keepLate(answer).catch(() => undefined) : undefined;
      if (!kept) this.#unwritten.set(id, answer);
    }
    this.#parts.jobs.update(id, { hasAnswer: true, hasRawAnswer: true });
    return kept ?? answer;
  }

  /** Keeps an answer that arrives while another process runs the job again, as a work of its own. */
  async #keepLate(answer: KeptAnswer): Promise<KeptAnswer | undefined> {
    const key = keyBeside(this.#job.key);
    const late = await this.#parts.store.open(key);
    if (!late) return undefined;
    const job = { ...this.#job, key };
    await late.sending(job);
    await late.answered(answer.raw, answer.videoId, answer.results);
    this.#job = job;
    this.#work = late;
    this.#parts.jobs.update(job.id, { key });
    return late.answer();
  }

  /**
   * Saves the results of an answer, which costs nothing, and removes the job's folder.
   *
   * @param opened a client that is already open
   * @throws MediaError, or LeaseLost when another process has taken the job over
   */
  async finish(kept: KeptAnswer, opened?: JobClient): Promise<readonly Asset[]> {
    try {
      await this.#save(kept, opened);
    } catch (error) {
      // If the answer is in this process's memory only, no other process can save it.
      const isInMemory = this.#unwritten.has(this.#job.id);
      if (!isInMemory && (error instanceof LeaseLost || (await this.#isTakenOver()))) throw new LeaseLost();
      throw await this.#failed(error, kept);
    }
    if (this.#job.whole) await ignoreFailure(this.#work.finishPart());
    else {
      // The results are in the library; the prompt and inputs need not stay here. The sweep goes on after a crash.
      await ignoreFailure(this.#work.ended('done', undefined, false));
      await ignoreFailure(this.#parts.store.remove(this.#work, this.#job));
    }
    this.#unwritten.delete(this.#job.id);
    return Object.values(this.#saved);
  }

  async #save(kept: KeptAnswer, opened: JobClient | undefined): Promise<void> {
    const { signal } = this.#options;
    const place = this.#place();
    if (!opened) {
      if (!this.#job.whole) {
        checkManifest(this.#job.place);
        await checkPlace(place);
      }
      await removeAttempts(place, this.#job.id).catch(() => undefined);
    }
    const client = opened ?? (await this.#parts.openClient(this.#job.sandbox));
    await this.#saveAnswer(kept, client, place).catch(async (error: unknown) => {
      if (!this.#job.whole && isMissing(error)) {
        checkManifest(this.#job.place);
        if (await canMake(place)) return this.#saveAnswer((await this.#work.answer()) ?? kept, client, place);
      }
      const isExpired = error instanceof MediaError && error.kind === 'download' && !signal.aborted;
      // The result URLs of a finished job expire; polling the job again gives new ones.
      const job = isExpired && kept.videoId !== undefined ? await this.#work.jobAnswer() : undefined;
      if (!job) throw error;
      await this.#saveAnswer(job, client, place, true).catch((reason: unknown) => {
        // The service has forgotten the job, but the known URL may work again.
        throw reason instanceof RefusedAnswer ? error : reason;
      });
    });
  }

  /** @param isKnown whether an earlier answer has the URLs of the results, which a refusal must not replace */
  async #saveAnswer(kept: KeptAnswer, client: JobClient, place: Place, isKnown = false): Promise<void> {
    const { signal, onProgress, onNotice, release } = this.#options;
    const { jobs, sleep, timeoutSeconds, convert } = this.#parts;
    const job = this.#job;
    const work = this.#work;
    const saved = this.#saved;
    const delivery: Delivery = {
      job,
      work,
      client,
      place,
      signal,
      sleep,
      convert,
      unchangedSeconds: timeoutSeconds(operations[job.operation].area),
      saved,
      release,
      onProgress,
      onNotice,
      keep: (answer) => this.#answered(answer),
      keepRefusal: async (answer) => isKnown || (await this.#answered(answer)),
      onSaved: async (index, asset) => {
        saved[index] = asset;
        jobs.update(job.id, { assets: { ...saved } });
        await ignoreFailure(work.saved(index, asset));
      },
    };
    const final = await pollJob(kept, delivery).catch(async (error: unknown) => {
      const latest = isNotUnderstood(error) ? await work.answer() : undefined;
      if (latest) await keepLinked(latest.raw, delivery);
      throw error;
    });
    jobs.update(job.id, { usage: usageOf(final.answer.usage) });
    await deliver(final, delivery);
  }

  /** Whether another window took the job over. If that window has finished the job, its folder is gone. */
  async #isTakenOver(): Promise<boolean> {
    if (!(await this.#work.isHeld())) return true;
    if (await this.#work.read()) return false;
    return await isSavedByOther(this.#job, this.#saved, this.#place()).catch(() => false);
  }

  /** Returns where the results go; a part waits in its own folder for the others. */
  #place(): Place {
    return this.#job.whole ? placeOfPart(this.#work) : this.#parts.placeAt(this.#job.place);
  }

  /** Records how a job with an answer failed. @returns the error to show */
  async #failed(error: unknown, kept: KeptAnswer): Promise<MediaError> {
    const { signal } = this.#options;
    const { id } = this.#job;
    const work = this.#work;
    if (error instanceof RefusedAnswer && !signal.aborted) {
      const refused = afterRepeat(afterRefusal(error, this.#job), this.#job);
      this.#unwritten.delete(id);
      this.#parts.jobs.update(id, { hasAnswer: false });
      await ignoreFailure(work.ended('failed', recordOf(refused, this.#job), false));
      return refused;
    }
    // Try to store the answer again: there may be space now, or the folder was removed in the meantime.
    const isOnDisk = await work.answer().then(Boolean, () => false);
    const unwritten = this.#unwritten.get(id) ?? (isOnDisk ? undefined : kept);
    if (unwritten) await this.#answered(unwritten);
    const failure = afterAnswer(error, Object.values(this.#saved), {
      isCancelled: signal.aborted,
      job: this.#job,
      keptAt: this.#unwritten.has(id) ? await this.#spare(kept) : 'store',
      hasRawResult: (await work.rawFiles().catch(() => [])).some(({ what }) => what === 'result'),
      host: originOf(kept.raw.source),
    });
    // The answer is paid for, so keep it until its results are saved.
    await ignoreFailure(work.ended(endStateOf(failure), recordOf(failure, this.#job), true));
    return failure;
  }

  /** Writes an answer that the store has no room for to the spare folder. @returns the path of its file */
  async #spare({ raw }: KeptAnswer): Promise<string | undefined> {
    const { spareFolder } = this.#parts;
    if (spareFolder === undefined) return undefined;
    try {
      const file = join(await mkdtemp(join(spareFolder, 'unified-media-')), 'answer');
      await writeFile(file, bytesOfBody(raw.body), { mode: 0o600 });
      return file;
    } catch {
      return undefined;
    }
  }
}

/** Whether a service answered that it does not have the model. */
function isModelGone(error: unknown): boolean {
  return error instanceof MediaError && error.kind === 'notFound' && error.field === 'model';
}

/** Returns the folder of a part's work as a place. Nothing is recorded for a part. */
function placeOfPart({ folder: path }: Work): Place {
  const folder = new LocalFolder(path, undefined);
  return { folder, library: new Library(folder), recordedName: (name) => name };
}

/** Whether something failed because a file or folder was missing, such as a folder that was removed in the meantime. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && (hasCode(error, 'ENOENT') || isMissing(error.cause));
}

/** Creates the folder of a place if it is missing, but not its root. @returns false if it cannot be written */
function canMake({ folder }: Place): Promise<boolean> {
  return folder.check().then(
    () => true,
    () => false,
  );
}

/** Returns the request of a job with the file that is sent for its recording. */
export function sentRequest({ request, sentFile }: Pick<JobFacts, 'request' | 'sentFile'>): MediaRequest {
  return sentFile !== undefined && 'file' in request ? { ...request, file: sentFile } : request;
}

/** Ignores a failed write. After a request was sent, a journal that cannot be written must not lose the answer. */
export async function ignoreFailure(writing: Promise<void> | undefined): Promise<void> {
  await writing?.catch(() => undefined);
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
async function pollJob(kept: KeptAnswer, attempt: Attempt): Promise<FinalAnswer> {
  const { client, work, job } = attempt;
  const { operation } = job;
  const first = await read(operation, kept, client);
  const { source } = kept.raw;
  if (first.type !== 'job') return { source, answer: { ...first, id: first.id ?? kept.videoId } };
  attempt.release();
  const patience = new Patience(attempt.unchangedSeconds);
  let latest: JobAnswer = first;
  for await (const { raw, seconds } of statesOf(first, source, patience, attempt)) {
    const answer = await readState({ raw, videoId: first.id }, attempt);
    if (answer instanceof MediaError) {
      if (patience.isOver()) {
        await work.keepRaw(0, bytesOfBody(raw.body));
        throw answer;
      }
    } else if (answer && answer.type !== 'job') {
      return { source: raw.source, answer: { ...answer, id: answer.id ?? first.id } };
    } else if (
      answer?.state === 'done' ||
      (answer?.state === 'unclear' && patience.endsWith(answer, seconds, operation))
    ) {
      const known = { ...answer, id: answer.id ?? first.id };
      const url = client.contentUrl(operation, first.id, raw.source);
      return { source: raw.source, answer: { ...known, type: 'media', media: [{ url }] } };
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
async function readState(state: KeptAnswer, attempt: Attempt): Promise<Answer | MediaError | undefined> {
  const { client, job, onProgress } = attempt;
  const { raw } = state;
  if (isNoNews(raw)) return undefined;
  try {
    const answer = await read(job.operation, state, client);
    if (answer.type !== 'job') await attempt.keep({ ...state, results: resultsIn(answer) });
    else if (answer.state !== 'done')
      onProgress({ stage: 'waiting', status: answer.status, progress: percentOf(answer) });
    return answer;
  } catch (error) {
    if (error instanceof RefusedAnswer) {
      if (!isOfJob(raw, error.reason)) return error.reason;
      if (raw.status >= 300) throw error.reason;
      await attempt.keepRefusal(state);
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
    if (!(raw instanceof MediaError)) yield { raw, seconds };
    seconds = Math.max(growing, Math.min(raw.retryAfter ?? 0, maxRequestedPauseSeconds));
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
function percentOf({ progress }: JobAnswer): number | undefined {
  if (progress === undefined) return undefined;
  return Math.round(progress > 0 && progress < 1 ? progress * 100 : progress);
}
