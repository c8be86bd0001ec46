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

/** What went wrong can be looked up for this long, in milliseconds. */
const keptFor = 30 * 24 * 60 * 60 * 1000;

/** Runs jobs side by side; the journal is always ahead of what is done. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #semaphore: Semaphore;
  readonly #running = new Map<string, AbortController>();
  /** Answers that the journal could not take, because the disk is full: they last as long as the window. */
  readonly #unwritten = new Map<string, KeptAnswer>();
  /** Jobs whose requests are out again: a second click must not pay once more. */
  readonly #again = new Set<string>();
  /** Jobs that failed before they were sent: nothing of them is on disk. */
  readonly #unsent = new Set<string>();

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#semaphore = new Semaphore(() => options.maxConcurrentJobs());
  }

  /**
   * Runs one job: proves that its results can be saved, sends the request, keeps the answer, saves and records its results.
   *
   * @param id a new UUID, where somebody has to know it before
   * @returns an asset per file, in the order of the answer
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
    // Images wait on disk, not in memory, for their turn.
    const request = await log.keepInputs(named).catch(async (error: unknown) => {
      await ignoreFailure(log.remove());
      return error instanceof MediaError ? Promise.reject(error) : cannotKeep(error);
    });
    const job: JobFacts = { ...named, request };
    const record: JobRecord = { ...job, assets: {}, hasAnswer: false, state: 'queued' };
    return this.#show(record, log, options, async (run) => run.finish(await run.exchange(client), client));
  }

  /** Stops a job of this window; false when it is not running here. */
  cancel(id: string): boolean {
    const running = this.#running.get(id);
    running?.abort();
    return running !== undefined;
  }

  /**
   * Saves what a job's answer holds and is not saved yet, which costs nothing; polls on where the service still works.
   *
   * @param place where to save it, if not where it was meant to be
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
   * Sends the request of a job that has ended again. Until that is over, no other window can do the same; then the old job
   * goes, unless an answer of it still waits.
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

  /** Gives what the service sent for a job that has ended, and is still kept. @throws MediaError `invalidInput` for none */
  async withRawFiles<T>(id: string, work: (files: readonly RawFile[]) => Promise<T>): Promise<T> {
    const { log } = await this.#take(id);
    await using _ = log;
    const files = await log.rawFiles();
    if (files.length > 0) return await work(files);
    throw new MediaError('invalidInput', l10n.t('Nothing that the service sent for this job is kept.'));
  }

  /** Takes a job that has ended off the list, with the answer that may wait. @throws MediaError */
  async dismiss(id: string): Promise<void> {
    const { jobs, journal } = this.#options;
    const known = jobs.get(id);
    if (known && isRunning(known)) {
      throw new MediaError('invalidInput', l10n.t('This job is still running: cancel it first.'));
    }
    if (known && known.state !== 'done' && !this.#unsent.has(id)) {
      // On a full disk nobody can take a lease, and dismissing is how to make room.
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

  /** Reads a job that has ended again: another window may have gone on with it, or removed it. */
  async refresh(id: string): Promise<void> {
    const { jobs, journal } = this.#options;
    const known = jobs.get(id);
    const isOnDisk = known && !isRunning(known) && known.state !== 'done' && !this.#unsent.has(id);
    if (!isOnDisk || this.#unwritten.has(id)) return;
    const job = await journal.read(known).catch(() => known);
    // While it was read, it may have begun to run here.
    if (jobs.get(id) !== known) return;
    if (!job) jobs.remove(id);
    else if (!isRunning(job) && (job.state !== known.state || job.hasAnswer !== known.hasAnswer)) jobs.set(job);
  }

  /**
   * Goes on with jobs whose window ended: answers that are in are saved, requests that were out are `unknown`.
   *
   * Can be repeated: what another process works on is left alone as long as that lives.
   *
   * @param roots URIs of the folders that this window shows
   * @param onEnded called with each job that was still open, as it then stands
   * @returns all of these
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
    // What was paid for and is not saved is never old.
    const isOld = !job.hasAnswer && Date.now() - Date.parse(job.createdAt) > keptFor;
    if (isOld) await (await this.#options.journal.take(job))?.remove();
    else this.#options.jobs.set(job);
  }

  /** @returns the job as it stands then; undefined when another window goes on with it */
  async #recover(found: JobRecord, signal: AbortSignal): Promise<JobRecord | undefined> {
    const { id } = found;
    const { journal, jobs } = this.#options;
    await using log = await journal.take(found);
    // Only now does nobody else change it.
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
      // What goes wrong is in the list, and in the journal.
      const options: RunOptions = { signal, onProgress: () => undefined, onNotice: () => undefined };
      await this.#goOn(job, log, answer, options).catch(() => undefined);
    }
    return jobs.get(id);
  }

  /** A job that has ended. @throws MediaError `invalidInput` */
  #find(id: string): JobRecord {
    const job = this.#options.jobs.get(id);
    if (!job) throw new MediaError('invalidInput', l10n.t('There is no such job.'));
    if (isRunning(job)) throw new MediaError('invalidInput', l10n.t('This job is still running.'));
    return job;
  }

  /** The lease of a job that has ended, and the job as its journal has it. @throws MediaError `invalidInput` */
  async #take(id: string): Promise<{ readonly job: JobRecord; readonly log: JobLog }> {
    const { jobs, journal } = this.#options;
    const job = this.#find(id);
    if (job.state === 'done') throw new MediaError('invalidInput', l10n.t('This job has no unsaved results.'));
    if (this.#unwritten.has(id)) return { job, log: await journal.createIfPossible(job) };
    const log = await journal.take(job);
    const current = await journal.read(job);
    if (log && current) return { job: current, log };
    await log?.release();
    if (current) throw new MediaError('invalidInput', l10n.t('Another window works on this job.'));
    jobs.remove(id);
    throw new MediaError('invalidInput', l10n.t('Another window has dismissed or saved this job.'));
  }

  #placeOf(job: JobFacts): Place {
    return this.#options.placeAt((job.whole ?? job).place);
  }

  /** Saves what an earlier run has left of an answer. */
  #goOn(
    job: JobRecord,
    log: JobLog,
    answer: KeptAnswer,
    options: RunOptions,
    place = job.place,
  ): Promise<readonly Asset[]> {
    return this.#show(job, log, options, (run) => run.finish(answer), place);
  }

  /** Shows a job from its first moment to its end, and lets it be cancelled at any. */
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
      const sentence = isNew ? l10n.t('Cancelled. Nothing was sent.') : l10n.t('Cancelled. The answer is still kept.');
      const shown = isEarly ? new MediaError('cancelled', sentence) : error;
      // A job that already had an answer is what it was.
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
