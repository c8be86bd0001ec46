import { Readable } from 'node:stream';
import { createInflate } from 'node:zlib';
import decodeJpegFile, { init as initJpegDecoder } from '@jsquash/jpeg/decode.js';
import decodeWebpFile, { init as initWebpDecoder } from '@jsquash/webp/decode.js';
import type { DecodedPng } from 'fast-png';
import { decode as decodePngFile, hasPngSignature } from 'fast-png';
import type { Bitmap } from './Bitmap.ts';
import { checkSize, jpegSegments, pictureFormat, UnreadablePicture } from './pictureFile.ts';
import type { DecodeLimits, Decoder } from './runCodec.ts';
import { runDecoder } from './runCodec.ts';

/** Converts a decoded PNG of any colour type and depth to 8-bit RGBA. */
function rgbaOf(png: DecodedPng): Bitmap {
  const { width, height, depth, palette, channels, transparency } = png;
  // The common case has its own loop, since there are millions of pixels.
  if (depth === 8 && palette === undefined && transparency === undefined && channels > 2) return rgbaOfBytes(png);
  const data = new Uint8Array(width * height * 4);
  const colours = coloursOf(png);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) data.set(colours(x, y), at);
  }
  return { width, height, data };
}

function rgbaOfBytes({ width, height, channels, data: samples }: DecodedPng): Bitmap {
  if (channels === 4 && samples instanceof Uint8Array) return { width, height, data: samples };
  const data = new Uint8Array(width * height * 4);
  for (let at = 0, from = 0; at < data.length; at += 4, from += channels) {
    data[at] = samples[from] ?? 0;
    data[at + 1] = samples[from + 1] ?? 0;
    data[at + 2] = samples[from + 2] ?? 0;
    data[at + 3] = 255;
  }
  return { width, height, data };
}

type Rgba = readonly [number, number, number, number];

/** Returns a function that reads red, green, blue and alpha of a pixel, each 0 to 255. */
function coloursOf(png: DecodedPng): (x: number, y: number) => Rgba {
  const { channels, depth, palette } = png;
  const sample = samplesOf(png);
  if (palette) {
    return (x, y) => {
      const [red = 0, green = 0, blue = 0, alpha = 255] = palette[sample(x, y, 0)] ?? [];
      return [red, green, blue, alpha];
    };
  }
  // Typed arrays truncate, so round: 65,279 of 16 bits is 254, not 253.99.
  const to8Bits = (value: number) => Math.round((value * 255) / (2 ** depth - 1));
  const alphaAt = channels % 2 === 0 ? channels - 1 : undefined;
  const clear = png.transparency;
  return (x, y) => {
    const first = sample(x, y, 0);
    const [green, blue] = channels > 2 ? [sample(x, y, 1), sample(x, y, 2)] : [first, first];
    const isClear =
      clear !== undefined && first === clear[0] && (channels < 3 || (green === clear[1] && blue === clear[2]));
    const alpha = isClear ? 0 : alphaAt === undefined ? 255 : to8Bits(sample(x, y, alphaAt));
    return [to8Bits(first), to8Bits(green), to8Bits(blue), alpha];
  };
}

function samplesOf({ channels, depth, width, data }: DecodedPng): (x: number, y: number, channel: number) => number {
  if (depth >= 8) return (x, y, channel) => data[(y * width + x) * channels + channel] ?? 0;
  // Samples of fewer than 8 bits are packed, the first in the highest bits.
  const [perByte, mask] = [8 / depth, 2 ** depth - 1];
  const bytesPerRow = Math.ceil((width * channels * depth) / 8);
  return (x, y) => {
    const byte = data[y * bytesPerRow + Math.floor(x / perByte)] ?? 0;
    return (byte >> (8 - depth * ((x % perByte) + 1))) & mask;
  };
}

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
    return rgbaOf(decodePngFile(await pictureAlone(file)));
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

const jpegDecoder: Decoder = {
  name: 'JPEG',
  wasm: '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm',
  init: initJpegDecoder,
  decode: (file) => decodeJpegFile(file, { preserveOrientation: true }),
};

/**
 * Decodes a JPEG and turns it upright according to its EXIF orientation.
 *
 * @returns undefined if the bytes are not a JPEG
 * @throws UnreadablePicture
 */
async function decodeJpeg(bytes: Uint8Array, limits: DecodeLimits): Promise<Bitmap | undefined> {
  if (pictureFormat(bytes) !== 'jpeg') return undefined;
  return runDecoder(jpegDecoder, bytes, readJpegSize(bytes), limits);
}

/** Reads the size from the first frame header; zero if there is none. */
function readJpegSize(bytes: Uint8Array): { readonly width: number; readonly height: number } {
  const segments = jpegSegments(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  // SOF0 to SOF15, without DHT, JPG and DAC, whose markers lie between them.
  const frame = segments.find(
    ({ marker, content }) =>
      marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker) && content.length >= 5,
  );
  if (!frame) return { width: 0, height: 0 };
  return { height: frame.content.readUInt16BE(1), width: frame.content.readUInt16BE(3) };
}

const webpDecoder: Decoder = {
  name: 'WebP',
  wasm: '@jsquash/webp/codec/dec/webp_dec.wasm',
  init: initWebpDecoder,
  decode: decodeWebpFile,
};

/**
 * Decodes a WebP with a single picture.
 *
 * @returns undefined if the bytes are not a WebP
 * @throws UnreadablePicture
 */
async function decodeWebp(bytes: Uint8Array, limits: DecodeLimits): Promise<Bitmap | undefined> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < 30 || pictureFormat(bytes) !== 'webp') return undefined;
  return runDecoder(webpDecoder, bytes, readWebpSize(file), limits);
}

/**
 * Reads the size from the first chunk: VP8 (lossy), VP8L (lossless) or VP8X (extended). libwebp rejects a different
 * canvas size.
 */
function readWebpSize(file: Buffer): { readonly width: number; readonly height: number } {
  switch (file.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = file.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 };
    default:
      return { width: 0, height: 0 };
  }
}

/** Decodes a PNG, JPEG or WebP; its bytes decide which. @throws UnreadablePicture */
export async function decodePicture(bytes: Uint8Array, limits: DecodeLimits): Promise<Bitmap> {
  for (const decode of [decodePng, decodeJpeg, decodeWebp]) {
    const bitmap = await decode(bytes, limits);
    if (bitmap) return bitmap;
  }
  throw new UnreadablePicture('unsupported', 'must be a PNG, JPEG or WebP: other images are not supported');
}
