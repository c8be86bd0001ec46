import type { Job } from '../jobs/JobList.ts';
import type { JobFacts } from '../jobs/JobRecord.ts';
import type { RunOptions, RunProgress } from '../jobs/JobRun.ts';
import type { JobInput } from '../jobs/JobRunner.ts';
import type { SpeechInput } from '../jobs/speech/speechParts.ts';
import type { Asset } from '../library/Asset.ts';

/** Runs jobs with all promises of the journal. */
export interface ManifestJobs {
  /** Where jobs are written down: absolute. */
  readonly journal: string;
  /** Those that run, and those that earlier runs have left. */
  readonly all: readonly Job[];
  run(input: JobInput, options: RunOptions): Promise<readonly Asset[]>;
  downloadAgain(id: string, options: RunOptions): Promise<readonly Asset[]>;
  dismiss(id: string): Promise<void>;
  /** Absolute; parts of speech wait there for the others. */
  readonly partsFolder: string;
  /** Speaks one part of a document, unless an earlier run has left its file. @returns the path of that */
  speakBlock(input: SpeechInput, whole: NonNullable<JobFacts['whole']>, options: RunOptions): Promise<string>;
}

export interface MakerOptions {
  readonly jobs: ManifestJobs;
  readonly sandbox: boolean;
  /** Whether the library stays out of the project. */
  readonly isPrivate?: boolean | undefined;
  /** Whether requests are sent again whose outcome nobody knows. */
  readonly yes: boolean;
  readonly signal: AbortSignal;
  onProgress(path: string, progress: RunProgress): void;
  onNotice(path: string, sentence: string): void;
}
