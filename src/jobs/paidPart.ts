import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Job, JobList } from './JobList.ts';
import { isRunning } from './JobList.ts';
import type { JobFacts } from './JobRecord.ts';
import type { RunOptions } from './JobRun.ts';
import type { JobInput, JobRunner } from './JobRunner.ts';

export interface PaidPartOptions extends RunOptions {
  readonly runner: Pick<JobRunner, 'run' | 'downloadAgain'>;
  /** Where a part may stand whose answer waits to be saved. */
  readonly jobs: Pick<JobList, 'all' | 'onDidChange'>;
  /** The extension's own folder, where parts wait for the others: a part that is there is not paid for again. */
  readonly partsFolder: string;
  /** What the part is one of. */
  readonly whole: NonNullable<JobFacts['whole']>;
}

/**
 * Runs the job of one part, unless an earlier run has left its result.
 *
 * @param name of the file, without extension: it tells what the part is made of and by what
 * @returns the path of the file, which stays until the caller removes it
 * @throws MediaError
 */
export async function paidPart(name: string, input: JobInput, options: PaidPartOptions): Promise<string> {
  const { partsFolder, runner, jobs, whole } = options;
  await mkdir(partsFolder, { recursive: true });
  const isPart = ({ place }: Job) => place.fileName === name;
  // The recovery of an earlier window may be saving it at this moment.
  await untilIdle(jobs, isPart);
  const known = await partIn(partsFolder, name);
  if (known) return known;
  const paid = jobs.all.find((job) => job.hasAnswer && isPart(job));
  if (paid) await runner.downloadAgain(paid.id, options);
  else {
    const root = pathToFileURL(partsFolder).href;
    await runner.run({ ...input, place: { ...whole.place, root, path: '', fileName: name }, whole }, options);
  }
  const saved = await partIn(partsFolder, name);
  if (!saved) throw new Error(`the part ${name} is gone`);
  return saved;
}

/** The path of a part that is on disk; what a crash has left without content is none. */
async function partIn(partsFolder: string, name: string): Promise<string | undefined> {
  for (const file of await readdir(partsFolder)) {
    const path = join(partsFolder, file);
    if (file.startsWith(`${name}.`) && (await stat(path)).size > 0) return path;
  }
  return undefined;
}

function untilIdle(jobs: PaidPartOptions['jobs'], isMeant: (job: Job) => boolean): Promise<void> {
  const isBusy = () => jobs.all.some((job) => isRunning(job) && isMeant(job));
  if (!isBusy()) return Promise.resolve();
  return new Promise((resolve) => {
    const listening = jobs.onDidChange(() => {
      if (isBusy()) return;
      listening.dispose();
      resolve();
    });
  });
}
