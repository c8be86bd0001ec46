import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { headBytes } from '../operations/mediaType.ts';

/** A response body: in memory, or in a file when it is large. */
export type AnswerBody = Uint8Array | AnswerFile;

export interface AnswerFile {
  /** Absolute path. */
  readonly path: string;
  /** Size in bytes. */
  readonly length: number;
}

/** A new file that an answer is written to while it is received. */
export interface AnswerSink extends AsyncDisposable {
  readonly path: string;
  /** Resolves when the next chunk can be written. */
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves when everything is on disk. */
  finish(): Promise<void>;
  /** Returns all chunks passed to `write`, including those that could not be written. */
  takeBack(): Promise<readonly Uint8Array[]>;
}

/** Answers larger than this go to a file if the caller provides one. */
export const maxBytesInMemory = 4 * 1024 * 1024;

/** Returns the first bytes of a body, or all of them when it is in memory. */
export async function headOf(body: AnswerBody, length = headBytes): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  await using file = await open(body.path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
  return buffer.subarray(0, bytesRead);
}

/** Returns the bytes of a file; each iteration reads it again. */
export function bytesOf({ path }: AnswerFile): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => createReadStream(path, { highWaterMark: 2 ** 20 })[Symbol.asyncIterator]() };
}
