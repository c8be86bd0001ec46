import { type FileHandle, open } from 'node:fs/promises';

/** Larger than the index of any video that a service makes. */
const maxIndexBytes = 32_000_000;

/** Whether a file is an MP4 with AAC sound, which VS Code cannot play. */
export async function hasAacSound(path: string): Promise<boolean> {
  await using file = await open(path);
  const index = await readIndex(file, (await file.stat()).size);
  // Name of the sound format in the sample description table.
  return index?.includes('mp4a', 0, 'latin1') ?? false;
}

/** Reads the box `moov`, which is before or after the media data. ISO/IEC 14496-12, 4.2. */
async function readIndex(file: FileHandle, size: number): Promise<Buffer | undefined> {
  const header = Buffer.alloc(16);
  for (let position = 0; position + 8 <= size; ) {
    await file.read(header, 0, 16, position);
    const short = header.readUInt32BE(0);
    // 1: the length follows as 64 bits; 0: to the end of the file.
    const length = short === 1 ? Number(header.readBigUInt64BE(8)) : short === 0 ? size - position : short;
    if (length < 8) return undefined;
    if (header.toString('latin1', 4, 8) === 'moov') {
      if (length > maxIndexBytes) return undefined;
      return (await file.read(Buffer.alloc(length), 0, length, position)).buffer;
    }
    position += length;
  }
  return undefined;
}
