import type { Bitmap } from './Bitmap.ts';

/** Blends transparent pixels with white, in place. */
export function flattenOnWhite(bitmap: Bitmap): Bitmap {
  const { data } = bitmap;
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3] ?? 255;
    if (alpha === 255) continue;
    for (let channel = at; channel < at + 3; channel++)
      data[channel] = 255 + ((data[channel] ?? 0) - 255) * (alpha / 255) + 0.5;
    data[at + 3] = 255;
  }
  return bitmap;
}
