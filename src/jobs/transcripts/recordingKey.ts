import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { JobInput } from '../JobRunner.ts';
import type { RecordingRequest } from './TranscribeOptions.ts';

const sampleBytes = 65_536;

/**
 * Hashes what determines a transcript: the file, the operation and the model. To be fast with large files, only the size,
 * the modification time and the first and last bytes of the file are hashed.
 */
export async function recordingKey(
  { sandbox, operation, request }: Pick<JobInput, 'sandbox' | 'operation'> & { readonly request: RecordingRequest },
  soundOnly: boolean,
): Promise<string> {
  await using file = await open(request.file);
  const { size, mtimeMs } = await file.stat();
  const hash = createHash('sha256');
  hash.update(JSON.stringify([sandbox, operation, request.model, soundOnly, size, mtimeMs]));
  for (const position of [0, Math.max(0, size - sampleBytes)]) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sampleBytes), 0, sampleBytes, position);
    hash.update(buffer.subarray(0, bytesRead));
  }
  return hash.digest('hex').slice(0, 40);
}
