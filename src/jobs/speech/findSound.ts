import type { FileHandle } from 'node:fs/promises';
import { readBytes } from './readBytes.ts';

export interface Sound {
  /** Offsets of the first byte of sound and the first behind it. */
  readonly start: number;
  readonly end: number;
  /** Bytes of the ID3v2 tag that the file begins with; 0 without one. */
  readonly tagLength: number;
}

/** What is left of a file between the tags before it (ID3v2, APE) and behind it (ID3, APE, Lyrics3). */
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

/** Bytes of the tag that begins here. */
function leadingTag(head: Buffer): number {
  if (head.toString('latin1', 0, 3) === 'ID3' && head.length >= 10) {
    const hasFooter = head[3] === 4 && ((head[5] ?? 0) & 0x10) !== 0;
    return 10 + sevenBitNumber(head, 6) + (hasFooter ? 10 : 0);
  }
  // The size that an APE tag tells counts the footer, not the header.
  return isApe(head, 0) ? 32 + head.readUInt32LE(12) : 0;
}

/** Bytes of the tag that ends here. */
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

/** ID3v2 leaves the highest bit of each byte out, so that no size looks like the sync of a frame. */
function sevenBitNumber(bytes: Buffer, offset: number): number {
  return bytes.subarray(offset, offset + 4).reduce((number, byte) => number * 128 + (byte & 127), 0);
}
