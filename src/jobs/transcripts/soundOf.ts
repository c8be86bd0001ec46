import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { MediaError } from '../../operations/MediaError.ts';
import { operations } from '../../operations/operations.ts';
import { unusable } from '../../operations/validateRequest.ts';
import { readRecording } from '../../recordings/readRecording.ts';
import type { TranscribeOptions } from './TranscribeOptions.ts';

const [, field] = operations.transcribe.fields;

/** The file to send for a recording. */
export interface Sound {
  readonly file: string;
  readonly bytes: number;
}

/** Whether files of an extension may be videos. */
export function mayHoldPicture(extension: string): boolean {
  return ['.mp4', '.webm', '.mpeg', ...field.soundOnlyFormats.map((format) => `.${format}`)].includes(
    extension.toLowerCase(),
  );
}

/**
 * Extracts the sound of a recording that may be a video. Returns the file itself when its sound cannot be extracted.
 *
 * @param folder folder for the new file
 * @throws MediaError `invalidInput` for a video without sound, and for an unreadable video in a format that is never
 *   sent
 */
export async function soundOf(
  file: string,
  folder: string,
  { soundOnly, ...options }: TranscribeOptions,
): Promise<Sound> {
  const extension = extname(file).slice(1).toLowerCase();
  const isNeverSent = field.soundOnlyFormats.some((format) => format === extension);
  const copies = isNeverSent ? 'always' : soundOnly ? 'ofVideos' : 'never';
  const result = await readRecording({ type: 'takeSound', file, folder, copies }, reading(options));
  switch (result.type) {
    case 'parts':
      return result.parts[0] ?? (await wholeFile(file));
    case 'noSound':
      throw unusable(field, l10n.t('{0} has no sound.', basename(file)));
    case 'unreadable':
      if (isNeverSent) throw notTaken(file, extension);
      return wholeFile(file);
    case 'isSound':
      return wholeFile(file);
  }
}

/** Returns the options for reading a job's recording. */
export function reading({ signal, quietMs, onProgress }: Pick<TranscribeOptions, 'signal' | 'quietMs' | 'onProgress'>) {
  return {
    signal,
    ...(quietMs === undefined ? {} : { quietMs }),
    onProgress: (share: number) => onProgress({ stage: 'preparing', share }),
  };
}

async function wholeFile(file: string): Promise<Sound> {
  return { file, bytes: (await stat(file)).size };
}

function notTaken(file: string, extension: string): MediaError {
  const sentence = l10n.t(
    'The audio of {0} cannot be extracted, and services do not accept {1} files. Convert it to MP3 or MP4 first.',
    basename(file),
    extension.toUpperCase(),
  );
  return unusable(field, sentence);
}
