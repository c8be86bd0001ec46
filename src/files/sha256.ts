import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { free } from './freeMemory.ts';

/** Returns the SHA-256 in hex of a text or of bytes, or of any other value as JSON. */
export function hashOf(value: unknown): string {
  const isPlain = typeof value === 'string' || value instanceof Uint8Array;
  return hash('sha256', isPlain ? value : (JSON.stringify(value) ?? ''));
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
