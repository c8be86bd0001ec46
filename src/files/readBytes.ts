import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { free } from './freeMemory.ts';

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

/** Returns the SHA-256 in hex of a file. @throws errors of node:fs */
export async function sha256OfFile(path: string): Promise<string> {
  return await sha256OfStream(createReadStream(path, { highWaterMark: 2 ** 20 }));
}

/** Returns the SHA-256 in hex of all that a stream yields, and frees it. */
export async function sha256OfStream(data: AsyncIterable<Uint8Array>): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of data) {
    digest.update(chunk);
    free(chunk);
  }
  return digest.digest('hex');
}
