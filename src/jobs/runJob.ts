import { basename } from 'node:path';
import type { Asset } from '../library/Asset.ts';
import type { JobList } from './JobList.ts';
import type { PlaceReference } from './JobRecord.ts';
import type { RunOptions } from './JobRun.ts';
import type { JobInput, JobRunner } from './JobRunner.ts';
import type { Place } from './saveResults.ts';
import type { CutQuestion } from './transcripts/TranscribeOptions.ts';

export interface RunJobOptions {
  readonly runner: JobRunner;
  readonly jobs: JobList;
  placeAt(reference: PlaceReference): Place;
  /** Absolute; parts of long speech wait there. */
  readonly partsFolder: string;
  /** Longer text is spoken in parts; 0 for never. */
  readonly speechMaxCharacters: number;
  readonly recordings: RecordingOptions;
}

export interface RecordingOptions {
  /** Absolute; transcripts of parts of a long recording wait there. */
  readonly folder: string;
  /** Whether only the sound of a video is sent. */
  readonly soundOnly: boolean;
  /** Longer recordings are sent in parts; 0 = only after the service refused the whole. */
  readonly maxBytes: number;
  /** Asks the person whether a recording that was refused may be sent in parts. */
  mayCut?(name: string, question: CutQuestion): Promise<boolean>;
}

/**
 * Runs one job, or for what is too long for one request several whose results are joined.
 *
 * @param id of the one job, where it is known before
 * @throws MediaError
 */
export async function runJob(
  input: JobInput,
  { runner, jobs, placeAt, partsFolder, speechMaxCharacters, recordings }: RunJobOptions,
  options: RunOptions,
  id?: string,
): Promise<readonly Asset[]> {
  const { request, operation, place } = input;
  if ('file' in request) {
    const { folder, mayCut, ...limits } = recordings;
    const { transcribeRecording } = await import('./transcripts/transcribeRecording.ts');
    return transcribeRecording(
      { ...input, request },
      {
        ...options,
        ...limits,
        id,
        runner,
        jobs,
        place: placeAt(place),
        recordingsFolder: folder,
        mayCut: options.isAttended && mayCut ? (question) => mayCut(basename(request.file), question) : undefined,
      },
    );
  }
  if (operation !== 'speak' || !('voice' in request)) return runner.run(input, options, id);
  const [{ splitText }, { speakInParts }] = await Promise.all([
    import('./speech/splitText.ts'),
    import('./speech/speakInParts.ts'),
  ]);
  const parts = splitText(request.input, speechMaxCharacters);
  if (parts.length < 2) return runner.run(input, options, id);
  return speakInParts({ ...input, request }, parts, { ...options, runner, jobs, place: placeAt(place), partsFolder });
}
