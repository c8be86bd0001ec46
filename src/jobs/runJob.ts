import type { Asset } from '../library/Asset.ts';
import type { JobList } from './JobList.ts';
import type { PlaceReference } from './JobRecord.ts';
import type { RunOptions } from './JobRun.ts';
import type { JobInput, JobRunner } from './JobRunner.ts';
import type { Place } from './saveResults.ts';

export interface RunJobOptions {
  readonly runner: JobRunner;
  readonly jobs: JobList;
  placeAt(reference: PlaceReference): Place;
  /** Absolute; parts of long speech wait there. */
  readonly partsFolder: string;
  /** Longer text is spoken in parts; 0 for never. */
  readonly speechMaxCharacters: number;
}

/**
 * Runs one job, or for a text too long for one request several whose results are joined.
 *
 * @param id of the one job, where it is known before
 * @throws MediaError
 */
export async function runJob(
  input: JobInput,
  { runner, jobs, placeAt, partsFolder, speechMaxCharacters }: RunJobOptions,
  options: RunOptions,
  id?: string,
): Promise<readonly Asset[]> {
  const { request, operation, place } = input;
  if (operation !== 'speak' || !('voice' in request)) return runner.run(input, options, id);
  const [{ splitText }, { speakInParts }] = await Promise.all([
    import('./speech/splitText.ts'),
    import('./speech/speakInParts.ts'),
  ]);
  const parts = splitText(request.input, speechMaxCharacters);
  if (parts.length < 2) return runner.run(input, options, id);
  return speakInParts({ ...input, request }, parts, { ...options, runner, jobs, place: placeAt(place), partsFolder });
}
