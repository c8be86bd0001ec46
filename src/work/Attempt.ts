import type { Agreed } from '../files/AgreedFile.ts';
import type { Asset } from '../library/LibraryRecord.ts';
import type { ConvertBytes } from '../library/saveMedia.ts';
import { type Area, type MediaRequest, type OperationId, operations } from '../operations/operations.ts';
import type { AnswerSource } from '../service/Answer.ts';
import type { MediaClient } from '../service/MediaClient.ts';
import { type FetchOptions, fetchResult } from './fetchResult.ts';
import type { JobFacts, JobList, JobProgress, JobRecord, PlaceReference } from './Job.ts';
import { LeaseLost } from './Lease.ts';
import { type Place, placeOfPart } from './Place.ts';
import type { KeyOrigin } from './repeatable.ts';
import { keyBeside, type Store } from './Store.ts';
import type { KeptAnswer, Work } from './Work.ts';

export type JobClient = Pick<MediaClient, 'exchange' | 'fingerprint' | 'read' | 'download' | 'status' | 'contentUrl'>;

/** Dependencies of jobs. */
export interface JobParts {
  readonly store: Store;
  /** The list that shows the jobs. */
  readonly jobs: JobList;
  maxConcurrentJobs(): number;
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

/** Progress of a run; the `share` of preparing a recording is 0 to 1, and paragraphs are counted from 1. */
export type RunProgress =
  | JobProgress
  | { readonly stage: 'preparing'; readonly share: number }
  | { readonly stage: 'speaking'; readonly paragraph: number; readonly paragraphs: number };

/** One attempt of the process that holds a job's lease: the request is sent, or what it has paid for is saved. */
export class Attempt {
  /** The job as it is now: its idempotency key is known when it is sent. */
  job: JobFacts;
  /** The work that holds the answer. If the answer came late, this is not the work that the attempt began with. */
  work: Work;
  /** Whether the journal records that the request is being sent. */
  isSent = false;
  /** Results already saved, by their index in the answer. */
  readonly saved: Record<number, Asset>;
  readonly parts: JobParts;
  readonly options: RunOptions;
  /** Lets the next job start while this one only polls. */
  readonly release: () => void;
  readonly #unwritten: Map<string, KeptAnswer>;

  /** @param unwritten answers that could not be written to the journal */
  constructor(
    job: JobFacts & Pick<JobRecord, 'assets'>,
    work: Work,
    unwritten: Map<string, KeptAnswer>,
    parts: JobParts,
    options: RunOptions,
    release: () => void,
  ) {
    this.job = job;
    this.work = work;
    this.#unwritten = unwritten;
    this.parts = parts;
    this.options = options;
    this.release = release;
    this.saved = { ...job.assets };
    work.limitTo(job.id);
  }

  /** Where the results go; a part waits in its own folder for the others. */
  get place(): Place {
    return this.job.whole ? placeOfPart(this.work.folder) : this.parts.placeAt(this.job.place);
  }

  /** How long the service may report the same state, or be unreachable. */
  get unchangedSeconds(): number {
    return this.parts.timeoutSeconds(operations[this.job.operation].area);
  }

  /** The answer, if it could not be written to the journal and is in this process's memory only. */
  get unwritten(): KeptAnswer | undefined {
    return this.#unwritten.get(this.job.id);
  }

  /** Downloads what an answer links to. */
  fetch(url: string, source: AnswerSource, client: JobClient) {
    const { signal, onProgress } = this.options;
    return fetchResult(
      (from, version) => client.download(this.job.operation, url, source, { signal, onProgress, from, version }),
      { signal, onProgress, sleep: this.parts.sleep },
    );
  }

  /** Keeps an answer, before anything else happens to it: in the journal, or else in memory. */
  async keep(answer: KeptAnswer): Promise<KeptAnswer> {
    const { id } = this.job;
    const { work } = this;
    let kept: KeptAnswer | undefined = answer;
    try {
      // Recreates a journal that was removed by accident.
      if (!(await work.read())) await work.sending(this.job);
      await work.answered(answer.raw, answer.videoId, answer.results);
      this.forgetUnwritten();
    } catch (error) {
      kept = error instanceof LeaseLost ? await this.#keepLate(answer).catch(() => undefined) : undefined;
      if (!kept) this.#unwritten.set(id, answer);
    }
    this.parts.jobs.update(id, { hasAnswer: true, hasRawAnswer: true });
    return kept ?? answer;
  }

  /** Keeps an answer that arrives while another process runs the job again, as a work of its own. */
  async #keepLate(answer: KeptAnswer): Promise<KeptAnswer | undefined> {
    const key = keyBeside(this.job.key);
    const late = await this.parts.store.open(key);
    if (!late) return undefined;
    const job = { ...this.job, key };
    await late.sending(job);
    await late.answered(answer.raw, answer.videoId, answer.results);
    this.job = job;
    this.work = late;
    this.parts.jobs.update(job.id, { key });
    return late.answer();
  }

  /** Records a result that is on disk, before the next one is started. */
  async keepSaved(index: number, asset: Asset): Promise<void> {
    this.saved[index] = asset;
    this.parts.jobs.update(this.job.id, { assets: { ...this.saved } });
    await ignoreFailure(this.work.saved(index, asset));
  }

  /** Forgets an answer in memory: it is on disk, its results are saved, or it is a refusal. */
  forgetUnwritten(): void {
    this.#unwritten.delete(this.job.id);
  }
}

/** Returns the request of a job with the file that is sent for its recording. */
export function sentRequest({ request, sentFile }: Pick<JobFacts, 'request' | 'sentFile'>): MediaRequest {
  return sentFile !== undefined && 'file' in request ? { ...request, file: sentFile } : request;
}

/** Ignores a failed write. After a request was sent, a journal that cannot be written must not lose the answer. */
export async function ignoreFailure(writing: Promise<void> | undefined): Promise<void> {
  await writing?.catch(() => undefined);
}
