import { basename } from 'node:path';
import type { Asset } from '../library/Asset.ts';
import type { JobList } from './JobList.ts';
import type { PlaceReference } from './JobRecord.ts';
import type { RunOptions } from './JobRun.ts';
import type { JobInput, JobRunner } from './JobRunner.ts';
import type { Place } from './Place.ts';
import type { CutQuestion } from './transcripts/TranscribeOptions.ts';

export interface RunJobOptions {
  readonly runner: JobRunner;
  readonly jobs: JobList;
  placeAt(reference: PlaceReference): Place;
  /** Absolute path of the folder for finished parts of long texts. */
  readonly partsFolder: string;
  /** Longer text is spoken in parts; 0 to never split. */
  readonly speechMaxCharacters: number;
  readonly recordings: RecordingOptions;
}

interface RecordingOptions {
  /** Absolute path of the folder for finished transcripts of parts. */
  readonly folder: string;
  /** Whether to send only the sound of a video. */
  readonly soundOnly: boolean;
  /** Larger recordings are sent in parts; 0 to do so only after the service has refused the whole. */
  readonly maxBytes: number;
  /** Asks the person whether a refused recording may be sent in parts. */
  mayCut?(name: string, question: CutQuestion): Promise<boolean>;
}

/**
 * Runs one job, or several whose results are joined when the input is too long for one request.
 *
 * @param id id of the job, if the caller needs to know it in advance
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
