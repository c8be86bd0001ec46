import type { MediaRequest } from '../../operations/operations.ts';
import type { JobList } from '../JobList.ts';
import type { RunOptions } from '../JobRun.ts';
import type { JobInput, JobRunner } from '../JobRunner.ts';
import type { Place } from '../Place.ts';

export type RecordingRequest = MediaRequest<'transcribe' | 'translate'>;

export type RecordingInput = JobInput & { readonly request: RecordingRequest };

export interface TranscribeOptions extends RunOptions {
  readonly runner: Pick<JobRunner, 'run' | 'downloadAgain' | 'adopt' | 'dismiss'>;
  readonly jobs: Pick<JobList, 'all' | 'onDidChange'>;
  readonly place: Place;
  /** The extension's own folder for finished transcripts of parts. */
  readonly recordingsFolder: string;
  /** Whether to send only the sound of a video. */
  readonly soundOnly: boolean;
  /** Larger recordings are sent in parts; 0 to do so only after the service has refused the whole. */
  readonly maxBytes: number;
  /** Asks whether the recording may be sent in parts; undefined when no person is present. */
  readonly mayCut?: ((question: CutQuestion) => Promise<boolean>) | undefined;
  /** Id of the job that sends the whole recording, if the caller needs to know it in advance. */
  readonly id?: string | undefined;
  /** Milliseconds without progress after which reading a recording is given up; for tests. */
  readonly quietMs?: number;
}

/** Facts for asking whether to send a recording in parts that the service refused as too large. */
export interface CutQuestion {
  /** Size of the refused file. */
  readonly bytes: number;
  readonly parts: number;
  /** Maximum size of a part. */
  readonly partBytes: number;
}
