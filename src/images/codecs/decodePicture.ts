import decodeJpegFile, { init as initJpegDecoder } from '@jsquash/jpeg/decode.js';
import decodeWebpFile, { init as initWebpDecoder } from '@jsquash/webp/decode.js';
import type { Bitmap } from './Bitmap.ts';
import { decodePng } from './decodePng.ts';
import type { DecodeLimits } from './pictureFile.ts';
import { jpegSegments, pictureFormat, UnreadablePicture } from './pictureFile.ts';
import type { Decoder } from './runCodec.ts';
import { runDecoder } from './runCodec.ts';

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
