import { deflateSync } from 'node:zlib';
import type { Bitmap } from './Bitmap.ts';
import { pngProfile } from './colourProfile.ts';
import type { PngParts } from './pngFile.ts';
import { pngFile } from './pngFile.ts';

/**
 * Encodes a PNG with only the channels that its pixels need. fast-png's own encoder does not filter rows, which makes
 * photographs larger.
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

/** The Paeth predictor of the PNG specification. */
function nearest(left: number, over: number, corner: number): number {
  const estimate = left + over - corner;
  const [toLeft, toOver, toCorner] = [
    Math.abs(estimate - left),
    Math.abs(estimate - over),
    Math.abs(estimate - corner),
  ];
  if (toLeft <= toOver && toLeft <= toCorner) return left;
  return toOver <= toCorner ? over : corner;
}
