import type { FileHandle } from 'node:fs/promises';

/** Reads bytes of a file. Returns fewer at its end, and none for a negative position. */
export async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  if (position < 0 || length <= 0) return Buffer.alloc(0);
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
