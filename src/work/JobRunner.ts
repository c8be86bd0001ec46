import { randomUUID } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import type { Asset } from '../library/LibraryRecord.ts';
import { inOnePiece } from '../library/saveMedia.ts';
import { MediaError } from '../operations/MediaError.ts';
import { Attempt, ignoreFailure, type JobClient, type JobParts, type RunOptions, sentRequest } from './Attempt.ts';
import { exchange } from './exchange.ts';
import { isRunning, type Job, type JobFacts, type JobRecord, type PlaceReference } from './Job.ts';
import {
  beforeSending,
  cannotKeep,
  endStateOf,
  inUseElsewhere,
  isUnusable,
  lostRequest,
  MadeMeanwhile,
  ofJob,
  recordOf,
  UnknownOutcome,
} from './jobErrors.ts';
import { LeaseLost } from './Lease.ts';
import { Pace } from './Pace.ts';
import { checkManifest, checkPlace, type Place } from './Place.ts';
import { isRepeatable, repeats, type SentKey } from './repeatable.ts';
import type { Store } from './Store.ts';
import { saveAnswer } from './saveAnswer.ts';
import { isExpired, stateOfWork } from './stateOfWork.ts';
import { sweep } from './sweep.ts';
import { type KeptAnswer, partIn, type RawFile, type Work } from './Work.ts';

/** A request and where its results go. A request with a key is never paid for twice. */
export type JobInput = Omit<JobFacts, 'id' | 'createdAt' | 'key'> & {
  readonly key?: string;
  /** Forbids passing a whole job, whose key would become that of the new one. */
  readonly id?: never;
  readonly createdAt?: never;
};

/** Runs jobs concurrently. Each step is in the journal of its work before it is taken. */
export class JobRunner {
  readonly store: Store;
  readonly #parts: JobParts;
  readonly #pace: Pace;
  readonly #running = new Map<string, AbortController>();
  /** What is last in turn for each key of a part. */
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Jobs that are being run again, so that a second click does not pay twice. */
  readonly #again = new Set<string>();
  /** Answers that could not be written because the disk is full. They are lost when the window closes. */
  readonly #unwritten = new Map<string, KeptAnswer>();
  /** Jobs that failed before they were sent, which are not on disk. */
  readonly #unsent = new Set<string>();

  constructor(parts: JobParts) {
    this.#parts = parts;
    this.store = parts.store;
    this.#pace = new Pace(() => parts.maxConcurrentJobs());
  }

  /** The jobs of this window. */
  get jobs(): JobParts['jobs'] {
    return this.#parts.jobs;
  }

  /** Whether files that are made here of results say that a model made them. */
  get marksGenerated(): boolean {
    return this.#parts.marksGenerated?.() ?? true;
  }

  /** How many requests run at a time. */
  get maxConcurrentJobs(): number {
    return this.#parts.maxConcurrentJobs();
  }

  placeAt(reference: PlaceReference): Place {
    return this.#parts.placeAt(reference);
  }

  /**
   * Runs one job: checks that its results can be saved, sends the request, keeps the answer, saves and records the
   * results. A request with a key that was sent before is not sent again: its kept answer is saved instead.
   *
   * @param id a new UUID, if the caller needs to know it in advance
   * @returns one asset per file, in the order of the answer
   * @throws MediaError; `UnknownOutcome` when the request was sent before, unless the options say to send it again
   */
  async run(input: JobInput, options: RunOptions, id: string = randomUUID()): Promise<readonly Asset[]> {
    const named = { key: id, ...input, id, createdAt: new Date().toISOString() };
    try {
      checkManifest(named.place);
      await checkPlace(this.#parts.placeAt(named.place));
    } catch (error) {
      throw beforeSending(error);
    }
    const client = await this.#parts.openClient(named.sandbox);
    const claimed = await this.#claim(named, client, options);
    if ('assets' in claimed) return claimed.assets;
    const { work, idempotencyKey } = claimed;
    work.limitTo(id);
    // From here on, the copies are what is sent. Nothing of them is in memory while the job waits for its turn.
    const kept = await work.keepInputs(named, options.agreed).catch(async (error: unknown) => {
      await ignoreFailure(work.remove());
      return error instanceof MediaError ? Promise.reject(error) : cannotKeep(error);
    });
    const job: JobFacts = { ...named, ...(idempotencyKey ? { idempotencyKey } : {}), ...kept };
    const record: JobRecord = { ...job, assets: {}, hasAnswer: false, state: 'queued' };
    const finish = async (attempt: Attempt) => {
      const answer = await this.#pace.ask(attempt.options.signal, (others) => exchange(attempt, client, others));
      return saveAnswer(attempt, answer, client);
    };
    return this.#run(record, work, options, finish).catch((error: unknown) => {
      // The copies are gone with the work, so Run Again starts from the person's own files.
      if (this.#unsent.has(id)) this.jobs.update(id, { request: named.request });
      throw error;
    });
  }

  /**
   * Takes the work of a request.
   *
   * @returns the work, if the request may be sent, with the idempotency key of the attempt that it repeats; else the assets
   *   of the answer that an earlier process has left
   */
  async #claim(
    job: JobFacts,
    client: JobClient,
    options: RunOptions,
  ): Promise<{ readonly work: Work; readonly idempotencyKey?: SentKey } | { readonly assets: readonly Asset[] }> {
    const work = await this.#open(job);
    const isClaimed = await this.#isFree(job, work).catch(async (error: unknown) => {
      await ignoreFailure(work.release());
      throw error;
    });
    if (isClaimed) return { work };
    let idempotencyKey: SentKey | undefined;
    const record = (await work.read())?.record;
    const state = record ? stateOfWork(record) : 'unknown';
    const answer = record && (await this.#answerOf(record.id, work));
    if (record && answer) {
      try {
        return {
          assets: await this.#run({ ...record, place: job.place }, work, options, (attempt) =>
            saveAnswer(attempt, answer),
          ),
        };
      } catch (error) {
        // The person agreed because the answer was known to be unusable.
        const isUseless = state === 'unusable' && error instanceof MediaError && isUnusable(error);
        if (!isUseless || !options.again) throw error;
      }
    } else {
      await ignoreFailure(work.release());
      if (state === 'finished') return { assets: [] };
      idempotencyKey = await this.#repeatedKey(job, client);
      if (!options.again && !idempotencyKey) throw new UnknownOutcome();
    }
    return { work: await this.#openAgain(job), ...(idempotencyKey ? { idempotencyKey } : {}) };
  }

  /**
   * Opens a work whose request a person has agreed to send again. Its outcome stays in the journal until that is sent;
   * what the service has sent for it is kept beside it.
   */
  async #openAgain(job: JobFacts): Promise<Work> {
    const work = await this.#open(job);
    const files = await work.rawFiles();
    if (files.length === 0) return work;
    await this.store.setAside(work, (await work.read())?.record, work.journal());
    return this.#open(job);
  }

  /** Returns the key of the attempt whose outcome is unknown, if the same request can be sent again under it. */
  async #repeatedKey(job: JobFacts, client: JobClient): Promise<SentKey | undefined> {
    const sent = await this.store.keySent(job.key, job.place);
    if (!isRepeatable(sent, this.keyOriginFor(job))) return undefined;
    return repeats(sent, await client.fingerprint(job.operation, sentRequest(job))) ? sent : undefined;
  }

  /** As {@link JobParts.keyOrigin}. An agent that calls again never sends a request again by that. */
  keyOriginFor({ operation, agent }: Pick<JobInput, 'operation' | 'agent'>): string | undefined {
    return agent ? undefined : this.#parts.keyOrigin?.(operation);
  }

  /** Returns the answer of a job whose results are not all saved; undefined if there is none. */
  async #answerOf(id: string, work: Work): Promise<KeptAnswer | undefined> {
    return this.#unwritten.get(id) ?? (await work.answer());
  }

  async #open({ key, operation }: JobFacts): Promise<Work> {
    const work = await this.store.open(key);
    if (!work) throw inUseElsewhere(operation);
    return work;
  }

  /** Whether no earlier attempt forbids sending a request. */
  async #isFree({ id, key, place }: JobFacts, work: Work): Promise<boolean> {
    // The key is the id of a new job, so nothing was sent under it.
    if (key === id) return true;
    const record = (await work.read())?.record;
    if (record) {
      const state = stateOfWork(record);
      const isUseless = state === 'finished' && (await partIn(work.folder)) === undefined;
      if (state !== 'none' && !isUseless) return false;
      // Nothing can be reused of a request that was refused for certain, or of a part that could not be used. Its note
      // would still say that it was sent.
      await this.store.withdraw(key, place, record.id);
      await work.reset();
      this.jobs.remove(record.id);
    }
    return (await this.store.stateOf(key, place)) === 'none';
  }

  /**
   * Saves what an earlier process has left of a request with a key. Never sends it.
   *
   * @returns whether there was an answer
   * @throws MediaError
   */
  async resume(key: string, place: PlaceReference, options: RunOptions): Promise<boolean> {
    await this.untilIdle(key);
    const record = await this.store.read(key);
    const work = await this.store.take(key);
    if (!work && record) throw inUseElsewhere(record.operation);
    await using _ = work;
    const found = (await work?.read())?.record;
    const answer = work && found && (await this.#answerOf(found.id, work));
    if (!answer) return false;
    await this.#run({ ...found, place }, work, options, (attempt) => saveAnswer(attempt, answer));
    return true;
  }

  /**
   * Gives up what an earlier process has left of a request with a key, so that it can be sent again.
   *
   * @param place where its result goes
   * @returns the paths of what the service has sent for it, which is kept
   */
  async giveUp(key: string, place: PlaceReference): Promise<readonly string[]> {
    const work = await this.store.open(key);
    if (!work) throw inUseElsewhere('generateImage');
    await using _ = work;
    const record = (await work.read())?.record;
    await this.store.withdraw(key, place);
    if (record) this.jobs.remove(record.id);
    return await this.store.giveUp(work, record);
  }

  /** Keeps a result that we wrote ourselves for a part that the service accepted, but returned nothing for. */
  async settlePart(id: string, extension: string, bytes: Uint8Array): Promise<string | undefined> {
    const { job, work } = await this.#take(id);
    await using _ = work;
    await work.keepPart(extension, inOnePiece(bytes));
    await work.finishPart();
    this.jobs.update(id, { state: 'done', hasAnswer: false, error: undefined });
    return partIn(this.store.folderOf(job.key));
  }

  /** Takes the steps for a part after those that were begun before: two wholes may share it. */
  async inTurn<T>(key: string, steps: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(key) ?? Promise.resolve();
    const own = before.catch(() => undefined).then(steps);
    this.#turns.set(key, own);
    try {
      return await own;
    } finally {
      if (this.#turns.get(key) === own) this.#turns.delete(key);
    }
  }

  /** Waits until this window runs no job with a key. */
  untilIdle(key: string): Promise<void> {
    const isBusy = () => this.jobs.all.some((job) => job.key === key && isRunning(job) && this.#running.has(job.id));
    if (!isBusy()) return Promise.resolve();
    return new Promise((resolve) => {
      const listening = this.jobs.onDidChange(() => {
        if (isBusy()) return;
        listening.dispose();
        resolve();
      });
    });
  }

  /** Cancels a job of this window. Returns false when it is not running here. */
  cancel(id: string): boolean {
    const running = this.#running.get(id);
    running?.abort();
    return running !== undefined;
  }

  /**
   * Saves the unsaved results of a job's answer, or resumes polling if the service still works. Costs nothing.
   *
   * @param place where to save them instead of the job's own place
   * @throws MediaError
   */
  async downloadAgain(id: string, options: RunOptions, place?: PlaceReference): Promise<readonly Asset[]> {
    const { job, work } = await this.#take(id);
    await using _ = work;
    const answer = await this.#answerOf(id, work);
    if (answer) return await this.#run(job, work, options, (attempt) => saveAnswer(attempt, answer), place);
    throw new MediaError('invalidInput', l10n.t('This job has no unsaved results.'));
  }

  /**
   * Runs the request of an ended job again, while no other window can do the same. Afterwards removes the old job,
   * unless it has unsaved results.
   *
   * @param again runs the new job
   * @throws MediaError
   */
  async runAgain<T>(id: string, again: (job: JobRecord) => Promise<T>): Promise<T> {
    if (this.#again.has(id)) {
      throw new MediaError('invalidInput', l10n.t('This job is already being run again.'));
    }
    this.#again.add(id);
    return this.#runAgain(id, again).finally(() => this.#again.delete(id));
  }

  async #runAgain<T>(id: string, again: (job: JobRecord) => Promise<T>): Promise<T> {
    const { jobs } = this.#parts;
    if (jobs.get(id)?.state === 'done' || this.#unsent.has(id)) {
      const job = this.#find(id);
      const result = await again(job);
      if (job.state !== 'done') await this.dismiss(id);
      return result;
    }
    const knew = jobs.get(id)?.hasAnswer;
    const { job, work } = await this.#take(id);
    await using _ = work;
    if (job.hasAnswer && !knew) {
      // `recover` saves an answer that no window works on.
      if (isRunning(job)) jobs.remove(id);
      else jobs.set(job);
      throw new MediaError(
        'invalidInput',
        l10n.t('Nothing was sent, because the answer of this job has arrived in the meantime. Saving it is free.'),
      );
    }
    // A request with a key has one work, which the new job takes over.
    if (job.key !== job.id) {
      await work.release();
      return again(job);
    }
    const result = await again(job);
    if (!job.hasAnswer) {
      jobs.remove(id);
      await ignoreFailure(this.store.remove(work, job));
    }
    return result;
  }

  /** Passes the kept raw data of an ended job to `read`. @throws MediaError `invalidInput` when there is none */
  async withRawFiles<T>(id: string, read: (files: readonly RawFile[]) => Promise<T>): Promise<T> {
    const { work } = await this.#take(id);
    await using _ = work;
    const files = await work.rawFiles();
    if (files.length > 0) return await read(files);
    throw new MediaError('invalidInput', l10n.t('No data from the service is kept for this job.'));
  }

  /** Removes an ended job from the list, together with its unsaved results. @throws MediaError */
  async dismiss(id: string): Promise<void> {
    const { jobs, store } = this.#parts;
    const known = jobs.get(id);
    if (known && isRunning(known)) {
      throw new MediaError('invalidInput', l10n.t('This job is still running. Cancel it first.'));
    }
    if (known && known.state !== 'done' && !this.#unsent.has(id)) {
      // On a full disk no lease can be taken, but dismissing jobs frees space.
      const taken = await this.#take(id).catch((error: unknown) => {
        if (error instanceof MediaError) throw error;
        const work = store.withoutLease(known.key);
        work.limitTo(id);
        return { work };
      });
      await store.remove(taken.work, known);
      await store.forgetWhole(known);
    }
    this.#unwritten.delete(id);
    this.#unsent.delete(id);
    jobs.remove(id);
  }

  /** Reads an ended job again, because another window may have continued or removed it. */
  async refresh(id: string): Promise<void> {
    const { jobs, store } = this.#parts;
    const known = jobs.get(id);
    const isOnDisk = known && !isRunning(known) && known.state !== 'done' && !this.#unsent.has(id);
    if (!isOnDisk || this.#unwritten.has(id)) return;
    const found = await store.read(known.key).catch(() => known);
    const job = found?.id === id ? found : undefined;
    // It may have started to run here in the meantime.
    if (jobs.get(id) !== known) return;
    if (!job || job.state === 'done') jobs.remove(id);
    else if (!isRunning(job) && (job.state !== known.state || job.hasAnswer !== known.hasAnswer)) jobs.set(job);
    // A late answer has reopened the job: another window works on it, or `recover` finds it.
    else if (isRunning(job) && job.hasAnswer && known.state === 'unknown' && !known.hasAnswer) jobs.remove(id);
  }

  /**
   * Recovers jobs whose window was closed: saves received answers, and marks requests without an answer as `unknown`.
   *
   * Can be repeated. Leaves jobs alone while another live process owns them.
   *
   * @param roots URIs of the folders that this window shows
   * @param onEnded called with each job that was still open, after it is recovered
   * @returns all of these jobs
   */
  async recover(
    roots: readonly string[],
    signal: AbortSignal,
    onEnded: (job: JobRecord) => void = () => undefined,
  ): Promise<readonly JobRecord[]> {
    const { store, jobs } = this.#parts;
    for (const { id } of jobs.all) await this.refresh(id);
    const found = await store.abandoned(roots, (id) => jobs.get(id) !== undefined);
    for (const job of found) if (!isRunning(job) && !isExpired(job)) jobs.set(job);
    const ended = await Promise.all(
      found.filter(isRunning).map(async (job) => {
        const recovered = await this.#recover(job, signal);
        if (recovered) onEnded(recovered);
        return recovered ?? [];
      }),
    );
    await sweep(store, roots);
    return ended.flat();
  }

  /** @returns the job after its recovery; undefined when another window has taken it over */
  async #recover(found: JobRecord, signal: AbortSignal): Promise<JobRecord | undefined> {
    const { id, place } = found;
    const { store, jobs } = this.#parts;
    await using work = await store.take(found.key);
    // With the lease, no other process changes the job from here on.
    const read = (await work?.read())?.record;
    if (!work || !read || read.id !== id || !isRunning(read) || jobs.get(id)) return undefined;
    const job = { ...read, place };
    const answer = await work.answer();
    if (!answer) {
      const error = recordOf(lostRequest(job, job.hasRawAnswer === true), job);
      jobs.set({ ...job, state: 'unknown', error });
      await ignoreFailure(work.ended('unknown', error, false));
      await ignoreFailure(work.removeRecording());
    } else {
      // A failure is recorded in the list and the journal.
      const options: RunOptions = { signal, onProgress: () => undefined, onNotice: () => undefined };
      await this.#run(job, work, options, (attempt) => saveAnswer(attempt, answer)).catch(() => undefined);
    }
    return jobs.get(id);
  }

  /** Returns a job that has ended. @throws MediaError `invalidInput` */
  #find(id: string): JobRecord {
    const job = this.#parts.jobs.get(id);
    if (!job) throw new MediaError('invalidInput', l10n.t('This job does not exist.'));
    if (isRunning(job)) throw new MediaError('invalidInput', l10n.t('This job is still running.'));
    return job;
  }

  /** Takes the lease of an ended job, and reads the job from its journal. @throws MediaError `invalidInput` */
  async #take(id: string): Promise<{ readonly job: JobRecord; readonly work: Work }> {
    const { jobs, store } = this.#parts;
    const job = this.#find(id);
    if (job.state === 'done') throw new MediaError('invalidInput', l10n.t('This job has no unsaved results.'));
    if (this.#unwritten.has(id)) {
      const opened = await store.open(job.key).catch(() => undefined);
      const work = opened ?? store.withoutLease(job.key);
      work.limitTo(id);
      return { job, work };
    }
    const work = await store.take(job.key);
    const current = await store.read(job.key);
    if (work && current?.id === id) return { job: { ...current, place: job.place }, work };
    await work?.release();
    if (current?.id === id) throw inUseElsewhere('generateImage');
    jobs.remove(id);
    throw new MediaError('invalidInput', l10n.t('Another window has already dismissed or saved this job.'));
  }

  /** Runs a job in turn, keeps the list up to date, and lets the job be cancelled at any time. */
  async #run(
    job: JobRecord,
    work: Work,
    options: RunOptions,
    steps: (attempt: Attempt) => Promise<readonly Asset[]>,
    target = job.place,
  ): Promise<readonly Asset[]> {
    const { id } = job;
    const { jobs } = this.#parts;
    const isNew = job.state === 'queued';
    const abort = new AbortController();
    const signal = AbortSignal.any([options.signal, abort.signal]);
    jobs.set({ ...job, state: 'queued', error: undefined, progress: undefined });
    this.#running.set(id, abort);
    let release: () => void = () => undefined;
    let attempt: Attempt | undefined;
    try {
      release = await this.#pace.acquire(signal);
      const onProgress: RunOptions['onProgress'] = (progress) => {
        if (progress.stage === 'preparing' || progress.stage === 'speaking') return;
        jobs.update(id, { progress, state: progress.stage === 'repeating' ? 'waiting' : progress.stage });
        options.onProgress(progress);
      };
      const running = { ...options, signal, onProgress };
      attempt = new Attempt({ ...job, place: target }, work, this.#unwritten, this.#parts, running, release);
      const assets = await steps(attempt);
      jobs.update(id, { state: 'done', assets: { ...assets }, progress: undefined, hasAnswer: false });
      return assets;
    } catch (error) {
      if (error instanceof LeaseLost) throw this.#lost(id);
      if (error instanceof UnknownOutcome || error instanceof MadeMeanwhile) {
        // Treat this like what is found before the job started: the caller asks the person, or uses what was made.
        jobs.remove(id);
        await this.#removeUnsent(job, work);
        throw error;
      }
      const isEarly = signal.aborted && !(error instanceof MediaError);
      const sentence = isNew ? l10n.t('Cancelled. Nothing was sent.') : l10n.t('Cancelled. The answer is kept.');
      const shown = isEarly ? new MediaError('cancelled', sentence) : error;
      // A job that had ended with an answer keeps its state. One whose recovery was cancelled can be downloaded again.
      if (isEarly && !isNew && !isRunning(job)) jobs.set(job);
      else jobs.update(id, { state: endStateOf(shown), error: recordOf(shown, job), progress: undefined });
      if (isNew && !attempt?.isSent) {
        this.#unsent.add(id);
        await this.#removeUnsent(job, work);
      }
      throw shown instanceof MediaError ? ofJob(shown, job, shown.hasRawAnswer) : shown;
    } finally {
      release();
      await ignoreFailure(work.release());
      await ignoreFailure(attempt?.work.release());
      this.#running.delete(id);
    }
  }

  /** Removes a work whose request was not sent, and the note on its whole. */
  async #removeUnsent(job: JobRecord, work: Work): Promise<void> {
    await ignoreFailure(work.remove());
    await ignoreFailure(this.store.forgetWhole(job));
  }

  #lost(id: string): MediaError {
    this.#parts.jobs.remove(id);
    const sentence = l10n.t(
      'Another window took over this job while this one was not responding. It will save the result.',
    );
    return new MediaError('save', sentence);
  }
}

/** Whether Run Again repeats a job under its idempotency key, so that the request is billed once. */
export function isRepeatedOnce(job: JobRecord, keyOrigin: string | undefined): boolean {
  return stateOfWork(job) === 'unknown' && isRepeatable(job.idempotencyKey, keyOrigin);
}

/**
 * Returns what Run Again sends for a job. For a part of a text or recording that is the whole, of which only the missing
 * parts are sent. For a part of a manifest's document it is the part alone; the manifest joins it with the others.
 */
export function inputAgain(job: Job | JobFacts): JobInput {
  const { id, operation, request, place, sandbox, whole, into, inputs, idempotencyKey, contentKey } = job;
  // Data that was kept beside another attempt has a key of its own, which no plan looks up.
  const [key = job.key] = job.key.split('.');
  // Another attempt of a request that was refused or answered is a new one.
  const isUnknown = 'state' in job && stateOfWork(job) === 'unknown';
  const own = key !== id ? { key } : isUnknown && idempotencyKey ? { idempotencyKey } : {};
  const sent = contentKey === undefined ? {} : { contentKey };
  if (whole?.entry !== undefined) return { ...own, operation, request, place, sandbox, whole };
  if (whole) {
    const { request: all, place: target, into: token } = whole;
    return { operation, sandbox, request: all, place: target, ...(token ? { into: token } : {}), ...sent };
  }
  const more = { ...(into ? { into } : {}), ...(inputs ? { inputs } : {}), ...sent };
  return { ...own, operation, request, place, sandbox, ...more };
}
