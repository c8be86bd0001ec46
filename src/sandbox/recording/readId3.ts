import type { FileHandle } from 'node:fs/promises';
import { software } from '../speech/Sound.ts';
import { readBytes } from './readBytes.ts';

export interface SpokenTexts {
  readonly texts: readonly string[];
  /** Total size of the tags between the parts of a joined file, in bytes. */
  readonly innerBytes: number;
}

const start = Buffer.from('ID3\x04\0\0', 'latin1');
const headBytes = 10;
const maxTagBytes = 1_000_000;
const windowBytes = 1 << 20;

/** Finds the sandbox's own tags. A file joined from several has one before each part. */
export async function readSpokenTexts(file: FileHandle): Promise<SpokenTexts> {
  const { size } = await file.stat();
  const texts: string[] = [];
  let innerBytes = 0;
  let offset = 0;
  while (offset < size) {
    const window = await readBytes(file, offset, windowBytes);
    const at = window.indexOf(start);
    if (at < 0) {
      // A tag's signature may begin in this window and end in the next.
      offset += Math.max(1, window.length - start.length + 1);
      continue;
    }
    const tagStart = offset + at;
    const head = await readBytes(file, tagStart, headBytes);
    const length = head.length === headBytes ? sevenBitLength(head, 6) : 0;
    const text =
      length > 0 && length <= maxTagBytes ? textOf(await readBytes(file, tagStart + headBytes, length)) : undefined;
    if (text === undefined) {
      offset = tagStart + start.length;
      continue;
    }
    texts.push(text);
    if (tagStart > 0) innerBytes += headBytes + length;
    offset = tagStart + headBytes + length;
  }
  return { texts, innerBytes };
}

/** Returns the text of a tag, or undefined if the sandbox did not write it. */
function textOf(frames: Buffer): string | undefined {
  const contents = new Map<string, Buffer>();
  let offset = 0;
  while (offset + headBytes <= frames.length) {
    const length = sevenBitLength(frames, offset + 4);
    const content = frames.subarray(offset + headBytes, offset + headBytes + length);
    contents.set(frames.toString('latin1', offset, offset + 4), content);
    offset += headBytes + length;
  }
  // One byte for the encoding, then the software's name.
  if (contents.get('TSSE')?.toString('utf8', 1) !== software) return undefined;
  // One byte for the encoding, three for the language, one that ends the empty description.
  return contents.get('USLT')?.toString('utf8', 5);
}

function sevenBitLength(bytes: Buffer, offset: number): number {
  return [0, 1, 2, 3].reduce((length, index) => (length << 7) | ((bytes[offset + index] ?? 0) & 0x7f), 0);
}
