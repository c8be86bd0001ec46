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
  /** Whether the root was chosen because no folder was open. */
  readonly isChosen?: boolean;
  /** Whether the record of what is saved stays out of the root, in the extension's own storage. */
  readonly isPrivate?: boolean;
  /** The folder for the files, relative to it, with forward slashes. */
  readonly path: string;
  /** The pattern of file names. */
  readonly fileName: string;
  readonly transcriptFormat: TranscriptFormat;
  /** The folder that the links in a transcript start from, relative to the root, where its file is moved there later. */
  readonly linksFrom?: string;
}

/** What a job is, from the beginning to the end. */
export interface JobFacts {
  readonly id: string;
  readonly operation: OperationId;
  /** Images are `http(s):` URLs, or `file:` URLs of the copies that lie in the job's folder. */
  readonly request: MediaRequest;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly place: PlaceReference;
  /** Whether the sandbox runs it. */
  readonly sandbox: boolean;
  /** The narration that this job speaks a part of; `document` is the URI of the document, where one is narrated. */
  readonly whole?: Pick<JobFacts, 'request' | 'place'> & { readonly document?: string };
}

export interface JobError {
  readonly kind: MediaErrorKind;
  readonly message: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly mayBeBilled: boolean;
  /** Whether what the service sent is all there is to save. */
  readonly hasRawAnswer?: boolean;
}

/** A job as it stands: what its journal says. */
export interface JobRecord extends JobFacts {
  readonly state: JobState;
  readonly error?: JobError | undefined;
  /** Saved so far, by their place in the answer. */
  readonly assets: Readonly<Record<number, Asset>>;
  /** Whether a paid answer waits whose results are not all saved: saving them costs nothing. */
  readonly hasAnswer: boolean;
  /** Whether anything that the service sent is kept: an answer, part of one, or a result of unknown type. */
  readonly hasRawAnswer?: boolean;
}
