import { Readable } from 'node:stream';
import { createInflate } from 'node:zlib';
import { decode, hasPngSignature } from 'fast-png';
import type { Bitmap } from './Bitmap.ts';
import { rgbaOf } from './rgbaOf.ts';
import type { DecodeLimits } from './runDecoder.ts';
import { checkSize, UnreadablePicture } from './UnreadablePicture.ts';

/** Chunks of the picture itself. All others are dropped, because some hold compressed data of any size. */
const needed = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];

/**
 * Decodes a PNG of any colour type and depth; 16-bit samples become 8-bit.
 *
 * @returns undefined if the bytes are not a PNG
 * @throws UnreadablePicture
 */
export async function decodePng(bytes: Uint8Array, { maxPixels }: DecodeLimits): Promise<Bitmap | undefined> {
  if (bytes.length < 33 || !hasPngSignature(bytes)) return undefined;
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  checkSize(file.readUInt32BE(16), file.readUInt32BE(20), maxPixels);
  try {
    return rgbaOf(decode(await pictureAlone(file)));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UnreadablePicture('damaged', `holds a PNG that cannot be read: ${problem}`);
  }
}

/**
 * Returns the file with only its needed chunks.
 *
 * @throws Error if its pixels inflate to more than its size: fast-png has no limit
 */
async function pictureAlone(file: Buffer): Promise<Buffer> {
  const kept = [file.subarray(0, 8)];
  const packed: Buffer[] = [];
  for (let at = 8; at + 12 <= file.length; ) {
    const end = at + 12 + file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    if (needed.includes(type)) kept.push(file.subarray(at, end));
    if (type === 'IDAT') packed.push(file.subarray(at + 8, end - 4));
    at = end;
  }
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  // At most four 16-bit channels. Interlacing splits rows, and each part has a filter byte of its own.
  await checkUnpacked(packed, width * height * 8 + (width + height) * 16 + 64);
  return Buffer.concat(kept);
}

/** Inflates and discards the data. */
async function checkUnpacked(packed: readonly Buffer[], maxBytes: number): Promise<void> {
  let length = 0;
  for await (const chunk of Readable.from(packed).pipe(createInflate({ chunkSize: 2 ** 16 }))) {
    length += chunk.length;
    if (length > maxBytes) throw new Error('its pixels are more than its size says');
  }
}
