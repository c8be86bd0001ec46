import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { MediaError } from '../operations/MediaError.ts';
import { headBytes, notRecordingBecause } from '../operations/mediaType.ts';

/**
 * Makes sure that a file can be read and may be a recording.
 *
 * @returns its size in bytes
 * @throws MediaError `invalidInput` that names the field
 */
export async function checkRecording(file: string): Promise<number> {
  const fail = (problem: string, cause?: unknown): MediaError =>
    new MediaError('invalidInput', `Audio file (file): ${basename(file)} ${problem}.`, { field: 'file', cause });
  try {
    const status = await stat(file);
    if (!status.isFile()) throw fail('is no file');
    await using handle = await open(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    const problem = await notRecordingBecause(buffer.subarray(0, bytesRead));
    if (problem) throw fail(problem);
    return status.size;
  } catch (error) {
    if (error instanceof MediaError) throw error;
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw fail(missing ? 'does not exist' : 'cannot be read', error);
  }
}
