import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { free } from '../operations/freeMemory.ts';

/** How much is gathered for one write: small ones cost more than their bytes. */
const gatherBytes = 2 ** 20;

/** How much is flushed to disk at once, while more comes in: at the end little is left to wait for. */
const flushBytes = 16 * 2 ** 20;

/** Writes one file from its beginning to its end: while some of it is being written, more is gathered. */
export class FileWriter {
  readonly path: string;
  readonly #handle: FileHandle;
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #unwritten: Uint8Array[] = [];
  #writtenBytes = 0;
  #writing: Promise<void> = Promise.resolve();
  #flushedBytes = 0;
  #flushing: Promise<void> = Promise.resolve();

  /** @param handle a new file, open for writing and reading; it is closed with this */
  constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  /** @param flags `wx+` for a file that must be new, `w+` for one that may be replaced; it can be read back either way */
  static async open(path: string, flags: 'wx+' | 'w+', mode?: number): Promise<FileWriter> {
    return new FileWriter(path, await open(path, flags, mode));
  }

  /**
   * Takes a chunk, which must not change any more; one that was given away is freed when it is written. Resolves when there
   * is room for the next; may reject for an earlier one.
   */
  async write(chunk: Uint8Array): Promise<void> {
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    if (this.#gatheredBytes >= gatherBytes) await this.#writeGathered();
  }

  /** Resolves when all of it is on disk. */
  async finish(): Promise<void> {
    await this.#writeGathered();
    await this.#writing;
    await this.#flushing;
    await this.#handle.sync();
  }

  /** All that it was given, also what could not be written. */
  async takeBack(): Promise<readonly Uint8Array[]> {
    await this.#writing.catch(() => undefined);
    const written = Buffer.alloc(this.#writtenBytes);
    for (let at = 0; at < written.length; ) {
      const { bytesRead } = await this.#handle.read(written, at, written.length - at, at);
      if (bytesRead === 0) throw new Error(`${this.path} was cut by somebody else`);
      at += bytesRead;
    }
    return [written, ...this.#unwritten, ...this.#gathered];
  }

  /** Takes everything out of the file that was written to it. */
  async empty(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await this.#handle.truncate();
  }

  /** Waits for what is being written, and closes the file. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }

  async #writeGathered(): Promise<void> {
    await this.#writing;
    this.#unwritten = this.#gathered;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#writing = this.#writeAll();
    // Told by whoever waits for it next.
    this.#writing.catch(() => undefined);
  }

  async #writeAll(): Promise<void> {
    while (this.#unwritten.length > 0) {
      const { bytesWritten } = await this.#handle.writev(this.#unwritten);
      this.#writtenBytes += bytesWritten;
      const chunks = this.#unwritten;
      this.#unwritten = behind(chunks, bytesWritten);
      if (this.#unwritten.length === 0) chunks.forEach(free);
    }
    if (this.#writtenBytes - this.#flushedBytes < flushBytes) return;
    await this.#flushing;
    this.#flushedBytes = this.#writtenBytes;
    this.#flushing = this.#handle.datasync();
    this.#flushing.catch(() => undefined);
  }
}

/** What is left of chunks behind a number of bytes. */
function behind(chunks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skipped = bytes;
  return chunks.flatMap((chunk) => {
    const skip = Math.min(skipped, chunk.length);
    skipped -= skip;
    return skip < chunk.length ? [chunk.subarray(skip)] : [];
  });
}
