import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { type Bitmap, resizeBitmap } from '../../images/codecs/Bitmap.ts';
import { pngFile } from '../../images/codecs/pictureFile.ts';

/** Red, green and blue, 0 to 255 each. */
export type Colour = readonly [number, number, number];

/** Left, top, right and bottom, in pixels. */
export type Rectangle = readonly [number, number, number, number];

/** Returns a white picture. */
export function createPicture(width: number, height: number): Bitmap {
  return { width, height, data: new Uint8Array(width * height * 4).fill(255) };
}

/** @param share weight of the second colour, 0 to 1 */
export function mixColours(first: Colour, second: Colour, share: number): Colour {
  return [
    first[0] + (second[0] - first[0]) * share,
    first[1] + (second[1] - first[1]) * share,
    first[2] + (second[2] - first[2]) * share,
  ];
}

/** Blends a colour over the pixel whose red byte is at `offset`. @param share weight of the colour, 0 to 1 */
export function blendPixel(data: Uint8Array, offset: number, colour: Colour, share: number): void {
  const [red, green, blue] = [data[offset] ?? 0, data[offset + 1] ?? 0, data[offset + 2] ?? 0];
  data[offset] = red + (colour[0] - red) * share + 0.5;
  data[offset + 1] = green + (colour[1] - green) * share + 0.5;
  data[offset + 2] = blue + (colour[2] - blue) * share + 0.5;
}

/** Fills rows `from` (inclusive) to `to` (exclusive) with one colour. */
export function fillRows({ width, data }: Bitmap, from: number, to: number, [red, green, blue]: Colour): void {
  for (let at = from * width * 4; at < to * width * 4; at += 4) {
    data[at] = red;
    data[at + 1] = green;
    data[at + 2] = blue;
  }
}

/** Fills a rectangle with rounded corners. @param opacity 0 to 1 */
export function fillRounded(
  { width, height, data }: Bitmap,
  [left, top, right, bottom]: Rectangle,
  radius: number,
  colour: Colour,
  opacity: number,
): void {
  const round = Math.min(radius, (bottom - top) / 2);
  for (let y = Math.max(0, Math.floor(top)); y < Math.min(height, Math.ceil(bottom)); y++) {
    const dy = Math.max(top + round - (y + 0.5), y + 0.5 - (bottom - round), 0);
    for (let x = Math.max(0, Math.floor(left)); x < Math.min(width, Math.ceil(right)); x++) {
      const dx = Math.max(left + round - (x + 0.5), x + 0.5 - (right - round), 0);
      const cover = Math.min(1, Math.max(0, round - Math.sqrt(dx * dx + dy * dy) + 0.5));
      if (cover > 0) blendPixel(data, (y * width + x) * 4, colour, cover * opacity);
    }
  }
}

/** Fills a circle around `x`, `y`. @param opacity 0 to 1 */
export function fillCircle(
  picture: Bitmap,
  x: number,
  y: number,
  radius: number,
  colour: Colour,
  opacity: number,
): void {
  fillRounded(picture, [x - radius, y - radius, x + radius, y + radius], radius, colour, opacity);
}

/** Draws the whole source into the middle of a rectangle of the target, keeping its aspect ratio. */
export function fitPicture(source: Bitmap, target: Bitmap, [left, top, right, bottom]: Rectangle): void {
  const scale = Math.min((right - left) / source.width, (bottom - top) / source.height);
  const { width, height, data } = scaleBy(source, scale);
  const x = left + Math.floor((right - left - width) / 2);
  const y = top + Math.floor((bottom - top - height) / 2);
  for (let row = 0; row < height; row++) {
    target.data.set(data.subarray(row * width * 4, (row + 1) * width * 4), ((y + row) * target.width + x) * 4);
  }
}

/** Scales a picture to at least one pixel in each direction. */
export function scaleBy(source: Bitmap, scale: number): Bitmap {
  const { width, height } = source;
  return resizeBitmap(source, Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
}

const compress = promisify(deflate);

/**
 * Encodes a picture as a PNG of 8 bits per channel, with its transparency if it has any, whose `Software` text names the sandbox. Compresses on Node's
 * thread pool, so that the worker goes on painting.
 */
export async function encodePng(picture: Bitmap): Promise<Buffer> {
  const { width, height } = picture;
  const extras = [['tEXt', Buffer.from('Software\0Unified Media sandbox', 'latin1')] as const];
  const isOpaque = !hasTransparency(picture);
  const pixels = await compress(filterRows(picture, isOpaque ? 3 : 4), { level: 4 });
  return pngFile({ width, height, colourType: isOpaque ? 2 : 6, extras, pixels });
}

function hasTransparency({ data }: Bitmap): boolean {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return true;
  return false;
}

/** Writes each pixel as its difference from the one to its left (PNG filter 1). */
function filterRows({ width, height, data }: Bitmap, channels: 3 | 4): Uint8Array {
  const filtered = new Uint8Array((width * channels + 1) * height);
  let at = 0;
  for (let y = 0; y < height; y++) {
    filtered[at++] = 1;
    const row = y * width * 4;
    for (let x = 0; x < width; x++) {
      const from = row + x * 4;
      for (let channel = 0; channel < channels; channel++) {
        const left = x === 0 ? 0 : (data[from + channel - 4] ?? 0);
        filtered[at++] = (data[from + channel] ?? 0) - left;
      }
    }
  }
  return filtered;
}

/** Puts a picture into the middle of a larger one, whose border is transparent or a painted checkerboard. */
export function frame(inner: Bitmap, width: number, height: number, border: 'transparent' | 'checkerboard'): Bitmap {
  const picture = createPicture(width, height);
  const { data } = picture;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      if (border === 'transparent') data.fill(0, at, at + 4);
      else if (((x >> 4) + (y >> 4)) % 2 === 1) data.fill(204, at, at + 3);
    }
  }
  const [left, top] = [(width - inner.width) >> 1, (height - inner.height) >> 1];
  for (let y = 0; y < inner.height; y++) {
    const row = inner.data.subarray(y * inner.width * 4, (y + 1) * inner.width * 4);
    data.set(row, ((y + top) * width + left) * 4);
  }
  return picture;
}
