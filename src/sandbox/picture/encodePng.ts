import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { pngFile } from '../../images/codecs/pngFile.ts';
import type { Picture } from './Picture.ts';

const compress = promisify(deflate);

/**
 * Encodes a picture as an RGB PNG of 8 bits per channel whose `Software` text names the sandbox. Compresses on Node's
 * thread pool, so that the worker goes on painting.
 */
export async function encodePng(picture: Picture): Promise<Buffer> {
  const { width, height } = picture;
  const extras = [['tEXt', Buffer.from('Software\0Unified Media sandbox', 'latin1')] as const];
  return pngFile({ width, height, colourType: 2, extras, pixels: await compress(filterRows(picture), { level: 4 }) });
}

/** Writes each pixel as its difference from the one to its left (PNG filter 1). */
function filterRows({ width, height, data }: Picture): Uint8Array {
  const filtered = new Uint8Array((width * 3 + 1) * height);
  let at = 0;
  let from = 0;
  for (let y = 0; y < height; y++) {
    filtered[at++] = 1;
    let [red, green, blue] = [0, 0, 0];
    for (let x = 0; x < width; x++, from += 4) {
      const [r, g, b] = [data[from] ?? 0, data[from + 1] ?? 0, data[from + 2] ?? 0];
      filtered[at++] = r - red;
      filtered[at++] = g - green;
      filtered[at++] = b - blue;
      [red, green, blue] = [r, g, b];
    }
  }
  return filtered;
}
