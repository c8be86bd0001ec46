import type { Asset } from '../library/Asset.ts';
import type { TranscriptFormat } from '../library/formatTranscript.ts';
import type { MediaErrorKind } from '../operations/MediaError.ts';
import type { MediaRequest, OperationId } from '../operations/operations.ts';

export type RunningState = 'queued' | 'sending' | 'waiting' | 'downloading' | 'saving';
/** Ends are final: running again makes a new job. `unknown`: the request was out and nobody knows what became of it. */
export type EndState = 'done' | 'failed' | 'cancelled' | 'unknown';
export type JobState = RunningState | EndState;

/** Where a job's files go, in words that outlive the window. */
export interface PlaceReference {
  /** URI of the workspace folder, or of the folder that was chosen where none is open. */
  readonly root: string;
  /** The folder for the files, relative to it, with forward slashes. */
  readonly path: string;
  /** The pattern of file names. */
  readonly fileName: string;
  readonly transcriptFormat: TranscriptFormat;
}

/** What a job is, from the beginning to the end. */
export interface JobFacts {
  readonly id: string;
  readonly operation: OperationId;
  readonly request: MediaRequest;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly place: PlaceReference;
  /** Whether the sandbox runs it. */
  readonly sandbox: boolean;
  /** What a job that speaks a part of a long text belongs to. */
  readonly whole?: Pick<JobFacts, 'request' | 'place'>;
}

export interface JobError {
  readonly kind: MediaErrorKind;
  readonly message: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly mayBeBilled: boolean;
}

/** A job as it stands: what the journal tells of it. */
export interface JobRecord extends JobFacts {
  readonly state: JobState;
  readonly error?: JobError | undefined;
  /** Saved so far, by their place in the answer. */
  readonly assets: Readonly<Record<number, Asset>>;
  /** Whether a paid answer waits whose results are not all saved: to save them costs nothing. */
  readonly hasAnswer: boolean;
}
