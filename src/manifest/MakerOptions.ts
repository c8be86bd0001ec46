import type { RunProgress } from '../work/JobRun.ts';
import type { JobRunner } from '../work/JobRunner.ts';
import type { Limits } from '../work/runJob.ts';

export interface MakerOptions {
  readonly runner: JobRunner;
  readonly limits: Limits;
  readonly sandbox: boolean;
  /** Whether the library is kept outside of the project. */
  readonly isPrivate?: boolean | undefined;
  /** Whether to repeat requests whose outcome is unknown, and to give up paid answers that cannot be used. */
  readonly again: boolean;
  readonly signal: AbortSignal;
  onProgress(path: string, progress: RunProgress): void;
  onNotice(path: string, sentence: string): void;
}
