// The headers of the parts that container formats are made of. Which parts are read, and how many, is up to a reader.

/** Length of a box that goes on to the end of the file. */
export const toTheEnd = Number.MAX_SAFE_INTEGER;

/**
 * Reads the header of a box of MP4. ISO/IEC 14496-12, 4.2.
 *
 * @param bytes from the start of the box; 16, if there are as many
 * @returns lengths in bytes; that of the box includes its header, and is 0 if it cannot be
 * @throws RangeError for fewer bytes than the header has
 */
export function boxHead(bytes: Buffer): { readonly type: string; readonly header: number; readonly length: number } {
  const [type, size] = [bytes.toString('latin1', 4, 8), bytes.readUInt32BE(0)];
  if (size === 0) return { type, header: 8, length: toTheEnd };
  if (size !== 1) return { type, header: 8, length: size < 8 ? 0 : size };
  const large = bytes.readBigUInt64BE(8);
  return { type, header: 16, length: large < 16 || large > toTheEnd ? 0 : Number(large) };
}

/**
 * Reads the header of a chunk of RIFF, of 8 bytes.
 *
 * @returns the length that its content claims, and that which it takes: an odd one is padded
 * @throws RangeError for fewer bytes
 */
export function chunkHead(bytes: Buffer, at = 0) {
  const length = bytes.readUInt32LE(at + 4);
  return { id: bytes.toString('latin1', at, at + 4), length, padded: length + (length % 2) };
}

/** Reads a size of ID3v2, which uses 7 bits per byte, so that no size looks like the sync of a frame. */
export function sevenBit(bytes: Buffer, offset: number): number {
  return bytes.subarray(offset, offset + 4).reduce((number, byte) => number * 128 + (byte & 127), 0);
}

/** Reads the length of the content of a frame of ID3v2 from its header. @param version 2 to 4 */
export function frameLength(head: Buffer, version: number): number {
  if (version === 2) return head.readUIntBE(3, 3);
  return version === 4 ? sevenBit(head, 4) : head.readUInt32BE(4);
}

/** Yields the whole frames of a tag of ID3v2.3 or ID3v2.4 up to its padding. @param tag without the header of the tag */
export function* framesOf(tag: Buffer, version: 3 | 4) {
  for (let at = 0; at + 10 <= tag.length && tag[at] !== 0; ) {
    const end = at + 10 + frameLength(tag.subarray(at), version);
    if (end > tag.length) return;
    const frame = tag.subarray(at, end);
    yield { id: frame.toString('latin1', 0, 4), frame, content: frame.subarray(10) };
    at = end;
  }
}
