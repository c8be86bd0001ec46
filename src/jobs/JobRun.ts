import * as l10n from '@vscode/l10n';
import type { Asset } from '../library/Asset.ts';
import type { ConvertBytes } from '../library/saveMedia.ts';
import { usageOf } from '../library/usageOf.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { Area, MediaRequest } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { AnswerBody } from '../service/AnswerBody.ts';
import { bytesOf } from '../service/AnswerBody.ts';
import type { MediaClient } from '../service/MediaClient.ts';
import type { FetchOptions } from './fetchResult.ts';
import type { JobList } from './JobList.ts';
import type { JobLog, KeptAnswer } from './JobLog.ts';
import type { JobFacts, JobRecord, PlaceReference } from './JobRecord.ts';
import { afterAnswer, afterRefusal, endStateOf, isNotUnderstood, ofJob, RefusedAnswer, recordOf } from './jobErrors.ts';
import { keepLinked } from './keepLinked.ts';
import { LeaseLost } from './LeaseLost.ts';
import type { Place } from './Place.ts';
import { checkPlace } from './Place.ts';
import { pollJob } from './pollJob.ts';
import { isSavedByOther } from './saveAsset.ts';
import type { JobProgress } from './saveResults.ts';
import { saveResults } from './saveResults.ts';

export type JobClient = Pick<MediaClient, 'exchange' | 'read' | 'download' | 'status' | 'contentUrl'>;

/** Dependencies of jobs. */
export interface JobParts {
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
}

export interface RunOptions {
  readonly signal: AbortSignal;
  /** Called with a sentence that says how the result differs from the request. */
  onNotice(sentence: string): void;
  onProgress(progress: RunProgress): void;
  /** Called when it is the job's turn. If it throws a MediaError, the job fails and nothing is sent. */
  beforeSending?(): void;
  /** Whether a person is present to answer a question. */
  readonly isAttended?: boolean;
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
  readonly #job: JobFacts;
  readonly #log: JobLog;
  readonly #unwritten: Map<string, KeptAnswer>;
  readonly #parts: JobParts;
  readonly #options: JobRunOptions;
  readonly #saved: Record<number, Asset>;
  #isSent = false;

  /** @param unwritten answers that could not be written to the journal */
  constructor(
    job: JobFacts & Pick<JobRecord, 'assets'>,
    log: JobLog,
    unwritten: Map<string, KeptAnswer>,
    parts: JobParts,
    options: JobRunOptions,
  ) {
    this.#job = job;
    this.#log = log;
    this.#unwritten = unwritten;
    this.#parts = parts;
    this.#options = options;
    this.#saved = { ...job.assets };
  }

  /** Whether the journal records that the request is being sent. */
  get isSent(): boolean {
    return this.#isSent;
  }

  /** Sends the request and keeps the answer. @throws MediaError */
  async exchange(client: JobClient): Promise<KeptAnswer> {
    const { jobs } = this.#parts;
    const { id, operation, request, sentFile } = this.#job;
    const log = this.#log;
    this.#options.beforeSending?.();
    jobs.update(id, { state: 'sending' });
    await log.sending(this.#job).catch(cannotKeep);
    this.#isSent = true;
    let isPartial = false;
    const raw = await client
      .exchange(operation, withFile(request, sentFile), {
        ...this.#options,
        openFile: () => log.openAnswer(),
        onPartial: async (part) => {
          await log.partial(part);
          isPartial = true;
        },
      })
      .catch(async (error: unknown) => {
        if (this.#options.signal.aborted) {
          isPartial = false;
          await ignoreFailure(log.discardAnswers());
        }
        const ended = ofJob(error, id, isPartial);
        jobs.update(id, { hasRawAnswer: isPartial });
        await ignoreFailure(log.ended(endStateOf(ended), recordOf(ended), false));
        throw ended;
      });
    return this.#answered({ raw, videoId: undefined });
  }

  /** Stores an answer before anything else happens to it. */
  async #answered(answer: KeptAnswer): Promise<KeptAnswer> {
    const { id } = this.#job;
    const log = this.#log;
    try {
      // Recreates a journal that was removed by accident.
      if (!(await log.read())) await log.sending(this.#job);
      await log.answered(answer.raw, answer.videoId);
      this.#unwritten.delete(id);
    } catch {
      this.#unwritten.set(id, answer);
    }
    this.#parts.jobs.update(id, { hasAnswer: true, hasRawAnswer: true });
    return answer;
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
    // The results are in the library; the prompt and inputs need not stay here.
    await ignoreFailure(this.#log.remove());
    this.#unwritten.delete(this.#job.id);
    return Object.values(this.#saved);
  }

  async #save(kept: KeptAnswer, opened: JobClient | undefined): Promise<void> {
    const { signal } = this.#options;
    const { placeAt, openClient } = this.#parts;
    const place = placeAt(this.#job.place);
    if (!opened) await checkPlace(place);
    const client = opened ?? (await openClient(this.#job.sandbox));
    await this.#saveAnswer(kept, client, place).catch(async (error: unknown) => {
      const isExpired = error instanceof MediaError && error.kind === 'download' && !signal.aborted;
      // The result URLs of a finished job expire; polling the job again gives new ones.
      const job = isExpired && kept.videoId !== undefined ? await this.#log.jobAnswer() : undefined;
      if (!job) throw error;
      await this.#saveAnswer(job, client, place);
    });
  }

  async #saveAnswer(kept: KeptAnswer, client: JobClient, place: Place): Promise<void> {
    const { signal, onProgress, onNotice, release } = this.#options;
    const { jobs, sleep, timeoutSeconds, convert } = this.#parts;
    const job = this.#job;
    const log = this.#log;
    const saved = this.#saved;
    const final = await pollJob(job.operation, kept, {
      client,
      signal,
      sleep,
      onProgress,
      unchangedSeconds: timeoutSeconds(operations[job.operation].area),
      onPolling: release,
      openFile: () => log.openStatus(),
      onAnswer: async (answer) => void (await this.#answered(answer)),
      onDiscard: (raw) => log.discard(raw),
      onUnclear: (raw) => log.keepRaw(0, bytesOfBody(raw.body)),
    }).catch(async (error: unknown) => {
      const latest = isNotUnderstood(error) ? await log.answer() : undefined;
      if (latest) await keepLinked(job.operation, latest.raw, { client, log, signal, sleep, onProgress });
      throw error;
    });
    jobs.update(job.id, { usage: usageOf(final.answer.usage) });
    await saveResults(job, final, {
      client,
      signal,
      sleep,
      convert,
      onProgress,
      onNotice,
      place,
      log,
      saved,
      onSaved: async (index, asset) => {
        saved[index] = asset;
        jobs.update(job.id, { assets: { ...saved } });
        await ignoreFailure(log.saved(index, asset));
      },
    });
  }

  /** Whether another window took the job over. If that window has finished the job, its folder is gone. */
  async #isTakenOver(): Promise<boolean> {
    if (!(await this.#log.isHeld())) return true;
    const place = this.#parts.placeAt(this.#job.place);
    return !(await this.#log.read()) && (await isSavedByOther(this.#job, this.#saved, place).catch(() => false));
  }

  /** Records how a job with an answer failed. @returns the error to show */
  async #failed(error: unknown, kept: KeptAnswer): Promise<MediaError> {
    const { signal } = this.#options;
    const { id } = this.#job;
    const log = this.#log;
    if (error instanceof RefusedAnswer && !signal.aborted) {
      const refused = afterRefusal(error, id);
      this.#unwritten.delete(id);
      this.#parts.jobs.update(id, { hasAnswer: false });
      await ignoreFailure(log.ended('failed', recordOf(refused), false));
      return refused;
    }
    // Try to store the answer again: there may be space now, or the folder was removed in the meantime.
    const isOnDisk = await log.answer().then(Boolean, () => false);
    const unwritten = this.#unwritten.get(id) ?? (isOnDisk ? undefined : kept);
    if (unwritten) await this.#answered(unwritten);
    const failure = afterAnswer(error, Object.values(this.#saved), {
      isCancelled: signal.aborted,
      jobId: id,
      isOnDisk: !this.#unwritten.has(id),
      hasRawResult: (await log.rawFiles().catch(() => [])).some(({ what }) => what === 'result'),
    });
    // The answer is paid for, so keep it until its results are saved.
    await ignoreFailure(log.ended(endStateOf(failure), recordOf(failure), true));
    return failure;
  }
}

/** Returns the request with another file to send. */
function withFile(request: MediaRequest, file: string | undefined): MediaRequest {
  return file !== undefined && 'file' in request ? { ...request, file } : request;
}

async function* bytesOfBody(body: AnswerBody): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield Uint8Array.from(body);
  else yield* bytesOf(body);
}

/** @throws MediaError `save`, always: the journal could not be written, so nothing was sent */
export function cannotKeep(error: unknown): never {
  throw new MediaError(
    'save',
    l10n.t("Nothing was sent, because the extension's storage cannot be written: {0}.", reasonOf(error)),
    { cause: error },
  );
}

/** Ignores a failed write. After a request was sent, a journal that cannot be written must not lose the answer. */
export async function ignoreFailure(writing: Promise<void> | undefined): Promise<void> {
  await writing?.catch(() => undefined);
}
