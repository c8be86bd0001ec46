import { fstat, read } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';

const readFrom = promisify(read);
const statOf = promisify(fstat);

/** A recording that is open for reading. */
export interface RecordingFile {
  /** Absolute path, from which the parts get their names. */
  readonly path: string;
  /** Size in bytes when it was opened. */
  readonly size: number;
  /** Reads from a position until the memory is full or the file ends. @returns the number of bytes read */
  read(memory: Uint8Array, position: number): Promise<number>;
}

/**
 * Reads a recording.
 *
 * @param fd descriptor of the file, if it is open already. What is at the path by now may be another file.
 */
export async function withRecording<T>(
  path: string,
  fd: number | undefined,
  work: (recording: RecordingFile) => Promise<T>,
): Promise<T> {
  await using own = fd === undefined ? await open(path) : undefined;
  const opened = fd ?? own?.fd ?? -1;
  const { size } = await statOf(opened);
  return await work({
    path,
    size,
    read: async (memory, position) => (await readFrom(opened, memory, 0, memory.length, position)).bytesRead,
  });
}
