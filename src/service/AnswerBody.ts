import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { headBytes } from '../operations/mediaType.ts';

/** What came in: in memory, or, when it is large, in a file. */
export type AnswerBody = Uint8Array | AnswerFile;

export interface AnswerFile {
  /** Absolute. */
  readonly path: string;
  /** Bytes. */
  readonly length: number;
}

/** A new file that an answer is written to while it comes in. */
export interface AnswerSink extends AsyncDisposable {
  readonly path: string;
  /** Resolves when there is room for more. */
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves when all of it is on disk. */
  finish(): Promise<void>;
  /** All that it was given, also what could not be written. */
  takeBack(): Promise<readonly Uint8Array[]>;
}

/** Larger answers go to a file, where there is one. */
export const maxBytesInMemory = 4 * 1024 * 1024;

/** The first bytes; all of them when they are in memory. */
export async function headOf(body: AnswerBody, length = headBytes): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  await using file = await open(body.path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
  return buffer.subarray(0, bytesRead);
}

/** The bytes of a file, as often as they are asked for. */
export function bytesOf({ path }: AnswerFile): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => createReadStream(path, { highWaterMark: 2 ** 20 })[Symbol.asyncIterator]() };
}
