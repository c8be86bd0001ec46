import startWebpEncoder from '@jsquash/webp/codec/enc/webp_enc_simd.js';
import { defaultOptions } from '@jsquash/webp/meta.js';
import type { Bitmap } from './Bitmap.ts';
import { runEncoder } from './runEncoder.ts';

/** Encodes a lossy WebP with lossless transparency. @param quality 1–100 */
export async function encodeWebp(bitmap: Bitmap, quality: number): Promise<Uint8Array> {
  const encoder = { wasm: '@jsquash/webp/codec/enc/webp_enc_simd.wasm', start: startWebpEncoder };
  return runEncoder(encoder, bitmap, { ...defaultOptions, quality });
}
