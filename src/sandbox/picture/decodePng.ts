import { Readable } from 'node:stream';
import { createInflate } from 'node:zlib';
import type { DecodedPng } from 'fast-png';
import { decode, hasPngSignature } from 'fast-png';
import { checkSize } from './checkSize.ts';
import type { Picture } from './Picture.ts';
import { createPicture } from './Picture.ts';
import { UnreadablePicture } from './UnreadablePicture.ts';

/** The chunks that hold the picture; all others are left out, as some hold compressed data of any size. */
const needed = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];

/**
 * Reads a PNG of any kind; what is transparent becomes white.
 *
 * @returns undefined when the bytes are no PNG
 * @throws UnreadablePicture
 */
export async function decodePng(bytes: Uint8Array): Promise<Picture | undefined> {
  if (bytes.length < 33 || !hasPngSignature(bytes)) return undefined;
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  checkSize(file.readUInt32BE(16), file.readUInt32BE(20));
  try {
    return flatten(decode(await pictureAlone(file)));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UnreadablePicture(`holds a PNG that cannot be read: ${problem}`);
  }
}

/** @throws Error when its pixels unpack to more than its size needs: the library would unpack all of them */
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
  // At most four channels of 16 bits; interlaced, each row may be cut into several that have a byte of their own.
  await checkUnpacked(packed, width * height * 8 + (width + height) * 16 + 64);
  return Buffer.concat(kept);
}

/** Unpacks and forgets. */
async function checkUnpacked(packed: readonly Buffer[], most: number): Promise<void> {
  let length = 0;
  for await (const chunk of Readable.from(packed).pipe(createInflate({ chunkSize: 2 ** 16 }))) {
    length += chunk.length;
    if (length > most) throw new Error('its pixels are more than its size says');
  }
}

function flatten(decoded: DecodedPng): Picture {
  const { width, height } = decoded;
  const picture = createPicture(width, height);
  const colours = coloursOf(decoded);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const [red, green, blue, alpha] = colours(x, y);
      const share = alpha / 255;
      picture.data[at] = 255 + (red - 255) * share;
      picture.data[at + 1] = 255 + (green - 255) * share;
      picture.data[at + 2] = 255 + (blue - 255) * share;
    }
  }
  return picture;
}

type Rgba = readonly [number, number, number, number];

/** Red, green, blue and alpha of a pixel, 0 to 255 each. */
function coloursOf(png: DecodedPng): (x: number, y: number) => Rgba {
  const { channels, depth, palette, width, data } = png;
  const perByte = 8 / depth;
  const bytesPerRow = Math.ceil((width * channels * depth) / 8);
  const mask = 2 ** depth - 1;
  /** Samples of less than 8 bits are packed, the first one in the highest bits. */
  const sample = (x: number, y: number, channel: number): number => {
    if (depth >= 8) return data[(y * width + x) * channels + channel] ?? 0;
    const byte = data[y * bytesPerRow + Math.floor(x / perByte)] ?? 0;
    return (byte >> (8 - depth * ((x % perByte) + 1))) & mask;
  };
  if (palette) {
    return (x, y) => {
      const [red = 0, green = 0, blue = 0, alpha = 255] = palette[sample(x, y, 0)] ?? [];
      return [red, green, blue, alpha];
    };
  }
  const scale = 255 / mask;
  const alphaAt = channels % 2 === 0 ? channels - 1 : undefined;
  const clear = png.transparency;
  return (x, y) => {
    const first = sample(x, y, 0);
    const [green, blue] = channels > 2 ? [sample(x, y, 1), sample(x, y, 2)] : [first, first];
    const isClear =
      clear !== undefined && first === clear[0] && (channels < 3 || (green === clear[1] && blue === clear[2]));
    const alpha = isClear ? 0 : alphaAt === undefined ? 255 : sample(x, y, alphaAt) * scale;
    return [first * scale, green * scale, blue * scale, alpha];
  };
}
