import { randomUUID } from 'node:crypto';
import type { Asset } from '../library/Asset.ts';
import { libraryFileName } from '../library/recordAsset.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { MediaRequest, OperationId } from '../operations/operations.ts';
import type { RawAnswer } from '../service/Answer.ts';
import type { MediaClient } from '../service/MediaClient.ts';
import type { FetchOptions } from './fetchResult.ts';
import type { EndState, JobError, JobFacts, JobRecord, JobState, PlaceReference } from './JobRecord.ts';
import type { Journal } from './Journal.ts';
import { Slots } from './Slots.ts';
import type { JobProgress, Place } from './saveResults.ts';
import { saveResults } from './saveResults.ts';

export interface JobInput {
  readonly operation: OperationId;
  readonly request: MediaRequest;
  readonly place: PlaceReference;
  readonly sandbox: boolean;
}

export interface JobRunnerOptions {
  readonly journal: Journal;
  /** A client for the sandbox or the remote service. */
  openClient(sandbox: boolean): Promise<Pick<MediaClient, 'exchange' | 'read' | 'download'>>;
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
  readonly #running = new Set<string>();

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
    const place = this.#options.placeAt(job.place);
    await place.folder.check();
    await place.library.check(libraryFileName);
    const client = await this.#options.openClient(job.sandbox);
    return this.#inSlot(job.id, options.signal, async () => {
      const raw = await this.#exchange(job, client, options);
      return this.#finish({ ...job, assets: {} }, raw, client, options);
    });
  }

  /**
   * Goes on with what an earlier window left: answers that are in are saved, requests that were out are `unknown`.
   *
   * @returns the jobs that ended without a person there, as they now stand
   */
  async recover(signal: AbortSignal): Promise<readonly JobRecord[]> {
    const left = await this.#options.journal.readAll();
    const old = left.filter(({ state, createdAt }) => !isOpen(state) && Date.now() - Date.parse(createdAt) > keptFor);
    await Promise.all(old.map(({ id }) => this.#options.journal.remove(id)));
    const open = left.filter(({ id, state }) => !this.#running.has(id) && isOpen(state));
    return Promise.all(
      open.map((job) => this.#recover(job, { signal, onProgress: () => undefined, onNotice: () => undefined })),
    );
  }

  async #recover(job: JobRecord, options: RunOptions): Promise<JobRecord> {
    const { journal } = this.#options;
    const raw = await journal.answer(job.id);
    if (!raw) {
      const error = new MediaError('network', unknownSentence, { mayBeBilled: true });
      await journal.ended(job.id, 'unknown', errorOf(error), false);
      return { ...job, state: 'unknown', error: errorOf(error) };
    }
    try {
      const client = await this.#options.openClient(job.sandbox);
      const assets = await this.#inSlot(job.id, options.signal, () => this.#finish(job, raw, client, options));
      return { ...job, state: 'done', assets };
    } catch (error) {
      return { ...job, state: 'failed', error: errorOf(error) };
    }
  }

  async #inSlot<T>(id: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const alive = setInterval(() => this.#options.journal.touch(id).catch(() => undefined), heartbeat);
    this.#running.add(id);
    try {
      return await this.#slots.run(signal, work);
    } catch (error) {
      throw signal.aborted && !(error instanceof MediaError) ? new MediaError('cancelled', notSent) : error;
    } finally {
      clearInterval(alive);
      this.#running.delete(id);
    }
  }

  async #exchange(job: JobFacts, client: Client, options: RunOptions): Promise<RawAnswer> {
    const { journal } = this.#options;
    await journal.sending(job);
    let raw: RawAnswer;
    try {
      raw = await client.exchange(job.operation, job.request, {
        ...options,
        openFile: () => journal.openAnswer(job.id),
      });
    } catch (error) {
      await tried(journal.ended(job.id, endStateOf(error), errorOf(error), false));
      throw error;
    }
    await tried(journal.answered(job.id, raw));
    return raw;
  }

  /** From the answer on nothing costs anything. */
  async #finish(
    job: JobFacts & Pick<JobRecord, 'assets'>,
    raw: RawAnswer,
    client: Client,
    { signal, onProgress, onNotice }: RunOptions,
  ): Promise<readonly Asset[]> {
    const { journal } = this.#options;
    const saved: Record<number, Asset> = { ...job.assets };
    try {
      const answer = await client.read(job.operation, raw);
      await saveResults(job, answer, {
        client,
        signal,
        onProgress,
        onNotice,
        saved,
        place: this.#options.placeAt(job.place),
        sleep: this.#options.sleep,
        onSaved: async (index, asset) => {
          saved[index] = asset;
          await tried(journal.saved(job.id, index, asset));
        },
      });
    } catch (error) {
      const told = afterAnswer(error, Object.values(saved), signal.aborted);
      // The answer was paid for: it stays until its results are saved.
      await tried(journal.ended(job.id, signal.aborted ? 'cancelled' : 'failed', errorOf(told), true));
      throw told;
    }
    // What it made is in the library; its prompt and inputs need not stay here.
    await tried(journal.remove(job.id));
    return Object.values(saved);
  }
}

const notSent = 'Cancelled. Nothing was sent.';
const unknownSentence =
  'The editor closed while the request was out. Nobody knows whether the service did the work; it may be billed.';

/** Once a request is out, a journal that cannot be written must not lose the answer that is in memory. */
async function tried(writing: Promise<void>): Promise<void> {
  await writing.catch(() => undefined);
}

function isOpen(state: JobState): boolean {
  return state === 'downloading' || state === 'waiting';
}

/** What went wrong after the service had answered: what is saved already, and that all of it is paid for. */
function afterAnswer(error: unknown, assets: readonly Asset[], isCancelled: boolean): MediaError {
  const kind = isCancelled ? 'cancelled' : error instanceof MediaError ? error.kind : 'save';
  const { status, requestId } = error instanceof MediaError ? error : {};
  const names = assets.map(({ uri }) => uri.slice(uri.lastIndexOf('/') + 1)).join(', ');
  const sentence = [
    isCancelled ? 'Cancelled. The service has done the work and bills it.' : reasonOf(error),
    names && `Saved all the same: ${names}.`,
  ];
  return new MediaError(kind, sentence.filter(Boolean).join(' '), {
    status,
    requestId,
    mayBeBilled: true,
    saved: assets.map(({ uri }) => uri),
    cause: error,
  });
}

/** Cancelled by the person, certainly failed, or out there somewhere. */
function endStateOf(error: unknown): EndState {
  if (!(error instanceof MediaError)) return 'failed';
  if (error.kind === 'cancelled') return 'cancelled';
  const isLost = error.kind === 'network' || error.kind === 'timeout' || error.kind === 'gatewayTimeout';
  return isLost && error.mayBeBilled ? 'unknown' : 'failed';
}

function errorOf(error: unknown): JobError {
  if (!(error instanceof MediaError)) {
    return { kind: 'save', message: reasonOf(error), mayBeBilled: true };
  }
  const { kind, message, status, requestId, mayBeBilled } = error;
  return { kind, message, status, requestId, mayBeBilled };
}
