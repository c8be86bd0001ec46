import { randomUUID } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import type { Asset } from '../library/Asset.ts';
import { MediaError } from '../operations/MediaError.ts';
import { isRunning, jobKeptMs } from './JobList.ts';
import type { JobLog, KeptAnswer, RawFile } from './JobLog.ts';
import type { JobFacts, JobRecord, PlaceReference } from './JobRecord.ts';
import type { RunOptions } from './JobRun.ts';
import { cannotKeep, ignoreFailure } from './JobRun.ts';
import type { Journal } from './Journal.ts';
import { beforeSending, lostRequest, recordOf } from './jobErrors.ts';
import { checkPlace, removeAttempts } from './Place.ts';
import type { RunningJobsOptions } from './RunningJobs.ts';
import { RunningJobs } from './RunningJobs.ts';

export type JobInput = Omit<JobFacts, 'id' | 'createdAt'>;

export interface JobRunnerOptions extends RunningJobsOptions {
  readonly journal: Journal;
}

/** Runs jobs concurrently. Each step is in the journal before it is taken. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #running: RunningJobs;
  /** Jobs that are being run again: a second click must not pay once more. */
  readonly #again = new Set<string>();

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#running = new RunningJobs(options);
  }

  /**
   * Runs one job: checks that its results can be saved, sends the request, keeps the answer, saves and records the
   * results.
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
    return this.#running.run(record, log, options, async (run) => run.finish(await run.exchange(client), client));
  }

  /** Cancels a job of this window. Returns false when it is not running here. */
  cancel(id: string): boolean {
    return this.#running.cancel(id);
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
    const answer = this.#running.unwritten.get(id) ?? (await log.answer());
    if (answer) return await this.#goOn(job, log, answer, options, place);
    throw new MediaError('invalidInput', l10n.t('This job has no unsaved results.'));
  }

  /**
   * Runs the request of an ended job again, while no other window can do the same. Afterwards removes the old job,
   * unless it has unsaved results.
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
    if (jobs.get(id)?.state === 'done' || this.#running.unsent.has(id)) {
      const job = this.#find(id);
      const result = await work(job);
      if (job.state !== 'done') await this.dismiss(id);
      return result;
    }
    const knew = jobs.get(id)?.hasAnswer;
    const { job, log } = await this.#take(id);
    await using _ = log;
    if (job.hasAnswer && !knew) {
      // `recover` saves an answer that no window works on.
      if (isRunning(job)) jobs.remove(id);
      else jobs.set(job);
      throw new MediaError(
        'invalidInput',
        l10n.t('Nothing was sent, because the answer of this job has arrived in the meantime. Saving it is free.'),
      );
    }
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
    if (known && known.state !== 'done' && !this.#running.unsent.has(id)) {
      // On a full disk no lease can be taken, but dismissing jobs frees space.
      const taken = await this.#take(id).catch((error: unknown) => {
        if (error instanceof MediaError) throw error;
        return { log: journal.withoutLease(known) };
      });
      await taken.log.remove();
      await this.#running.withdraw(known);
    }
    this.#running.unwritten.delete(id);
    this.#running.unsent.delete(id);
    jobs.remove(id);
  }

  /** Reads an ended job again, because another window may have continued or removed it. */
  async refresh(id: string): Promise<void> {
    const { jobs, journal } = this.#options;
    const known = jobs.get(id);
    const isOnDisk = known && !isRunning(known) && known.state !== 'done' && !this.#running.unsent.has(id);
    if (!isOnDisk || this.#running.unwritten.has(id)) return;
    const job = await journal.read(known).catch(() => known);
    // It may have started to run here in the meantime.
    if (jobs.get(id) !== known) return;
    if (!job) jobs.remove(id);
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

  /** Returns the jobs of these folders that are not in the list: another process works on them, or seems to. */
  others(roots: readonly string[]): Promise<readonly JobRecord[]> {
    const { journal, jobs } = this.#options;
    return journal.jobsOf(roots, (id) => jobs.get(id) !== undefined);
  }

  /**
   * Lists a folder's jobs of other windows that this one does not know yet, as {@link recover} does.
   *
   * @param isWanted selects the jobs
   * @throws MediaError `invalidInput` while another window works on one of them
   */
  async adopt(root: string, isWanted: (job: JobRecord) => boolean, signal: AbortSignal): Promise<void> {
    const { journal, jobs } = this.#options;
    for (const job of (await this.others([root])).filter(isWanted)) {
      if (!isRunning(job)) await this.#showEnded(job);
      else if (!(await this.#recover(job, signal)) && !jobs.get(job.id) && (await journal.read(job))) {
        throw new MediaError('invalidInput', l10n.t('Another window is working on this job.'));
      }
    }
  }

  async #showEnded(job: JobRecord): Promise<void> {
    // A paid result that is not saved never expires.
    const isOld = !job.hasAnswer && Date.now() - Date.parse(job.createdAt) > jobKeptMs;
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
      await this.#running.withdraw(job);
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
    if (this.#running.unwritten.has(id)) return { job, log: await journal.createIfPossible(job) };
    const log = await journal.take(job);
    const current = await journal.read(job);
    if (log && current) return { job: current, log };
    await log?.release();
    if (current) throw new MediaError('invalidInput', l10n.t('Another window is working on this job.'));
    jobs.remove(id);
    throw new MediaError('invalidInput', l10n.t('Another window has already dismissed or saved this job.'));
  }

  /** Saves the results of an answer that an earlier run left behind. */
  #goOn(
    job: JobRecord,
    log: JobLog,
    answer: KeptAnswer,
    options: RunOptions,
    place = job.place,
  ): Promise<readonly Asset[]> {
    return this.#running.run(job, log, options, (run) => run.finish(answer), place);
  }
}
