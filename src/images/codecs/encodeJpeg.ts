import startJpegEncoder from '@jsquash/jpeg/codec/enc/mozjpeg_enc.js';
import { defaultOptions } from '@jsquash/jpeg/meta.js';
import type { Bitmap } from './Bitmap.ts';
import { flattenOnWhite } from './flattenOnWhite.ts';
import { runEncoder } from './runEncoder.ts';

/** Encodes a JPEG with MozJPEG; transparent pixels become white. @param quality 1–100 */
export async function encodeJpeg(bitmap: Bitmap, quality: number): Promise<Uint8Array> {
  const opaque = flattenOnWhite({ ...bitmap, data: bitmap.data.slice() });
  const encoder = { wasm: '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm', start: startJpegEncoder };
  return runEncoder(encoder, opaque, { ...defaultOptions, quality });
}
