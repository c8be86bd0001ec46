import { randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Library } from '../library/Library.ts';
import type { Asset } from '../library/LibraryRecord.ts';
import { usageOf } from '../library/LibraryRecord.ts';
import { LocalFolder } from '../library/LocalFolder.ts';
import type { ConvertBytes } from '../library/saveMedia.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { Area, MediaRequest } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { MediaClient } from '../service/MediaClient.ts';
import type { Delivery, Place } from './deliver.ts';
import { checkPlace, deliver, isSavedByOther, keepLinked, removeAttempts } from './deliver.ts';
import type { JobFacts, JobList, JobProgress, JobRecord, PlaceReference } from './Job.ts';
import {
  afterAnswer,
  afterRefusal,
  cannotKeep,
  endStateOf,
  isNotUnderstood,
  ofJob,
  RefusedAnswer,
  recordOf,
  UnknownOutcome,
} from './jobErrors.ts';
import { LeaseLost } from './Lease.ts';
import type { FetchOptions } from './pollJob.ts';
import { bytesOfBody, pollJob } from './pollJob.ts';
import type { Store } from './Store.ts';
import { notesOf } from './Store.ts';
import type { KeptAnswer, Work } from './Work.ts';

export type JobClient = Pick<MediaClient, 'exchange' | 'read' | 'download' | 'status' | 'contentUrl'>;

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
  readonly convert?: ConvertBytes | undefined;
  /** Absolute path of a folder for paid answers that the store has no room for, where no window can hold them. */
  readonly spareFolder?: string;
}

export interface RunOptions {
  readonly signal: AbortSignal;
  /** Called with a sentence that says how the result differs from the request. */
  onNotice(sentence: string): void;
  onProgress(progress: RunProgress): void;
  /**
   * Called when it is the job's turn, with the request that is sent: its images are copies. If it throws a MediaError,
   * the job fails and nothing is sent.
   */
  beforeSending?(sent: MediaRequest): void | Promise<void>;
  /** Whether a person is present to answer a question. */
  readonly isAttended?: boolean;
  /** Whether a person has agreed to send again what may already be billed, and to give up what cannot be used. */
  readonly again?: boolean;
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
  }

  /** The folder that holds the answer; another than at first when the answer came late. */
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
    const { id, key, place, operation, request, sentFile } = this.#job;
    const work = this.#work;
    await this.#options.beforeSending?.(request);
    jobs.update(id, { state: 'sending' });
    await work.sending(this.#job).catch(cannotKeep);
    await this.#note();
    this.#isSent = true;
    let isPartial = false;
    const raw = await client
      .exchange(operation, withFile(request, sentFile), {
        ...this.#options,
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
        const ended = ofJob(error, id, isPartial);
        jobs.update(id, { hasRawAnswer: isPartial });
        await ignoreFailure(work.ended(endStateOf(ended), recordOf(ended), false));
        if (ended instanceof MediaError && !ended.mayBeBilled) await this.#parts.store.withdraw(key, place);
        throw ended;
      });
    return this.#answered({ raw, videoId: undefined });
  }

  /**
   * Notes beside the project that the request is out.
   *
   * @throws MediaError when another computer has noted the same request; nothing was sent
   */
  async #note(): Promise<void> {
    const { id, key, place, sandbox } = this.#job;
    const notes = sandbox || place.isChosen ? undefined : notesOf(place.root);
    const isNoted = notes?.put(this.#job);
    // A request without a key of its own cannot be out elsewhere.
    if (key === id) await isNoted?.catch(() => undefined);
    else if ((await isNoted?.catch(cannotKeep)) === false) throw new UnknownOutcome();
  }

  /** Stores an answer before anything else happens to it. */
  async #answered(answer: KeptAnswer): Promise<KeptAnswer> {
    const { id } = this.#job;
    const work = this.#work;
    try {
      // Recreates a journal that was removed by accident.
      if (!(await work.read())) await work.sending(this.#job);
      await work.answered(answer.raw, answer.videoId);
      this.#unwritten.delete(id);
    } catch (error) {
      const isKept = error instanceof LeaseLost && (await this.#keepLate(answer).catch(() => false));
      if (!isKept) this.#unwritten.set(id, answer);
    }
    this.#parts.jobs.update(id, { hasAnswer: true, hasRawAnswer: true });
    return answer;
  }

  /** Keeps an answer that arrives while another process runs the job again, as a work of its own. */
  async #keepLate(answer: KeptAnswer): Promise<boolean> {
    const key = `${this.#job.key}.${randomUUID()}`;
    const late = await this.#parts.store.open(key);
    if (!late) return false;
    const job = { ...this.#job, key };
    await late.sending(job);
    await late.answered(answer.raw, answer.videoId);
    this.#job = job;
    this.#work = late;
    this.#parts.jobs.update(job.id, { key });
    return true;
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
      if (!this.#job.whole) await checkPlace(place);
      await removeAttempts(place, this.#job.id).catch(() => undefined);
    }
    const client = opened ?? (await this.#parts.openClient(this.#job.sandbox));
    await this.#saveAnswer(kept, client, place).catch(async (error: unknown) => {
      const isExpired = error instanceof MediaError && error.kind === 'download' && !signal.aborted;
      // The result URLs of a finished job expire; polling the job again gives new ones.
      const job = isExpired && kept.videoId !== undefined ? await this.#work.jobAnswer() : undefined;
      if (!job) throw error;
      await this.#saveAnswer(job, client, place);
    });
  }

  async #saveAnswer(kept: KeptAnswer, client: JobClient, place: Place): Promise<void> {
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
      const refused = afterRefusal(error, id);
      this.#unwritten.delete(id);
      this.#parts.jobs.update(id, { hasAnswer: false });
      await ignoreFailure(work.ended('failed', recordOf(refused), false));
      return refused;
    }
    // Try to store the answer again: there may be space now, or the folder was removed in the meantime.
    const isOnDisk = await work.answer().then(Boolean, () => false);
    const unwritten = this.#unwritten.get(id) ?? (isOnDisk ? undefined : kept);
    if (unwritten) await this.#answered(unwritten);
    const failure = afterAnswer(error, Object.values(this.#saved), {
      isCancelled: signal.aborted,
      jobId: id,
      keptAt: this.#unwritten.has(id) ? await this.#spare(kept) : 'store',
      hasRawResult: (await work.rawFiles().catch(() => [])).some(({ what }) => what === 'result'),
    });
    // The answer is paid for, so keep it until its results are saved.
    await ignoreFailure(work.ended(endStateOf(failure), recordOf(failure), true));
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

/** Returns the folder of a part's work as a place. Nothing is recorded for a part. */
function placeOfPart({ folder: path }: Work): Place {
  const folder = new LocalFolder(path, undefined);
  return { folder, library: new Library(folder), recordedName: (name) => name };
}

/** Returns the request with another file to send. */
function withFile(request: MediaRequest, file: string | undefined): MediaRequest {
  return file !== undefined && 'file' in request ? { ...request, file } : request;
}

/** Ignores a failed write. After a request was sent, a journal that cannot be written must not lose the answer. */
export async function ignoreFailure(writing: Promise<void> | undefined): Promise<void> {
  await writing?.catch(() => undefined);
}
