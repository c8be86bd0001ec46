import * as l10n from '@vscode/l10n';
import type { Asset } from '../library/Asset.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { JobLog, KeptAnswer } from './JobLog.ts';
import type { JobFacts, JobRecord } from './JobRecord.ts';
import type { JobParts, RunOptions } from './JobRun.ts';
import { ignoreFailure, JobRun } from './JobRun.ts';
import { endStateOf, ofJob, recordOf } from './jobErrors.ts';
import { LeaseLost } from './LeaseLost.ts';
import type { Place } from './Place.ts';
import { Semaphore } from './Semaphore.ts';

export interface RunningJobsOptions extends JobParts {
  maxConcurrentJobs(): number;
}

/** The jobs that run in this window, or wait for their turn. */
export class RunningJobs {
  readonly #options: RunningJobsOptions;
  readonly #semaphore: Semaphore;
  readonly #running = new Map<string, AbortController>();
  /** Answers that could not be written because the disk is full. They are lost when the window closes. */
  readonly unwritten = new Map<string, KeptAnswer>();
  /** Jobs that failed before they were sent, which are not on disk. */
  readonly unsent = new Set<string>();

  constructor(options: RunningJobsOptions) {
    this.#options = options;
    this.#semaphore = new Semaphore(() => options.maxConcurrentJobs());
  }

  /** Cancels a job of this window. Returns false when it is not running here. */
  cancel(id: string): boolean {
    const running = this.#running.get(id);
    running?.abort();
    return running !== undefined;
  }

  /** Runs `work` in turn, keeps the list up to date, and lets the job be cancelled at any time. */
  async run(
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
      run = new JobRun({ ...job, place: target }, log, this.unwritten, this.#options, {
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
        this.unsent.add(id);
        await ignoreFailure(log.remove());
      }
      throw shown instanceof MediaError ? ofJob(shown, id, shown.hasRawAnswer) : shown;
    } finally {
      release();
      await ignoreFailure(log.release());
      await this.withdraw(job);
      this.#running.delete(id);
    }
  }

  /** Removes the mark of an open job. */
  async withdraw(job: JobFacts): Promise<void> {
    await ignoreFailure(this.#placeOf(job).withdraw?.(job.id));
  }

  #placeOf({ whole, place }: JobFacts): Place {
    return this.#options.placeAt(whole?.place ?? place);
  }

  #lost(id: string): MediaError {
    this.#options.jobs.remove(id);
    const sentence = l10n.t(
      'Another window took over this job while this one was not responding. It will save the result.',
    );
    return new MediaError('save', sentence);
  }
}
