import type { Asset, RecordedInput, Usage } from '../library/LibraryRecord.ts';
import type { MediaErrorKind } from '../operations/MediaError.ts';
import type { MediaRequest, OperationId } from '../operations/operations.ts';
import type { Progress } from '../service/send.ts';
import type { TranscriptFormat, TranscriptTimes } from '../transcripts/formatTranscript.ts';
import type { SentKey } from './repeatable.ts';
/**
 * Final states: running again creates a new job. `unknown` means that the request was sent, but its outcome is not
 * known.
 */
export type EndState = 'done' | 'failed' | 'cancelled' | 'unknown';
export type JobState = ('queued' | 'sending' | 'waiting' | 'downloading' | 'saving') | EndState;

/** Where a job's files go. Plain JSON, valid in later windows. */
export interface PlaceReference {
  /** URI of the workspace folder, or of a folder that the person chose when none was open. */
  readonly root: string;
  /** Whether the root was chosen because no folder was open. */
  readonly isChosen?: boolean;
  /** Whether the library is in the extension's own storage instead of the root. */
  readonly isPrivate?: boolean;
  /** Target folder, relative to the root, with forward slashes. */
  readonly path: string;
  /** Pattern of the file names. */
  readonly fileName: string;
  /**
   * File name to use instead of the pattern. A result of another type is converted if possible, and otherwise gets the
   * extension of its type. A number is added when the name is taken.
   */
  readonly exactName?: string;
  readonly transcriptFormat: TranscriptFormat;
  /** Whether the turns of a transcript begin with their times. Default: they do not. */
  readonly transcriptTimes?: TranscriptTimes;
  /** Folder that links in a transcript are relative to, below the root, if its file is moved there later. */
  readonly linksFrom?: string;
  /** Path of the manifest that a result is for, relative to the root. */
  readonly manifest?: string;
  /** Path of the entry that a result is for, as the manifest has it. Earlier versions did not record it. */
  readonly entry?: string;
}

/** Placeholder text in a document that a transcript replaces. */
export interface DocumentToken {
  /** URI of the document that last contained it. */
  readonly document: string;
  readonly text: string;
  /** URI of the recording if a player for it goes in front of the transcript. */
  readonly player?: string;
}

/** A text, document or recording that is made of the results of several jobs. */
export interface Whole extends Pick<JobFacts, 'request' | 'place' | 'into'> {
  /** Key by which all parts of the whole are found. */
  readonly key: string;
  /** Maximum size in bytes of the parts of a recording. */
  readonly partBytes?: number;
  /** Maximum length of the parts of a text. */
  readonly maxCharacters?: number;
  /** URI of the narrated document, if any. */
  readonly document?: string;
  /** Whether the sandbox makes it. */
  readonly sandbox?: boolean;
  /**
   * Key of the note that parts of it were sent. It depends neither on their length nor on where the project is, unlike
   * `key`, so that another computer, another setting and a renamed folder find it.
   */
  readonly note?: string;
  /** Path of the manifest entry that the part is for. The request then has the path of a document, not its text. */
  readonly entry?: string;
}

/** Properties of a job that do not change. */
export interface JobFacts {
  readonly id: string;
  /**
   * Key of the paid work: a hash of what is sent, where the same request must never be paid for twice; the job's id
   * where a person asks anew.
   */
  readonly key: string;
  readonly operation: OperationId;
  /** The request. Images are `http(s):` URLs, or `file:` URLs of the copies in the job's folder. */
  readonly request: MediaRequest;
  /** Creation time, ISO 8601 in UTC. */
  readonly createdAt: string;
  readonly place: PlaceReference;
  /** Whether the job runs in the sandbox. */
  readonly sandbox: boolean;
  /** The narration or transcript that this job is a part of. */
  readonly whole?: Whole;
  /** File that is sent for the recording: its copy, or its sound. It is removed when the request has ended. */
  readonly sentFile?: string;
  /** What the request is made from, as the library records it; known once the files are copied. */
  readonly inputs?: readonly RecordedInput[];
  /** Where in a document the transcript goes. */
  readonly into?: DocumentToken;
  /** The agent that requested the job. */
  readonly agent?: AgentFacts;
  /** Whether it sends a request again whose outcome is unknown. */
  readonly isRepeated?: true;
  /** Ids of the jobs of earlier attempts, which may be noted in other places. */
  readonly earlier?: readonly string[];
  /** The key that the request is sent under; before that, the one of an earlier attempt that it repeats. */
  readonly idempotencyKey?: SentKey;
  /**
   * Hash of what the request of an agent sends. A repeated call finds the work by it, whatever its key is, also after a
   * person has run the job again.
   */
  readonly contentKey?: string;
}

/** The agent that requested a job. */
interface AgentFacts {
  /** Name that the person sees; one line. */
  readonly name: string;
  /** Purpose of the job in the agent's words; one line. */
  readonly purpose?: string;
  /** Id of the agent's request, which may take several jobs. */
  readonly call: string;
}

export interface JobError {
  readonly kind: MediaErrorKind;
  readonly message: string;
  readonly status?: number;
  readonly requestId?: string;
  readonly mayBeBilled: boolean;
  /** Whether raw data from the service is all that can be saved. */
  readonly hasRawAnswer?: boolean;
}

/** Current state of a job according to its journal. */
export interface JobRecord extends JobFacts {
  readonly state: JobState;
  readonly error?: JobError;
  /** Assets saved so far, by their index in the answer. */
  readonly assets: Readonly<Record<number, Asset>>;
  /** Whether an answer is kept whose results are not all saved. Saving them costs nothing. */
  readonly hasAnswer: boolean;
  /** Whether raw data from the service is kept: an answer, part of one, or a result of unknown type. */
  readonly hasRawAnswer?: boolean;
}

/** How far a job is. */
export type JobProgress =
  | Exclude<Progress, { readonly stage: 'waiting' }>
  /** `status` as the service words it and `progress` in percent, if the service reports them. */
  | { readonly stage: 'waiting'; readonly status?: string; readonly progress?: number }
  | { readonly stage: 'saving'; readonly file: number; readonly files: number };

/** How long jobs that failed or were cancelled stay in the list, in milliseconds. Their inputs are kept for as long. */
export const jobKeptMs = 30 * 24 * 60 * 60 * 1000;

/** Current state of a job. */
export interface Job extends JobRecord {
  /** Progress while it runs. */
  readonly progress?: JobProgress;
  /** Cost and usage that the service reported. */
  readonly usage?: Usage;
  /** Set while the job waits for the person to confirm it. */
  readonly waitsForPerson?: true;
}

/** Number of finished jobs that the list keeps; their results are in the library. */
const maxDone = 100;

/** The jobs of this window and those left by earlier windows. */
export class JobList {
  readonly #jobs = new Map<string, Job>();
  readonly #listeners = new Set<(id: string) => void>();

  /** All jobs, newest first. */
  get all(): readonly Job[] {
    return [...this.#jobs.values()].sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  }

  get(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  set(job: Job): void {
    this.#jobs.set(job.id, job);
    this.#notify(job.id);
    if (job.state === 'done') this.#forgetOldest();
  }

  /** Changes some properties of a job if it is in the list. */
  update(id: string, facts: Partial<Job>): void {
    const job = this.#jobs.get(id);
    if (job) this.set({ ...job, ...facts });
  }

  remove(id: string): void {
    if (this.#jobs.delete(id)) this.#notify(id);
  }

  /**
   * Calls the listener with the id of each job that is added, changed or removed. A running job changes with each
   * chunk.
   */
  onDidChange(listener: (id: string) => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  #forgetOldest(): void {
    const done = this.all.filter(({ state }) => state === 'done');
    for (const { id } of done.slice(maxDone)) this.remove(id);
  }

  #notify(id: string): void {
    for (const listener of this.#listeners) {
      try {
        listener(id);
      } catch {
        // A listener must not break a job that may be paid for.
      }
    }
  }
}

/** Whether a job has not ended yet. */
export function isRunning({ state }: Pick<Job, 'state'>): boolean {
  return state !== 'done' && state !== 'failed' && state !== 'cancelled' && state !== 'unknown';
}

/** Words for what can be done with a job. The `when` clauses of the commands on jobs match them. */
export function traitsOf(job: Job): readonly string[] {
  const { state, waitsForPerson, hasAnswer, hasRawAnswer } = job;
  const isOver = !isRunning(job);
  return [
    waitsForPerson ? 'waits' : !isOver ? 'running' : state === 'done' ? state : 'ended',
    ...(isOver && hasAnswer ? ['answer'] : []),
    ...(isOver && hasRawAnswer ? ['raw'] : []),
  ];
}
