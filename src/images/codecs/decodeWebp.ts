import decode, { init } from '@jsquash/webp/decode.js';
import type { Bitmap } from './Bitmap.ts';
import { pictureFormat } from './pictureFormat.ts';
import type { DecodeLimits, Decoder } from './runDecoder.ts';
import { runDecoder } from './runDecoder.ts';

const decoder: Decoder = {
  name: 'WebP',
  wasm: '@jsquash/webp/codec/dec/webp_dec.wasm',
  init,
  decode,
};

/**
 * Decodes a WebP with a single picture.
 *
 * @returns undefined if the bytes are not a WebP
 * @throws UnreadablePicture
 */
export async function decodeWebp(bytes: Uint8Array, limits: DecodeLimits): Promise<Bitmap | undefined> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < 30 || pictureFormat(bytes) !== 'webp') return undefined;
  return runDecoder(decoder, bytes, sizeOf(file), limits);
}

/**
 * Reads the size from the first chunk: VP8 (lossy), VP8L (lossless) or VP8X (extended). libwebp rejects a different
 * canvas size.
 */
function sizeOf(file: Buffer): { readonly width: number; readonly height: number } {
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
