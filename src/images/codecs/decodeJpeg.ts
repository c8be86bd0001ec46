import decode, { init } from '@jsquash/jpeg/decode.js';
import type { Bitmap } from './Bitmap.ts';
import { pictureFormat } from './pictureFormat.ts';
import type { DecodeLimits, Decoder } from './runDecoder.ts';
import { runDecoder } from './runDecoder.ts';
import { jpegSegments } from './sections.ts';

const decoder: Decoder = {
  name: 'JPEG',
  wasm: '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm',
  init,
  decode: (file) => decode(file, { preserveOrientation: true }),
};

/**
 * Decodes a JPEG and turns it upright according to its EXIF orientation.
 *
 * @returns undefined if the bytes are not a JPEG
 * @throws UnreadablePicture
 */
export async function decodeJpeg(bytes: Uint8Array, limits: DecodeLimits): Promise<Bitmap | undefined> {
  if (pictureFormat(bytes) !== 'jpeg') return undefined;
  return runDecoder(decoder, bytes, sizeOf(bytes), limits);
}

/** Reads the size from the first frame header; zero if there is none. */
function sizeOf(bytes: Uint8Array): { readonly width: number; readonly height: number } {
  const segments = jpegSegments(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  // SOF0 to SOF15, without DHT, JPG and DAC, whose markers lie between them.
  const frame = segments.find(
    ({ marker, content }) =>
      marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker) && content.length >= 5,
  );
  if (!frame) return { width: 0, height: 0 };
  return { height: frame.content.readUInt16BE(1), width: frame.content.readUInt16BE(3) };
}
