import { notRecordingBecause } from '../operations/mediaType.ts';
import { operations } from '../operations/operations.ts';
import type { InputFile } from './inputFile.ts';
import { checkInputFile } from './inputFile.ts';

const [, field] = operations.transcribe.fields;

/**
 * Makes sure that a file can be read and may be a recording.
 *
 * @throws MediaError `invalidInput` that names the field
 */
export function checkRecording(path: string): Promise<InputFile> {
  return checkInputFile(field, path, notRecordingBecause);
}
