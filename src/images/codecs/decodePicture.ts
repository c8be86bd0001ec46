import type { Bitmap } from './Bitmap.ts';
import { decodeJpeg } from './decodeJpeg.ts';
import { decodePng } from './decodePng.ts';
import { decodeWebp } from './decodeWebp.ts';
import type { DecodeLimits } from './runDecoder.ts';
import { UnreadablePicture } from './UnreadablePicture.ts';

/** Decodes a PNG, JPEG or WebP; its bytes decide which. @throws UnreadablePicture */
export async function decodePicture(bytes: Uint8Array, limits: DecodeLimits): Promise<Bitmap> {
  for (const decode of [decodePng, decodeJpeg, decodeWebp]) {
    const bitmap = await decode(bytes, limits);
    if (bitmap) return bitmap;
  }
  throw new UnreadablePicture('unsupported', 'must be a PNG, JPEG or WebP: other images are not supported');
}
