import type { Bitmap } from './Bitmap.ts';

/** Copies a rectangle out of a bitmap; it must lie inside. */
export function cropBitmap(
  source: Bitmap,
  area: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): Bitmap {
  const { x, y, width, height } = area;
  if (width === source.width && height === source.height) return source;
  const data = new Uint8Array(width * height * 4);
  for (let row = 0; row < height; row++) {
    const start = ((y + row) * source.width + x) * 4;
    data.set(source.data.subarray(start, start + width * 4), row * width * 4);
  }
  return { width, height, data };
}
