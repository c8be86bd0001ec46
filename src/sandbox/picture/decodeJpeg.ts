import decode, { init } from '@jsquash/jpeg/decode.js';
import type { Picture } from './Picture.ts';
import type { Decoder } from './runDecoder.ts';
import { runDecoder } from './runDecoder.ts';

const decoder: Decoder = {
  name: 'JPEG',
  wasm: '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm',
  init,
  decode: (file) => decode(file, { preserveOrientation: true }),
};

/**
 * Reads a JPEG, turned as its camera was held.
 *
 * @returns undefined when the bytes are no JPEG
 * @throws UnreadablePicture
 */
export async function decodeJpeg(bytes: Uint8Array): Promise<Picture | undefined> {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes[2] !== 0xff) return undefined;
  return runDecoder(decoder, bytes, sizeOf(bytes));
}

/** By the first frame header; empty when there is none. */
function sizeOf(bytes: Uint8Array): { readonly width: number; readonly height: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 2;
  while (at + 9 <= bytes.length) {
    const marker = bytes[at + 1] ?? 0;
    // Whatever is between two segments is skipped, as libjpeg does.
    if (bytes[at] !== 0xff || marker === 0xff) at += 1;
    // Markers that stand alone.
    else if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    // SOF0 to SOF15, but for the tables DHT, JPG and DAC that lie between them.
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    } else at += 2 + view.getUint16(at + 2);
  }
  return { width: 0, height: 0 };
}
