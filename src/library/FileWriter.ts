import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import { free } from '../operations/freeMemory.ts';

/** Bytes buffered per write, because small writes are slow. */
const gatherBytes = 2 ** 20;

/** Bytes after which written data is flushed to disk, so that little is left to flush at the end. */
const flushBytes = 16 * 2 ** 20;

/** Writes a file sequentially, and buffers more data while some is being written. */
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

  /** @param handle a new file, open for writing and reading; disposing the writer closes it */
  constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  /** @param flags `wx+` if the file must not exist, `w+` to replace it; `+` because {@link takeBack} reads it */
  static async open(path: string, flags: 'wx+' | 'w+', mode?: number): Promise<FileWriter> {
    return new FileWriter(path, await open(path, flags, mode));
  }

  /**
   * Adds a chunk, which must not change afterwards. A chunk that was given away is freed after it is written. Resolves
   * when the next chunk can be added; may reject because of an earlier one.
   */
  async write(chunk: Uint8Array): Promise<void> {
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    if (this.#gatheredBytes >= gatherBytes) await this.#writeGathered();
  }

  /** Resolves when everything is on disk. */
  async finish(): Promise<void> {
    await this.#writeGathered();
    await this.#writing;
    await this.#flushing;
    await this.#handle.sync();
  }

  /** Returns all chunks passed to `write`, including those that could not be written. */
  async takeBack(): Promise<readonly Uint8Array[]> {
    await this.#writing.catch(() => undefined);
    const written = Buffer.alloc(this.#writtenBytes);
    for (let at = 0; at < written.length; ) {
      const { bytesRead } = await this.#handle.read(written, at, written.length - at, at);
      if (bytesRead === 0) throw new Error(`another program truncated ${this.path}`);
      at += bytesRead;
    }
    return [written, ...this.#unwritten, ...this.#gathered];
  }

  /** Truncates the file. */
  async empty(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await this.#handle.truncate();
  }

  /** Closes the file; Node waits for a pending write first. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }

  async #writeGathered(): Promise<void> {
    await this.#writing;
    this.#unwritten = this.#gathered;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#writing = this.#writeAll();
    // The next call awaits and reports a failure; this avoids an unhandled rejection.
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

/** Returns what is left of chunks after a number of bytes. */
function behind(chunks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skipped = bytes;
  return chunks.flatMap((chunk) => {
    const skip = Math.min(skipped, chunk.length);
    skipped -= skip;
    return skip < chunk.length ? [chunk.subarray(skip)] : [];
  });
}

const lineBreak = 10;
const attempts = 5;

/**
 * Appends lines to a file that other processes append to at the same time.
 *
 * Writes `text` with a single `write` call, which appends it in one piece; `appendFile` would split it, and lines of
 * other processes would get in between. A write can still be incomplete, for example on a full disk, or follow an
 * incomplete line of another process. So the result is read back, and if the lines are not complete, all of them are
 * appended again after a line break. The incomplete line stays as a damaged line, which readers skip. Appending only
 * the rest would not work, because another line may have been appended by then.
 *
 * A line break is also written first when another process has not finished its line yet. That leaves an empty line,
 * which readers skip too.
 *
 * @param handle open for appending and reading
 * @param text whole lines
 */
export async function appendLines(handle: FileHandle, text: string): Promise<void> {
  const lines = Buffer.from(text);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { size } = await handle.stat();
    await handle.write((await endsLine(handle, size)) ? lines : behindBreak(lines));
    if (await holdsLines(handle, size, lines)) return;
  }
  throw new Error(l10n.t('other programs write to the file at the same time'));
}

/** Whether a file is empty or ends with a line break, which a crash may have prevented. */
async function endsLine(handle: FileHandle, size: number): Promise<boolean> {
  return size === 0 || (await readFrom(handle, size - 1, size))[0] === lineBreak;
}

/** Whether the file contains the lines, as whole lines, after a position. */
async function holdsLines(handle: FileHandle, from: number, lines: Buffer): Promise<boolean> {
  const { size } = await handle.stat();
  return behindBreak(await readFrom(handle, from, size)).includes(behindBreak(lines));
}

function behindBreak(lines: Buffer): Buffer {
  return Buffer.concat([Buffer.of(lineBreak), lines]);
}

/** Reads the bytes of an open file between two positions; fewer if the file has become shorter. */
export async function readFrom(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(Math.max(end - start, 0));
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
