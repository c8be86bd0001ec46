import type { FileHandle } from 'node:fs/promises';
import { readBytes } from './readBytes.ts';

export interface Sound {
  /** Byte range of the sound; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /** Length of the ID3v2 tag at the start of the file; 0 without one. */
  readonly tagLength: number;
}

/** Finds the sound between the tags at the start (ID3v2, APE) and the end (ID3, APE, Lyrics3) of a file. */
export async function findSound(file: FileHandle): Promise<Sound> {
  const { size } = await file.stat();
  let start = 0;
  let tagLength = 0;
  let length: number;
  do {
    const head = await readBytes(file, start, 32);
    length = leadingTag(head);
    if (start === 0 && head.toString('latin1', 0, 3) === 'ID3') tagLength = length;
    start += length;
  } while (length > 0 && start < size);
  let end = size;
  do {
    length = trailingTag(await readBytes(file, Math.max(start, end - 355), Math.min(355, end - start)));
    end -= length;
  } while (length > 0 && end > start);
  return { start: Math.min(start, size), end: Math.max(start, end), tagLength: tagLength <= size ? tagLength : 0 };
}

/** Returns the length of the tag that starts here; 0 when there is none. */
function leadingTag(head: Buffer): number {
  if (head.toString('latin1', 0, 3) === 'ID3' && head.length >= 10) {
    const hasFooter = head[3] === 4 && ((head[5] ?? 0) & 0x10) !== 0;
    return 10 + sevenBitNumber(head, 6) + (hasFooter ? 10 : 0);
  }
  // The size in an APE tag includes the footer but not the header.
  return isApe(head, 0) ? 32 + head.readUInt32LE(12) : 0;
}

/** Returns the length of the tag that ends here; 0 when there is none. */
function trailingTag(tail: Buffer): number {
  const at = (fromEnd: number, length: number) =>
    fromEnd <= tail.length ? tail.toString('latin1', tail.length - fromEnd, tail.length - fromEnd + length) : '';
  if (at(128, 3) === 'TAG') return at(355, 4) === 'TAG+' ? 355 : 128;
  if (at(10, 3) === '3DI') return 20 + sevenBitNumber(tail, tail.length - 4);
  if (at(9, 9) === 'LYRICS200' && /^\d{6}$/.test(at(15, 6))) return Number(at(15, 6)) + 15;
  const footer = tail.length - 32;
  if (footer < 0 || !isApe(tail, footer)) return 0;
  const hasHeader = tail.readUInt32LE(footer + 20) >>> 31 === 1;
  return tail.readUInt32LE(footer + 12) + (hasHeader ? 32 : 0);
}

function isApe(bytes: Buffer, offset: number): boolean {
  return bytes.length - offset >= 32 && bytes.toString('latin1', offset, offset + 8) === 'APETAGEX';
}

/** Reads a size of ID3v2, which uses 7 bits per byte, so that no size looks like the sync of a frame. */
function sevenBitNumber(bytes: Buffer, offset: number): number {
  return bytes.subarray(offset, offset + 4).reduce((number, byte) => number * 128 + (byte & 127), 0);
}
