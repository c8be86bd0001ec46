import type { Asset } from '../library/LibraryRecord.ts';
import type { JobInput, JobRunner } from '../work/JobRunner.ts';
import type { WholeOptions } from './SpokenSoFar.ts';
import type { SpeechLimits } from './speakInParts.ts';
import type { RecordingLimits } from './transcribeRecording.ts';

/** What is sent in one request. */
export interface Limits extends RecordingLimits, SpeechLimits {}

/**
 * Runs one job, or several whose results are joined when the input is too long for one request.
 *
 * @param id the job's id, if the caller needs to know it in advance
 * @throws MediaError
 */
export async function makeAssets(
  input: JobInput,
  runner: JobRunner,
  limits: Limits,
  options: WholeOptions,
  id?: string,
): Promise<readonly Asset[]> {
  const { request, operation } = input;
  if ('file' in request) {
    const { transcribeRecording } = await import('./transcribeRecording.ts');
    return transcribeRecording({ ...input, request }, runner, limits, options, id);
  }
  if (operation !== 'speak' || !('voice' in request)) return runner.run(input, options, id);
  const { maxCharactersOf, speakInParts } = await import('./speakInParts.ts');
  const { speechKey, wholeKey } = await import('./wholeKey.ts');
  const { splitText } = await import('./splitText.ts');
  const speech = { ...input, request };
  const key = wholeKey(speechKey(speech));
  const maxCharacters = maxCharactersOf({ key, request }, await runner.store.partsOf(key), limits);
  const texts = splitText(request.input, maxCharacters);
  if (texts.length < 2) return runner.run(input, options, id);
  return speakInParts(speech, { texts, maxCharacters }, runner, options);
}
