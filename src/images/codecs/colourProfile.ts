import { deflateSync, inflateSync } from 'node:zlib';
import type { PictureFormat } from './pictureFormat.ts';
import { jpegSegments, pngChunks, webpChunks } from './sections.ts';

/**
 * Maximum size in bytes. Profiles of cameras and screens have a few kB; those of printers have MB and are not for RGB.
 */
const maxProfileBytes = 4_000_000;

/** Returns the embedded ICC profile of a picture if it is for RGB, the only colours that we write. */
export function colourProfile(bytes: Uint8Array, format: PictureFormat): Uint8Array | undefined {
  const profile = readProfile(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), format);
  return profile && profile.length >= 128 && profile.toString('latin1', 16, 20) === 'RGB ' ? profile : undefined;
}

function readProfile(file: Buffer, format: PictureFormat): Buffer | undefined {
  switch (format) {
    case 'png': {
      const content = pngChunks(file).find(({ type }) => type === 'iCCP')?.content;
      return content && inflateProfile(content.subarray(content.indexOf(0) + 2));
    }
    case 'jpeg': {
      const parts = jpegSegments(file)
        .filter(({ marker, content }) => marker === 0xe2 && content.toString('latin1', 0, 12) === 'ICC_PROFILE\0')
        .sort((one, other) => (one.content[12] ?? 0) - (other.content[12] ?? 0));
      return parts.length > 0 ? Buffer.concat(parts.map(({ content }) => content.subarray(14))) : undefined;
    }
    case 'webp':
      return webpChunks(file).find(({ type }) => type === 'ICCP')?.content;
  }
}

/** Ignores a damaged profile instead of rejecting the picture. */
function inflateProfile(deflated: Buffer): Buffer | undefined {
  try {
    return inflateSync(deflated, { maxOutputLength: maxProfileBytes });
  } catch {
    return undefined;
  }
}

/** Returns the content of a PNG's `iCCP` chunk. */
export function pngProfile(profile: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from('ICC\0\0', 'latin1'), deflateSync(profile)]);
}

/** Adds a profile to a JPEG, in segments of at most 64 KiB after the first segment. */
export function withJpegProfile(file: Uint8Array, profile: Uint8Array): Uint8Array {
  const most = 65_519;
  const count = Math.ceil(profile.length / most);
  const segments = Array.from({ length: count }, (_, index) => {
    const part = profile.subarray(index * most, (index + 1) * most);
    const head = Buffer.from('\xff\xe2\0\0ICC_PROFILE\0\0\0', 'latin1');
    head.writeUInt16BE(part.length + 16, 2);
    head.set([index + 1, count], 16);
    return Buffer.concat([head, part]);
  });
  // JFIF's segment must remain the first.
  const isJfif = file[3] === 0xe0;
  const start = isJfif ? 4 + (file[4] ?? 0) * 256 + (file[5] ?? 0) : 2;
  return Buffer.concat([file.subarray(0, start), ...segments, file.subarray(start)]);
}

/** Adds a profile to a WebP with a single picture, which requires the extended header. */
export function withWebpProfile(bytes: Uint8Array, profile: Uint8Array, width: number, height: number): Uint8Array {
  const chunks = webpChunks(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const header = Buffer.alloc(10);
  const hasAlpha = chunks.some(({ type }) => type === 'ALPH');
  header[0] = 0x20 | (hasAlpha ? 0x10 : 0);
  header.writeUIntLE(width - 1, 4, 3);
  header.writeUIntLE(height - 1, 7, 3);
  const picture = chunks.filter(({ type }) => type !== 'VP8X');
  const all = [{ type: 'VP8X', content: header }, { type: 'ICCP', content: Buffer.from(profile) }, ...picture];
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...all.map(webpChunk)]);
  return Buffer.concat([Buffer.from('RIFF', 'latin1'), uint32(body.length), body]);
}

function webpChunk({ type, content }: { readonly type: string; readonly content: Buffer }): Buffer {
  return Buffer.concat([
    Buffer.from(type, 'latin1'),
    uint32(content.length),
    content,
    Buffer.alloc(content.length % 2),
  ]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
