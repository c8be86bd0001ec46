import type { MediaError } from '../operations/MediaError.ts';
import type { RunOptions } from '../work/Attempt.ts';
import type { JobInput, JobRunner } from '../work/JobRunner.ts';
import { recordOf, refusedPart, UnknownOutcome } from '../work/jobErrors.ts';
import { partIn } from '../work/Work.ts';

/**
 * Checks the parts of a whole before the first of them is sent, so that nothing is paid for a whole that cannot be
 * completed.
 *
 * @throws UnknownOutcome when one was sent before, its outcome is unknown and it cannot be repeated under its key, unless
 *   the options say to send it again
 */
export async function checkOutcomes(
  keys: Iterable<string>,
  input: Pick<JobInput, 'place' | 'operation' | 'agent'>,
  runner: JobRunner,
  { again = false }: Pick<RunOptions, 'again'>,
): Promise<void> {
  const asked = { keyOrigin: runner.keyOriginFor(input) };
  const states = again ? undefined : await runner.store.statesOf(keys, input.place, asked);
  if ([...(states?.values() ?? [])].includes('unknown')) throw new UnknownOutcome();
}

/**
 * Runs the request of a part of a longer text or recording, or continues what an earlier process left of it.
 *
 * @returns the path of its result, which stays until the whole is saved
 * @throws MediaError, as {@link JobRunner.run}
 */
export async function runPart(
  input: JobInput & { readonly key: string },
  runner: JobRunner,
  options: RunOptions,
): Promise<string> {
  const { key } = input;
  const folder = runner.store.folderOf(key);
  return runner.inTurn(key, async () => {
    // This window may be recovering the part right now.
    await runner.untilIdle(key);
    const known = await partIn(folder);
    if (known !== undefined) return known;
    await runner.run(input, options);
    const saved = await partIn(folder);
    if (saved === undefined) throw new Error(`the part ${key} was saved, but its file is missing`);
    return saved;
  });
}

/**
 * Keeps the result of a part that the whole cannot use. Its request is sent again only if a person agrees; in the
 * sandbox, which is free, at once.
 *
 * @param error why it cannot be used
 * @returns the error to report, which says whether the result is kept
 */
export async function refusePart(key: string, error: MediaError, { store, jobs }: JobRunner): Promise<MediaError> {
  await using work = await store.take(key);
  const job = (await work?.read())?.record;
  if (!work || !job) return error;
  const reported = refusedPart(error, job);
  const known = recordOf(reported, job);
  await work.refusePart(known);
  jobs.update(job.id, { state: 'failed', error: known, hasRawAnswer: true });
  return reported;
}
