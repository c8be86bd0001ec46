import decodeJpegFile, { init as initJpegDecoder } from '@jsquash/jpeg/decode.js';
import decodeWebpFile, { init as initWebpDecoder } from '@jsquash/webp/decode.js';
import type { Bitmap } from './Bitmap.ts';
import { decodePng } from './decodePng.ts';
import type { DecodeLimits } from './pictureFile.ts';
import { pictureFormat, pictureSize, UnreadablePicture } from './pictureFile.ts';
import type { Decoder } from './runCodec.ts';
import { runDecoder } from './runCodec.ts';

/** Refused as damaged. */
const noSize = { width: 0, height: 0 } as const;

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
  return runDecoder(jpegDecoder, bytes, pictureSize(bytes) ?? noSize, limits);
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
  if (bytes.length < 30 || pictureFormat(bytes) !== 'webp') return undefined;
  return runDecoder(webpDecoder, bytes, pictureSize(bytes) ?? noSize, limits);
}

/** Decodes a PNG, JPEG or WebP; its bytes decide which. @throws UnreadablePicture */
export async function decodePicture(bytes: Uint8Array, limits: DecodeLimits): Promise<Bitmap> {
  for (const decode of [decodePng, decodeJpeg, decodeWebp]) {
    const bitmap = await decode(bytes, limits);
    if (bitmap) return bitmap;
  }
  throw new UnreadablePicture('unsupported', 'must be a PNG, JPEG or WebP: other images are not supported');
}
