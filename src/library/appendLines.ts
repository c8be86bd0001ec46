import type { FileHandle } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';

const lineBreak = 10;
const attempts = 5;

/**
 * Appends lines to a file that other processes append to at the same time.
 *
 * `text` is one `write` call, whatever its length: the system then puts it at the end of the file in one piece, while
 * `appendFile` would split it, and lines of others would get between the pieces. A write can still be cut short, by a
 * full disk for example, or land behind the cut line of another process. So what was written is read back. If it is not
 * there in whole lines, all of it is appended again, behind a line break: what was cut stays as a damaged line of its
 * own, which readers leave out. Continuing with the rest would not do, since another line may stand before it by then.
 *
 * The line break also goes first if another process is just writing and the end of its line is not there yet: that
 * leaves an empty line, which readers leave out too.
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

/** Whether a file ends with a line break, or is empty: a crash may have cut its last line. */
async function endsLine(handle: FileHandle, size: number): Promise<boolean> {
  return size === 0 || (await readFrom(handle, size - 1, size))[0] === lineBreak;
}

/** Whether the lines stand in the file from a position on, where a line begins, and begin a line there themselves. */
async function holdsLines(handle: FileHandle, from: number, lines: Buffer): Promise<boolean> {
  const { size } = await handle.stat();
  return behindBreak(await readFrom(handle, from, size)).includes(behindBreak(lines));
}

function behindBreak(lines: Buffer): Buffer {
  return Buffer.concat([Buffer.of(lineBreak), lines]);
}

/** The bytes of an open file between two positions; fewer if it has become shorter. */
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
