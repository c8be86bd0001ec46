import { resizeBitmap } from '../../images/codecs/resizeBitmap.ts';
import type { Picture, Rectangle } from './Picture.ts';

/** Draws the whole source into the middle of a rectangle of the target, keeping its aspect ratio. */
export function fitPicture(source: Picture, target: Picture, [left, top, right, bottom]: Rectangle): void {
  const scale = Math.min((right - left) / source.width, (bottom - top) / source.height);
  const { width, height, data } = scaleBy(source, scale);
  const x = left + Math.floor((right - left - width) / 2);
  const y = top + Math.floor((bottom - top - height) / 2);
  for (let row = 0; row < height; row++) {
    target.data.set(data.subarray(row * width * 4, (row + 1) * width * 4), ((y + row) * target.width + x) * 4);
  }
}

/** Scales a picture to at least one pixel in each direction. */
export function scaleBy(source: Picture, scale: number): Picture {
  const { width, height } = source;
  return resizeBitmap(source, Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
}
