import { randomUUID } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import type { Asset } from '../library/Asset.ts';
import { MediaError } from '../operations/MediaError.ts';
import { isRunning } from './JobList.ts';
import type { JobLog, KeptAnswer, RawFile } from './JobLog.ts';
import { LeaseLost } from './JobLog.ts';
import type { JobFacts, JobRecord, PlaceReference } from './JobRecord.ts';
import type { JobParts, RunOptions } from './JobRun.ts';
import { cannotKeep, ignoreFailure, JobRun } from './JobRun.ts';
import type { Journal } from './Journal.ts';
import { beforeSending, endStateOf, lostRequest, ofJob, recordOf } from './jobErrors.ts';
import { Semaphore } from './Semaphore.ts';
import type { Place } from './saveResults.ts';
import { checkPlace, removeAttempts } from './saveResults.ts';

export type JobInput = Omit<JobFacts, 'id' | 'createdAt'>;

export interface JobRunnerOptions extends JobParts {
  readonly journal: Journal;
  maxConcurrentJobs(): number;
}

/** How long jobs that failed or were cancelled stay in the list, in milliseconds. */
const endedMaxAgeMs = 30 * 24 * 60 * 60 * 1000;

/** Runs jobs concurrently. Each step is in the journal before it is taken. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #semaphore: Semaphore;
  readonly #running = new Map<string, AbortController>();
  /** Answers that could not be written because the disk is full. They are lost when the window closes. */
  readonly #unwritten = new Map<string, KeptAnswer>();
  /** Jobs that are being run again: a second click must not pay once more. */
  readonly #again = new Set<string>();
  /** Jobs that failed before they were sent, which are not on disk. */
  readonly #unsent = new Set<string>();

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#semaphore = new Semaphore(() => options.maxConcurrentJobs());
  }

  /**
   * Runs one job: checks that its results can be saved, sends the request, keeps the answer, saves and records the results.
   *
   * @param id a new UUID, if the caller needs to know it in advance
   * @returns one asset per file, in the order of the answer
   * @throws MediaError
   */
  async run(input: JobInput, options: RunOptions, id: string = randomUUID()): Promise<readonly Asset[]> {
    const { journal } = this.#options;
    const named = { ...input, id, createdAt: new Date().toISOString() };
    await checkPlace(this.#options.placeAt(named.place)).catch((error: unknown) => {
      throw beforeSending(error);
    });
    const client = await this.#options.openClient(named.sandbox);
    const log = await journal.create(named).catch(cannotKeep);
    // Move images to disk, so that they are not in memory while the job waits for its turn.
    const request = await log.keepInputs(named).catch(async (error: unknown) => {
      await ignoreFailure(log.remove());
      return error instanceof MediaError ? Promise.reject(error) : cannotKeep(error);
    });
    const job: JobFacts = { ...named, request };
    const record: JobRecord = { ...job, assets: {}, hasAnswer: false, state: 'queued' };
    return this.#show(record, log, options, async (run) => run.finish(await run.exchange(client), client));
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
    const { job, log } = await this.#take(id);
    await using _ = log;
    const answer = this.#unwritten.get(id) ?? (await log.answer());
    if (answer) return await this.#goOn(job, log, answer, options, place);
    throw new MediaError('invalidInput', l10n.t('This job has no unsaved results.'));
  }

  /**
   * Runs the request of an ended job again, while no other window can do the same. Afterwards removes the old job, unless it
   * has unsaved results.
   *
   * @param work runs the new job
   * @throws MediaError
   */
  async runAgain<T>(id: string, work: (job: JobRecord) => Promise<T>): Promise<T> {
    if (this.#again.has(id)) {
      throw new MediaError('invalidInput', l10n.t('This job is already being run again.'));
    }
    this.#again.add(id);
    return this.#runAgain(id, work).finally(() => this.#again.delete(id));
  }

  async #runAgain<T>(id: string, work: (job: JobRecord) => Promise<T>): Promise<T> {
    const { jobs } = this.#options;
    if (jobs.get(id)?.state === 'done' || this.#unsent.has(id)) {
      const job = this.#find(id);
      const result = await work(job);
      if (job.state !== 'done') await this.dismiss(id);
      return result;
    }
    const { job, log } = await this.#take(id);
    await using _ = log;
    const result = await work(job);
    if (!job.hasAnswer) {
      jobs.remove(id);
      await ignoreFailure(log.remove());
    }
    return result;
  }

  /** Passes the kept raw data of an ended job to `work`. @throws MediaError `invalidInput` when there is none */
  async withRawFiles<T>(id: string, work: (files: readonly RawFile[]) => Promise<T>): Promise<T> {
    const { log } = await this.#take(id);
    await using _ = log;
    const files = await log.rawFiles();
    if (files.length > 0) return await work(files);
    throw new MediaError('invalidInput', l10n.t('No data from the service is kept for this job.'));
  }

  /** Removes an ended job from the list, together with its unsaved results. @throws MediaError */
  async dismiss(id: string): Promise<void> {
    const { jobs, journal } = this.#options;
    const known = jobs.get(id);
    if (known && isRunning(known)) {
      throw new MediaError('invalidInput', l10n.t('This job is still running. Cancel it first.'));
    }
    if (known && known.state !== 'done' && !this.#unsent.has(id)) {
      // On a full disk no lease can be taken, but dismissing jobs frees space.
      const taken = await this.#take(id).catch((error: unknown) => {
        if (error instanceof MediaError) throw error;
        return { log: journal.withoutLease(known) };
      });
      await taken.log.remove();
      await ignoreFailure(this.#placeOf(known).withdraw?.(id));
    }
    this.#unwritten.delete(id);
    this.#unsent.delete(id);
    jobs.remove(id);
  }

  /** Reads an ended job again, because another window may have continued or removed it. */
  async refresh(id: string): Promise<void> {
    const { jobs, journal } = this.#options;
    const known = jobs.get(id);
    const isOnDisk = known && !isRunning(known) && known.state !== 'done' && !this.#unsent.has(id);
    if (!isOnDisk || this.#unwritten.has(id)) return;
    const job = await journal.read(known).catch(() => known);
    // It may have started to run here in the meantime.
    if (jobs.get(id) !== known) return;
    if (!job) jobs.remove(id);
    else if (!isRunning(job) && (job.state !== known.state || job.hasAnswer !== known.hasAnswer)) jobs.set(job);
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
    const { journal, jobs } = this.#options;
    for (const { id } of jobs.all) await this.refresh(id);
    const found = await journal.abandoned(roots, (id) => jobs.get(id) !== undefined);
    for (const job of found) if (!isRunning(job)) await this.#showEnded(job);
    const ended = await Promise.all(
      found.filter(isRunning).map(async (job) => {
        const recovered = await this.#recover(job, signal);
        if (recovered) onEnded(recovered);
        return recovered ?? [];
      }),
    );
    await journal.sweep();
    return ended.flat();
  }

  async #showEnded(job: JobRecord): Promise<void> {
    // A paid result that is not saved never expires.
    const isOld = !job.hasAnswer && Date.now() - Date.parse(job.createdAt) > endedMaxAgeMs;
    if (isOld) await (await this.#options.journal.take(job))?.remove();
    else this.#options.jobs.set(job);
  }

  /** @returns the job after its recovery; undefined when another window has taken it over */
  async #recover(found: JobRecord, signal: AbortSignal): Promise<JobRecord | undefined> {
    const { id } = found;
    const { journal, jobs } = this.#options;
    await using log = await journal.take(found);
    // With the lease, no other process changes the job from here on.
    const job = (await log?.read())?.record;
    if (!log || !job || !isRunning(job) || jobs.get(id)) return undefined;
    await removeAttempts(this.#options.placeAt(job.place), id).catch(() => undefined);
    const answer = await log.answer();
    if (!answer) {
      const error = recordOf(lostRequest(id, job.hasRawAnswer === true));
      jobs.set({ ...job, state: 'unknown', error });
      await ignoreFailure(log.ended('unknown', error, false));
      await ignoreFailure(this.#placeOf(job).withdraw?.(id));
    } else {
      // A failure is recorded in the list and the journal.
      const options: RunOptions = { signal, onProgress: () => undefined, onNotice: () => undefined };
      await this.#goOn(job, log, answer, options).catch(() => undefined);
    }
    return jobs.get(id);
  }

  /** Returns a job that has ended. @throws MediaError `invalidInput` */
  #find(id: string): JobRecord {
    const job = this.#options.jobs.get(id);
    if (!job) throw new MediaError('invalidInput', l10n.t('This job does not exist.'));
    if (isRunning(job)) throw new MediaError('invalidInput', l10n.t('This job is still running.'));
    return job;
  }

  /** Takes the lease of an ended job, and reads the job from its journal. @throws MediaError `invalidInput` */
  async #take(id: string): Promise<{ readonly job: JobRecord; readonly log: JobLog }> {
    const { jobs, journal } = this.#options;
    const job = this.#find(id);
    if (job.state === 'done') throw new MediaError('invalidInput', l10n.t('This job has no unsaved results.'));
    if (this.#unwritten.has(id)) return { job, log: await journal.createIfPossible(job) };
    const log = await journal.take(job);
    const current = await journal.read(job);
    if (log && current) return { job: current, log };
    await log?.release();
    if (current) throw new MediaError('invalidInput', l10n.t('Another window is working on this job.'));
    jobs.remove(id);
    throw new MediaError('invalidInput', l10n.t('Another window has already dismissed or saved this job.'));
  }

  #placeOf(job: JobFacts): Place {
    return this.#options.placeAt((job.whole ?? job).place);
  }

  /** Saves the results of an answer that an earlier run left behind. */
  #goOn(
    job: JobRecord,
    log: JobLog,
    answer: KeptAnswer,
    options: RunOptions,
    place = job.place,
  ): Promise<readonly Asset[]> {
    return this.#show(job, log, options, (run) => run.finish(answer), place);
  }

  /** Runs `work` in turn, keeps the list up to date, and lets the job be cancelled at any time. */
  async #show(
    job: JobRecord,
    log: JobLog,
    { signal, onProgress, onNotice, beforeSending }: RunOptions,
    work: (run: JobRun) => Promise<readonly Asset[]>,
    target = job.place,
  ): Promise<readonly Asset[]> {
    const { id } = job;
    const { jobs } = this.#options;
    const place = this.#placeOf(job);
    const isNew = job.state === 'queued';
    const abort = new AbortController();
    const either = AbortSignal.any([signal, abort.signal]);
    jobs.set({ ...job, state: 'queued', error: undefined, progress: undefined });
    this.#running.set(id, abort);
    let release: () => void = () => undefined;
    let run: JobRun | undefined;
    try {
      await ignoreFailure(place.announce?.(id));
      release = await this.#semaphore.acquire(either);
      run = new JobRun({ ...job, place: target }, log, this.#unwritten, this.#options, {
        release,
        signal: either,
        onNotice,
        ...(beforeSending ? { beforeSending } : {}),
        onProgress: (progress) => {
          if (progress.stage === 'preparing') return;
          jobs.update(id, { progress, state: progress.stage === 'repeating' ? 'waiting' : progress.stage });
          onProgress(progress);
        },
      });
      const assets = await work(run);
      jobs.update(id, { state: 'done', assets: { ...assets }, progress: undefined, hasAnswer: false });
      return assets;
    } catch (error) {
      if (error instanceof LeaseLost) throw this.#lost(id);
      const isEarly = either.aborted && !(error instanceof MediaError);
      const sentence = isNew ? l10n.t('Cancelled. Nothing was sent.') : l10n.t('Cancelled. The answer is kept.');
      const shown = isEarly ? new MediaError('cancelled', sentence) : error;
      // A job that already had an answer keeps its state.
      if (isEarly && !isNew) jobs.set(job);
      else jobs.update(id, { state: endStateOf(shown), error: recordOf(shown), progress: undefined });
      if (isNew && !run?.isSent) {
        this.#unsent.add(id);
        await ignoreFailure(log.remove());
      }
      throw shown instanceof MediaError ? ofJob(shown, id, shown.hasRawAnswer) : shown;
    } finally {
      release();
      await ignoreFailure(log.release());
      await ignoreFailure(place.withdraw?.(id));
      this.#running.delete(id);
    }
  }

  #lost(id: string): MediaError {
    this.#options.jobs.remove(id);
    const sentence = l10n.t(
      'Another window took over this job while this one was not responding. It will save the result.',
    );
    return new MediaError('save', sentence);
  }
}
