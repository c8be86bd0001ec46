import { type FileHandle, open } from 'node:fs/promises';
import { boxHead, toTheEnd } from '../marks/containers.ts';

/** Larger than the index of any video that a service makes. */
const maxIndexBytes = 32_000_000;

/** Whether a file is an MP4 with AAC sound, which VS Code cannot play. */
export async function hasAacSound(path: string): Promise<boolean> {
  await using file = await open(path);
  const index = await readIndex(file, (await file.stat()).size);
  // Name of the sound format in the sample description table.
  return index?.includes('mp4a', 0, 'latin1') ?? false;
}

/** Reads the box `moov`, which is before or after the media data. */
async function readIndex(file: FileHandle, size: number): Promise<Buffer | undefined> {
  const header = Buffer.alloc(16);
  for (let position = 0; position + 8 <= size; ) {
    await file.read(header, 0, 16, position);
    const box = boxHead(header);
    const length = box.length === toTheEnd ? size - position : box.length;
    if (length === 0) return undefined;
    if (box.type === 'moov') {
      if (length > maxIndexBytes) return undefined;
      return (await file.read(Buffer.alloc(length), 0, length, position)).buffer;
    }
    position += length;
  }
  return undefined;
}
