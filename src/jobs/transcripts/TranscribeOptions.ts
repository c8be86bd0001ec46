import type { MediaRequest } from '../../operations/operations.ts';
import type { JobList } from '../JobList.ts';
import type { RunOptions } from '../JobRun.ts';
import type { JobInput, JobRunner } from '../JobRunner.ts';
import type { Place } from '../saveResults.ts';

export type RecordingRequest = MediaRequest<'transcribe' | 'translate'>;

export type RecordingInput = JobInput & { readonly request: RecordingRequest };

export interface TranscribeOptions extends RunOptions {
  readonly runner: Pick<JobRunner, 'run' | 'downloadAgain' | 'dismiss'>;
  readonly jobs: Pick<JobList, 'all' | 'onDidChange'>;
  readonly place: Place;
  /** The extension's own folder, where transcripts of parts wait for the others. */
  readonly recordingsFolder: string;
  /** Whether only the sound of a video is sent. */
  readonly soundOnly: boolean;
  /** Longer recordings are sent in parts; 0 = only after the service refused the whole. */
  readonly maxBytes: number;
  /** Asks whether the recording may be sent in parts; undefined where nobody is there to answer. */
  readonly mayCut?: ((question: CutQuestion) => Promise<boolean>) | undefined;
  /** The id of the job that sends the whole, where it is known before. */
  readonly id?: string | undefined;
  /** Reads recordings in another way; for tests. */
  readonly quietMs?: number;
}

/** What a person is asked whose recording the service refused as too large. */
export interface CutQuestion {
  /** What was sent. */
  readonly bytes: number;
  readonly parts: number;
  /** The largest part has at most so many bytes. */
  readonly partBytes: number;
}
