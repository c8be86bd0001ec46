import { deflateSync, inflateSync } from 'node:zlib';
import { type Bitmap, flattenOnWhite } from './Bitmap.ts';
import {
  jpegSegments,
  nearest,
  type PictureFormat,
  type PngParts,
  pngChunks,
  pngFile,
  webpChunks,
  withJpegSegments,
  withWebpChunk,
} from './pictureFile.ts';
import { runEncoder } from './runCodec.ts';

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
function pngProfile(profile: Uint8Array): Buffer {
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
  return withJpegSegments(file, segments);
}

export function withWebpProfile(bytes: Uint8Array, profile: Uint8Array, width: number, height: number): Uint8Array {
  return withWebpChunk(bytes, { type: 'ICCP', content: Buffer.from(profile) }, { width, height });
}

/**
 * Encodes a PNG with only the channels that its pixels need, and its rows filtered: without that, photographs would be
 * larger.
 *
 * @param profile an ICC profile for RGB to embed
 */
export function encodePng(bitmap: Bitmap, profile?: Uint8Array): Uint8Array {
  const { width, height } = bitmap;
  const colourType = colourTypeOf(bitmap, profile !== undefined);
  const extras = profile ? [['iCCP', pngProfile(profile)] as const] : [];
  return pngFile({
    width,
    height,
    colourType,
    extras,
    pixels: deflateSync(filterRows(bitmap, channelsOf[colourType])),
  });
}

/** Returns the offsets of the written samples within an RGBA pixel. */
const channelsOf = { 0: [0], 2: [0, 1, 2], 4: [0, 3], 6: [0, 1, 2, 3] } as const;

/** Omits the profile of a grey picture, because it is for RGB. */
function colourTypeOf({ data }: Bitmap, hasProfile: boolean): PngParts['colourType'] {
  let [isGrey, isOpaque] = [!hasProfile, true];
  for (let at = 0; at < data.length && (isGrey || isOpaque); at += 4) {
    if (data[at] !== data[at + 1] || data[at] !== data[at + 2]) isGrey = false;
    if (data[at + 3] !== 255) isOpaque = false;
  }
  if (isGrey) return isOpaque ? 0 : 4;
  return isOpaque ? 2 : 6;
}

/**
 * Filters each row with the PNG filter that leaves the smallest differences; each row starts with the filter's number.
 */
function filterRows({ width, height, data }: Bitmap, channels: readonly number[]): Uint8Array {
  const step = channels.length;
  const rowLength = width * step;
  const filtered = new Uint8Array((rowLength + 1) * height);
  let above = new Uint8Array(rowLength);
  let row = new Uint8Array(rowLength);
  const candidates = [0, 1, 2, 3, 4].map(() => new Uint8Array(rowLength));
  for (let y = 0; y < height; y++) {
    for (let x = 0, at = 0; x < width; x++) {
      for (const channel of channels) row[at++] = data[(y * width + x) * 4 + channel] ?? 0;
    }
    const best = bestFilter(row, above, step, candidates);
    filtered[y * (rowLength + 1)] = best;
    filtered.set(candidates[best] ?? row, y * (rowLength + 1) + 1);
    [row, above] = [above, row];
  }
  return filtered;
}

/** Fills one candidate per filter and returns the number of the one with the smallest sum of differences. */
function bestFilter(row: Uint8Array, above: Uint8Array, step: number, candidates: readonly Uint8Array[]): number {
  const [none, sub, up, average, paeth] = candidates;
  const sums = [0, 0, 0, 0, 0];
  if (!none || !sub || !up || !average || !paeth) return 0;
  none.set(row);
  for (let at = 0; at < row.length; at++) {
    const value = row[at] ?? 0;
    const left = at < step ? 0 : (row[at - step] ?? 0);
    const over = above[at] ?? 0;
    const corner = at < step ? 0 : (above[at - step] ?? 0);
    sub[at] = value - left;
    up[at] = value - over;
    average[at] = value - ((left + over) >> 1);
    paeth[at] = value - nearest(left, over, corner);
  }
  for (const [filter, candidate] of candidates.entries()) {
    let sum = 0;
    for (const difference of candidate) sum += difference < 128 ? difference : 256 - difference;
    sums[filter] = sum;
  }
  return sums.indexOf(Math.min(...sums));
}

/** Encodes a progressive JPEG; transparent pixels become white. @param quality 1–100 */
export async function encodeJpeg(bitmap: Bitmap, quality: number): Promise<Uint8Array> {
  return runEncoder('jpeg', flattenOnWhite(bitmap), quality);
}

/** Encodes a lossy WebP with lossless transparency. @param quality 1–100 */
export async function encodeWebp(bitmap: Bitmap, quality: number): Promise<Uint8Array> {
  return runEncoder('webp', bitmap, quality);
}
