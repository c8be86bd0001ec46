import type { Asset } from '../library/Asset.ts';
import type { TranscriptFormat } from '../library/formatTranscript.ts';
import type { MediaErrorKind } from '../operations/MediaError.ts';
import type { MediaRequest, OperationId } from '../operations/operations.ts';

type RunningState = 'queued' | 'sending' | 'waiting' | 'downloading' | 'saving';
/**
 * Final states: running again creates a new job. `unknown` means that the request was sent, but its outcome is not
 * known.
 */
export type EndState = 'done' | 'failed' | 'cancelled' | 'unknown';
export type JobState = RunningState | EndState;

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
  /** Folder that links in a transcript are relative to, below the root, if its file is moved there later. */
  readonly linksFrom?: string;
}

/** Placeholder text in a document that a transcript replaces. */
export interface DocumentToken {
  /** URI of the document that last contained it. */
  readonly document: string;
  readonly text: string;
  /** URI of the recording if a player for it goes in front of the transcript. */
  readonly player?: string;
}

/** Properties of a job that do not change. */
export interface JobFacts {
  readonly id: string;
  readonly operation: OperationId;
  /** The request. Images are `http(s):` URLs, or `file:` URLs of the copies in the job's folder. */
  readonly request: MediaRequest;
  /** Creation time, ISO 8601 in UTC. */
  readonly createdAt: string;
  readonly place: PlaceReference;
  /** Whether the job runs in the sandbox. */
  readonly sandbox: boolean;
  /** The narration or transcript that this job is a part of. */
  readonly whole?: Pick<JobFacts, 'request' | 'place' | 'partBytes' | 'into'> & {
    /** URI of the narrated document, if any. */
    readonly document?: string;
    /** Path of the manifest entry that the part is for. The request then has the path of a document, not its text. */
    readonly entry?: string;
  };
  /** Sound file that is sent instead of the recording. It is removed when the job has ended. */
  readonly sentFile?: string;
  /** Maximum part size in bytes when a recording is sent in parts. */
  readonly partBytes?: number;
  /** Where in a document the transcript goes. */
  readonly into?: DocumentToken;
  /** The agent that requested the job. */
  readonly agent?: AgentFacts;
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
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly mayBeBilled: boolean;
  /** Whether raw data from the service is all that can be saved. */
  readonly hasRawAnswer?: boolean;
}

/** Current state of a job according to its journal. */
export interface JobRecord extends JobFacts {
  readonly state: JobState;
  readonly error?: JobError | undefined;
  /** Assets saved so far, by their index in the answer. */
  readonly assets: Readonly<Record<number, Asset>>;
  /** Whether an answer is kept whose results are not all saved. Saving them costs nothing. */
  readonly hasAnswer: boolean;
  /** Whether raw data from the service is kept: an answer, part of one, or a result of unknown type. */
  readonly hasRawAnswer?: boolean;
}
