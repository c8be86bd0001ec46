import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MediaRequest } from '../../operations/operations.ts';
import type { Job, JobList } from '../JobList.ts';
import { isRunning } from '../JobList.ts';
import type { JobFacts } from '../JobRecord.ts';
import type { RunOptions } from '../JobRun.ts';
import type { JobInput, JobRunner } from '../JobRunner.ts';

export type SpeechRequest = MediaRequest<'speak'>;
export type SpeechInput = JobInput & { readonly request: SpeechRequest };

export interface SpokenPartOptions extends RunOptions {
  readonly runner: Pick<JobRunner, 'run' | 'downloadAgain'>;
  /** Where a part may stand whose answer waits to be saved. */
  readonly jobs: Pick<JobList, 'all' | 'onDidChange'>;
  /** The extension's own folder, where parts wait for the others: a part that is there is not paid for again. */
  readonly partsFolder: string;
  /** What the part is one of. */
  readonly whole: NonNullable<JobFacts['whole']>;
}

/** Names what a request makes: the same words by the same model and voice, in the same format. The sandbox is kept apart. */
export function speechKey({ sandbox, request }: Pick<SpeechInput, 'sandbox' | 'request'>): string {
  const { model, input, voice, response_format } = request;
  return createHash('sha256')
    .update(JSON.stringify([sandbox, { model, input, voice, response_format }]))
    .digest('hex');
}

/**
 * Speaks one part of a longer text, unless an earlier run has left its file.
 *
 * @returns the path of the file, which stays until the caller removes it
 * @throws MediaError
 */
export async function spokenPart(input: SpeechInput, options: SpokenPartOptions): Promise<string> {
  const { partsFolder, runner, jobs, whole } = options;
  const name = speechKey(input);
  await mkdir(partsFolder, { recursive: true });
  const isPart = ({ place }: Job) => place.fileName === name;
  // The recovery of an earlier window may be saving it at this moment.
  await untilIdle(jobs, isPart);
  const known = await partIn(partsFolder, name);
  if (known) return known;
  const root = pathToFileURL(partsFolder).href;
  const paid = jobs.all.find((job) => job.hasAnswer && job.place.fileName === name);
  if (paid) await runner.downloadAgain(paid.id, options);
  else {
    // The exact name is that of the whole.
    const { exactName: _, ...shared } = whole.place;
    const place = { ...shared, root, path: '', fileName: name };
    await runner.run({ ...input, place, whole }, options);
  }
  const saved = await partIn(partsFolder, name);
  if (!saved) throw new Error(`the spoken part ${name} is gone`);
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

/** The keys of all parts that wait on disk: none of them has to be paid for. */
export async function spokenKeys(partsFolder: string): Promise<readonly { readonly key: string }[]> {
  const names = await readdir(partsFolder).catch(() => []);
  const parts = names.filter((name) => /^[0-9a-f]{64}\./.test(name));
  const sizes = await Promise.all(
    parts.map((name) =>
      stat(join(partsFolder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return parts.filter((_, index) => sizes[index] !== 0).map((name) => ({ key: name.slice(0, 64) }));
}

/** Takes away parts that were put together. */
export async function removeParts(files: readonly string[]): Promise<void> {
  await Promise.all(files.map((file) => rm(file, { force: true })));
}

function untilIdle(jobs: SpokenPartOptions['jobs'], isMeant: (job: Job) => boolean): Promise<void> {
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
