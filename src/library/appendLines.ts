import type { FileHandle } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';

const lineBreak = 10;
const attempts = 5;

/**
 * Appends lines to a file that other processes append to at the same time.
 *
 * Writes `text` with a single `write` call, which appends it in one piece; `appendFile` would split it, and lines of other
 * processes would get in between. A write can still be incomplete, for example on a full disk, or follow an incomplete line
 * of another process. So the result is read back, and if the lines are not complete, all of them are appended again after a
 * line break. The incomplete line stays as a damaged line, which readers skip. Appending only the rest would not work,
 * because another line may have been appended by then.
 *
 * A line break is also written first when another process has not finished its line yet. That leaves an empty line, which
 * readers skip too.
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
