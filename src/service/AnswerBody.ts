import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
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

/** Larger than the longest string in JavaScript. */
const maxBytes = 512 * 1024 * 1024;

export interface ReceivedBody {
  /** Everything that arrived. */
  readonly body: AnswerBody;
  /** Why the body ended early; undefined when it is complete. */
  readonly failure: unknown;
}

/**
 * Receives a body. A large one streams to a file, so it is never completely in memory. If the file cannot be written,
 * the body stays in memory, since it may be paid for. If the connection ends early, the received part is kept.
 *
 * @param openFile undefined to keep everything in memory
 * @returns `failure` is a MediaError `unreadableAnswer` for more than 512 MiB, otherwise the error of `data`
 */
export async function receiveBody(
  data: AsyncIterable<Uint8Array>,
  openFile: (() => Promise<AnswerSink>) | undefined,
): Promise<ReceivedBody> {
  await using body = new GrowingBody(openFile);
  let failure: unknown;
  try {
    for await (const chunk of data) {
      if (body.length + chunk.length > maxBytes) throw tooLarge();
      await body.add(chunk);
    }
  } catch (error) {
    failure = error;
  }
  return { body: await body.finish(), failure };
}

function tooLarge(): MediaError {
  const sentence = l10n.t("The service's answer is larger than 512 MiB.");
  return new MediaError('unreadableAnswer', sentence, { mayBeBilled: true });
}

class GrowingBody {
  #openFile: (() => Promise<AnswerSink>) | undefined;
  #file: AnswerSink | undefined;
  /** Chunks that are not written to the file yet. */
  #held: Uint8Array[] = [];
  #length = 0;

  constructor(openFile: (() => Promise<AnswerSink>) | undefined) {
    this.#openFile = openFile;
  }

  get length(): number {
    return this.#length;
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#held.push(chunk);
    this.#length += chunk.length;
    if (this.#length > maxBytesInMemory) await this.#toFile((file) => this.#writeHeld(file));
  }

  async finish(): Promise<AnswerBody> {
    if (this.#file) await this.#toFile((file) => file.finish());
    return this.#file ? { path: this.#file.path, length: this.#length } : Buffer.concat(this.#held);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.[Symbol.asyncDispose]();
  }

  async #writeHeld(file: AnswerSink): Promise<void> {
    for (let chunk = this.#held.shift(); chunk; chunk = this.#held.shift()) await file.write(chunk);
  }

  /** Runs `work` on the file. After the first failure, everything moves back to memory and stays there. */
  async #toFile(work: (file: AnswerSink) => Promise<void>): Promise<void> {
    if (!this.#openFile) return;
    try {
      this.#file ??= await this.#openFile();
      await work(this.#file);
    } catch {
      const file = this.#file;
      this.#openFile = undefined;
      this.#file = undefined;
      this.#held.unshift(...((await file?.takeBack()) ?? []));
      await file?.[Symbol.asyncDispose]();
    }
  }
}
