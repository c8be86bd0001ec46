import type { Asset } from '../library/Asset.ts';
import type { TranscriptFormat } from '../library/formatTranscript.ts';
import type { MediaErrorKind } from '../operations/MediaError.ts';
import type { MediaRequest, OperationId } from '../operations/operations.ts';

type RunningState = 'queued' | 'sending' | 'waiting' | 'downloading' | 'saving';
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
  /**
   * The name of the file, used instead of the pattern. A result of another type is converted where that is possible;
   * where it is not, it gets the extension of its type. Where the name is taken, a number follows it.
   */
  readonly exactName?: string;
  readonly transcriptFormat: TranscriptFormat;
  /** The folder that the links in a transcript start from, relative to the root, where its file is moved there later. */
  readonly linksFrom?: string;
}

/** A text in a document that a transcript replaces. */
export interface DocumentToken {
  /** URI of the document in which it stood last. */
  readonly document: string;
  readonly text: string;
  /** URI of the recording whose player goes in front of the transcript, if one does. */
  readonly player?: string;
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
  /** The narration or transcript that this job makes a part of. */
  readonly whole?: Pick<JobFacts, 'request' | 'place' | 'partBytes' | 'into'> & {
    /** The URI of the document that is narrated, where one is. */
    readonly document?: string;
  };
  /** The file that is sent in place of the recording: its sound. It goes when the job has ended. */
  readonly sentFile?: string;
  /** Set where a recording is sent in parts of at most so many bytes. */
  readonly partBytes?: number;
  /** The document that the transcript is for. */
  readonly into?: DocumentToken;
  /** The agent that asked for it. */
  readonly agent?: AgentFacts;
}

/** Who asked for a job, where that was an agent. */
interface AgentFacts {
  /** As the person knows it; one line. */
  readonly name: string;
  /** What it is for, in the agent's words; one line. */
  readonly purpose?: string;
  /** Names the request; a long text is spoken by several jobs. */
  readonly call: string;
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
