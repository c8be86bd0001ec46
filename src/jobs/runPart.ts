import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Job, JobList } from './JobList.ts';
import { isRunning } from './JobList.ts';
import type { JobFacts, JobRecord } from './JobRecord.ts';
import type { RunOptions } from './JobRun.ts';
import type { JobInput, JobRunner } from './JobRunner.ts';

export interface PartOptions extends RunOptions {
  readonly runner: Pick<JobRunner, 'run' | 'downloadAgain' | 'adopt'>;
  /** The list that may hold an earlier job of the part, paid for but not saved. */
  readonly jobs: Pick<JobList, 'all' | 'onDidChange'>;
  /** The extension's own folder, where finished parts wait for the others. A part found there is not paid for again. */
  readonly partsFolder: string;
  /** The narration or transcript that the part belongs to. */
  readonly whole: NonNullable<JobFacts['whole']>;
}

/**
 * Runs the job of one part, unless its result is left over from an earlier run.
 *
 * @param name file name without extension; identifies the part's input and model
 * @returns the path of the file, which stays until the caller removes it
 * @throws MediaError
 */
export async function runPart(name: string, input: JobInput, options: PartOptions): Promise<string> {
  const { partsFolder, runner, jobs, whole } = options;
  await mkdir(partsFolder, { recursive: true });
  const isPart = ({ place }: JobRecord) => place.fileName === name;
  // Another window may have failed to save the part after this one last looked.
  await runner.adopt(whole.place.root, isPart, options.signal);
  // Recovery may be saving the part right now.
  await untilIdle(jobs, isPart);
  const known = await partIn(partsFolder, name);
  if (known) return known;
  const paid = jobs.all.find((job) => job.hasAnswer && isPart(job));
  if (paid) await runner.downloadAgain(paid.id, options);
  else {
    // The exact name is for the whole, not for its parts.
    const { exactName: _, ...shared } = whole.place;
    const place = { ...shared, root: pathToFileURL(partsFolder).href, path: '', fileName: name };
    await runner.run({ ...input, place, whole }, options);
  }
  const saved = await partIn(partsFolder, name);
  if (!saved) throw new Error(`the part ${name} was saved, but its file is missing`);
  return saved;
}

/** Returns the path of a part on disk. Removes an empty file, which a crash has left, so that the part gets its name. */
async function partIn(partsFolder: string, name: string): Promise<string | undefined> {
  for (const file of await readdir(partsFolder)) {
    const path = join(partsFolder, file);
    if (!file.startsWith(`${name}.`)) continue;
    if ((await stat(path)).size > 0) return path;
    await rm(path, { force: true });
  }
  return undefined;
}

function untilIdle(jobs: PartOptions['jobs'], isPart: (job: Job) => boolean): Promise<void> {
  const isBusy = () => jobs.all.some((job) => isRunning(job) && isPart(job));
  if (!isBusy()) return Promise.resolve();
  return new Promise((resolve) => {
    const listening = jobs.onDidChange(() => {
      if (isBusy()) return;
      listening.dispose();
      resolve();
    });
  });
}
