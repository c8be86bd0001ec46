import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';

/** Reads bytes of a file. Returns fewer at its end, and none for a negative position. */
export async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(position < 0 ? 0 : Math.max(length, 0));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** Reads the first bytes of a file, or all of it when it is shorter. */
export async function headOfFile(path: string, length: number): Promise<Buffer> {
  await using file = await open(path);
  return await readBytes(file, 0, length);
}
