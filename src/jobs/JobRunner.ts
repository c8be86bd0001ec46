import { randomUUID } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import type { Asset } from '../library/Asset.ts';
import { usageOf } from '../library/usageOf.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { MediaClient } from '../service/MediaClient.ts';
import type { FetchOptions } from './fetchResult.ts';
import type { Job, JobList } from './JobList.ts';
import { isRunning } from './JobList.ts';
import type { JobFacts, JobRecord, PlaceReference } from './JobRecord.ts';
import type { Journal, KeptAnswer } from './Journal.ts';
import { afterAnswer, beforeSending, endStateOf, lostRequest, ofJob, recordOf } from './jobErrors.ts';
import { pollVideo } from './pollVideo.ts';
import { Slots } from './Slots.ts';
import type { JobProgress, Place } from './saveResults.ts';
import { checkPlace, saveResults } from './saveResults.ts';

export type JobInput = Omit<JobFacts, 'id' | 'createdAt'>;

export interface JobRunnerOptions {
  readonly journal: Journal;
  /** Where each job can be seen. */
  readonly jobs: JobList;
  /** A client for the sandbox or the remote service. */
  openClient(sandbox: boolean): Promise<Pick<MediaClient, 'exchange' | 'read' | 'download' | 'status' | 'contentUrl'>>;
  placeAt(reference: PlaceReference): Place;
  maxConcurrentJobs(): number;
  readonly sleep?: FetchOptions['sleep'];
}

export interface RunOptions {
  readonly signal: AbortSignal;
  /** Called with what is not as it was asked for, as a sentence. */
  onNotice(sentence: string): void;
  onProgress(progress: JobProgress): void;
}

type Client = Awaited<ReturnType<JobRunnerOptions['openClient']>>;

/** How often other windows are told that this one still works on its jobs, in milliseconds. */
const heartbeat = 20_000;

/** How long what went wrong can be looked up, in milliseconds. */
const keptFor = 30 * 24 * 60 * 60 * 1000;

/** Runs jobs side by side; the journal is always ahead of what is done. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #slots: Slots;
  readonly #running = new Map<string, AbortController>();
  /** Answers that the journal could not take, because the disk is full: they last as long as the window. */
  readonly #unwritten = new Map<string, KeptAnswer>();

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#slots = new Slots(() => options.maxConcurrentJobs());
  }

  /**
   * Runs one job: proves that its results can be saved, sends the request, keeps the answer, saves and records what is in it.
   *
   * @returns an asset per file, in the order of the answer
   * @throws MediaError
   */
  async run(input: JobInput, options: RunOptions): Promise<readonly Asset[]> {
    const job: JobFacts = { ...input, id: randomUUID(), createdAt: new Date().toISOString() };
    await checkPlace(this.#options.placeAt(job.place)).catch((error: unknown) => {
      throw beforeSending(error);
    });
    const client = await this.#options.openClient(job.sandbox);
    return this.#inSlot({ ...job, assets: {}, hasAnswer: false, state: 'queued' }, options, async (own) => {
      const answer = await this.#exchange(job, client, own);
      return this.#finish({ ...job, assets: {} }, answer, async () => client, own);
    });
  }

  /** Stops a job of this window; false when it is not running here. */
  cancel(id: string): boolean {
    const running = this.#running.get(id);
    running?.abort();
    return running !== undefined;
  }

  /**
   * Saves what a job's answer holds and is not saved yet, which costs nothing.
   *
   * @param place where to save it, if not where it was meant to be
   * @throws MediaError
   */
  async downloadAgain(id: string, options: RunOptions, place?: PlaceReference): Promise<readonly Asset[]> {
    const { jobs, journal } = this.#options;
    const answer = this.#unwritten.get(id) ?? (await journal.answer(id));
    // Asked for twice, the second finds the first at work: nothing is waited for from here to its start.
    const known = jobs.get(id);
    if (known && isRunning(known)) throw new MediaError('invalidInput', l10n.t('This job is still running.'));
    if (!known || !answer) throw new MediaError('invalidInput', l10n.t('Nothing of this job waits to be saved.'));
    return this.#goOn(place ? { ...known, place } : known, answer, options);
  }

  /** Takes a job that has ended off the list, with the answer that may wait. */
  async dismiss(id: string): Promise<void> {
    const { jobs, journal } = this.#options;
    const job = jobs.get(id);
    if (job && isRunning(job)) {
      throw new MediaError('invalidInput', l10n.t('This job is still running: cancel it first.'));
    }
    await journal.remove(id);
    this.#unwritten.delete(id);
    jobs.remove(id);
  }

  /**
   * Goes on with what an earlier window left: answers that are in are saved, requests that were out are `unknown`.
   *
   * Can be repeated: what another process works on is left alone as long as that lives.
   *
   * @param onEnded called with each job that was still open, as it then stands
   * @returns all of these
   */
  async recover(signal: AbortSignal, onEnded: (job: Job) => void = () => undefined): Promise<readonly Job[]> {
    const { journal, jobs } = this.#options;
    const left = (await journal.readAll()).filter(({ id }) => !jobs.get(id));
    // What was paid for and is not saved is never old.
    const isOld = (job: JobRecord) =>
      !isRunning(job) && !job.hasAnswer && Date.now() - Date.parse(job.createdAt) > keptFor;
    const old = left.filter(isOld);
    await Promise.all(old.map(({ id }) => journal.remove(id)));
    for (const job of left) if (!old.includes(job)) jobs.set(job);
    const options: RunOptions = { signal, onProgress: () => undefined, onNotice: () => undefined };
    return Promise.all(
      left.filter(isRunning).map(async (job) => {
        const ended = await this.#recover(job, options);
        onEnded(ended);
        return ended;
      }),
    );
  }

  async #recover(job: JobRecord, options: RunOptions): Promise<Job> {
    const { journal, jobs } = this.#options;
    const answer = await journal.answer(job.id);
    if (!answer) {
      const error = recordOf(lostRequest(job.id));
      jobs.update(job.id, { state: 'unknown', error });
      // A process that seemed dead may only have slept: what it has of an answer is not touched.
      await tried(journal.ended(job.id, 'unknown', error, await journal.hasLivingOwner(job.id)));
    } else {
      // What went wrong is in the list, and in the journal.
      await this.#goOn(job, answer, options).catch(() => undefined);
    }
    return jobs.get(job.id) ?? job;
  }

  /** Saves what an earlier run has left of an answer. */
  #goOn(job: Job, answer: KeptAnswer, options: RunOptions): Promise<readonly Asset[]> {
    const prepare = async () => {
      await checkPlace(this.#options.placeAt(job.place));
      return this.#options.openClient(job.sandbox);
    };
    return this.#inSlot(job, options, (own) => this.#finish(job, answer, prepare, own));
  }

  /** Shows a job from its first moment to its end, and lets it be cancelled at any. */
  async #inSlot(
    job: Job,
    { signal, onProgress, onNotice }: RunOptions,
    work: (options: RunOptions) => Promise<readonly Asset[]>,
  ): Promise<readonly Asset[]> {
    const { id } = job;
    const { jobs, journal } = this.#options;
    const abort = new AbortController();
    const own: RunOptions = {
      signal: AbortSignal.any([signal, abort.signal]),
      onNotice,
      onProgress: (progress) => {
        jobs.update(id, { progress, state: progress.stage === 'repeating' ? 'waiting' : progress.stage });
        onProgress(progress);
      },
    };
    jobs.set({ ...job, state: 'queued', error: undefined, progress: undefined });
    const alive = setInterval(() => journal.touch(id).catch(() => undefined), heartbeat);
    this.#running.set(id, abort);
    try {
      const assets = await this.#slots.run(own.signal, () => work(own));
      jobs.update(id, { state: 'done', assets: { ...assets }, progress: undefined, hasAnswer: false });
      return assets;
    } catch (error) {
      const isLate = own.signal.aborted && !(error instanceof MediaError);
      const told = isLate ? new MediaError('cancelled', l10n.t('Cancelled. Nothing was sent.')) : ofJob(error, id);
      jobs.update(id, { state: endStateOf(told), error: recordOf(told), progress: undefined });
      throw told;
    } finally {
      clearInterval(alive);
      this.#running.delete(id);
    }
  }

  async #exchange(job: JobFacts, client: Client, options: RunOptions): Promise<KeptAnswer> {
    const { journal, jobs } = this.#options;
    jobs.update(job.id, { state: 'sending' });
    await journal.sending(job).catch((error: unknown) => {
      throw new MediaError(
        'save',
        l10n.t("Nothing was sent: the extension's storage cannot be written ({0}).", reasonOf(error)),
        { cause: error },
      );
    });
    const openFile = () => journal.openAnswer(job.id);
    const raw = await client
      .exchange(job.operation, job.request, { ...options, openFile })
      .catch(async (error: unknown) => {
        await tried(journal.ended(job.id, endStateOf(error), recordOf(error), false));
        throw error;
      });
    return this.#answered(job.id, { raw, videoId: undefined });
  }

  /** Keeps an answer before anything else happens to it. */
  async #answered(id: string, answer: KeptAnswer): Promise<KeptAnswer> {
    try {
      await this.#options.journal.answered(id, answer.raw, answer.videoId);
      this.#unwritten.delete(id);
    } catch {
      this.#unwritten.set(id, answer);
    }
    this.#options.jobs.update(id, { hasAnswer: true });
    return answer;
  }

  /** From the answer on nothing costs anything. */
  async #finish(
    job: JobFacts & Pick<JobRecord, 'assets'>,
    kept: KeptAnswer,
    prepare: () => Promise<Client>,
    { signal, onProgress, onNotice }: RunOptions,
  ): Promise<readonly Asset[]> {
    const { journal, sleep } = this.#options;
    const saved: Record<number, Asset> = { ...job.assets };
    try {
      const client = await prepare();
      const answer = await pollVideo(job.operation, kept, {
        client,
        signal,
        onProgress,
        sleep,
        onAnswer: async (final) => void (await this.#answered(job.id, final)),
      });
      this.#options.jobs.update(job.id, { usage: usageOf(answer.usage) });
      await saveResults(job, answer, {
        source: kept.raw.source,
        client,
        signal,
        onProgress,
        onNotice,
        saved,
        place: this.#options.placeAt(job.place),
        sleep,
        journal,
        onSaved: async (index, asset) => {
          saved[index] = asset;
          this.#options.jobs.update(job.id, { assets: { ...saved } });
          await tried(journal.saved(job.id, index, asset));
        },
      });
    } catch (error) {
      // There may be room now.
      const unwritten = this.#unwritten.get(job.id);
      if (unwritten) await this.#answered(job.id, unwritten);
      const isOnDisk = !this.#unwritten.has(job.id);
      const told = afterAnswer(error, Object.values(saved), { isCancelled: signal.aborted, jobId: job.id, isOnDisk });
      // The answer was paid for: it stays until its results are saved.
      await tried(journal.ended(job.id, signal.aborted ? 'cancelled' : 'failed', recordOf(told), true));
      throw told;
    }
    // What it made is in the library; its prompt and inputs need not stay here.
    await tried(journal.remove(job.id));
    this.#unwritten.delete(job.id);
    return Object.values(saved);
  }
}

/** Once a request is out, a journal that cannot be written must not lose the answer that is in memory. */
async function tried(writing: Promise<void>): Promise<void> {
  await writing.catch(() => undefined);
}
