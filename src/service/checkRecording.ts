import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import { headBytes, notRecordingBecause } from '../operations/mediaType.ts';

/**
 * Makes sure that a file can be read and may be a recording.
 *
 * @returns its size in bytes
 * @throws MediaError `invalidInput` that names the field
 */
export async function checkRecording(file: string): Promise<number> {
  const name = basename(file);
  try {
    const status = await stat(file);
    if (!status.isFile()) throw unusable(l10n.t('{0} is no file.', name));
    await using handle = await open(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    const problem = await notRecordingBecause(name, buffer.subarray(0, bytesRead));
    if (problem) throw unusable(problem);
    return status.size;
  } catch (error) {
    throw error instanceof MediaError ? error : unreadable(file, error);
  }
}

/** The error for a file that cannot be opened. */
export function unreadable(file: string, cause: unknown): MediaError {
  const name = basename(file);
  const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
  return unusable(missing ? l10n.t('{0} does not exist.', name) : l10n.t('{0} cannot be read.', name), cause);
}

function unusable(sentence: string, cause?: unknown): MediaError {
  return new MediaError('invalidInput', `${l10n.t('Audio file')} (file): ${sentence}`, { field: 'file', cause });
}
