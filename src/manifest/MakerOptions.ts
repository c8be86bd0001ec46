import type { Job } from '../jobs/JobList.ts';
import type { JobFacts } from '../jobs/JobRecord.ts';
import type { RunOptions, RunProgress } from '../jobs/JobRun.ts';
import type { JobInput } from '../jobs/JobRunner.ts';
import type { SpeechInput } from '../jobs/speech/speechParts.ts';
import type { Asset } from '../library/Asset.ts';

/** Runs jobs with a journal, so that none is lost or paid twice. */
export interface ManifestJobs {
  /** Absolute path of the journal. */
  readonly journal: string;
  /** The running jobs, and the unfinished jobs of earlier runs. */
  readonly all: readonly Job[];
  run(input: JobInput, options: RunOptions): Promise<readonly Asset[]>;
  downloadAgain(id: string, options: RunOptions): Promise<readonly Asset[]>;
  dismiss(id: string): Promise<void>;
  /** Absolute path of the folder that keeps spoken parts until all of them are there. */
  readonly partsFolder: string;
  /** Speaks one part of a document, unless an earlier run has already saved it. @returns the path of its file */
  speakBlock(input: SpeechInput, whole: NonNullable<JobFacts['whole']>, options: RunOptions): Promise<string>;
}

export interface MakerOptions {
  readonly jobs: ManifestJobs;
  readonly sandbox: boolean;
  /** Whether the library is kept outside of the project. */
  readonly isPrivate?: boolean | undefined;
  /** Whether to repeat requests whose outcome is unknown, and to give up results that the service no longer has. */
  readonly yes: boolean;
  readonly signal: AbortSignal;
  onProgress(path: string, progress: RunProgress): void;
  onNotice(path: string, sentence: string): void;
}
