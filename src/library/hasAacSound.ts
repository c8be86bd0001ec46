import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';

/** More than the index of any video that a service makes; a larger one is not looked through. */
const largestIndex = 32_000_000;

/** Whether an MP4 file has sound in AAC, which VS Code cannot play; false for anything else. */
export async function hasAacSound(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const index = await readIndex(file, (await file.stat()).size);
    // The name of the sound's format in its table of formats.
    return index?.includes('mp4a', 0, 'latin1') ?? false;
  } finally {
    await file.close();
  }
}

/** The box `moov`, which stands before or behind the data. ISO/IEC 14496-12, 4.2. */
async function readIndex(file: FileHandle, size: number): Promise<Buffer | undefined> {
  const header = Buffer.alloc(16);
  for (let position = 0; position + 8 <= size; ) {
    await file.read(header, 0, 16, position);
    const short = header.readUInt32BE(0);
    // 1: the length follows as 64 bits; 0: to the end of the file.
    const length = short === 1 ? Number(header.readBigUInt64BE(8)) : short === 0 ? size - position : short;
    if (length < 8) return undefined;
    if (header.toString('latin1', 4, 8) === 'moov') {
      if (length > largestIndex) return undefined;
      return (await file.read(Buffer.alloc(length), 0, length, position)).buffer;
    }
    position += length;
  }
  return undefined;
}
