import { encode } from 'fast-png';

/** Red, green, blue and alpha, 0 to 255 each. */
export type Rgba = readonly [number, number, number, number];

/** Encodes a PNG from a function of its pixels, with another encoder than the one under test. */
export function patternPng(width: number, height: number, colourAt: (x: number, y: number) => Rgba): Uint8Array {
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) data.set(colourAt(x, y), (y * width + x) * 4);
  }
  return encode({ width, height, data, channels: 4 });
}

/** A picture with a red, green, blue and yellow quarter, which shows where pixels came from at any size. */
export function quartersPng(width: number, height: number): Uint8Array {
  return patternPng(
    width,
    height,
    (x, y) => quarterColours[(y < height / 2 ? 0 : 2) + (x < width / 2 ? 0 : 1)] ?? white,
  );
}

export const white: Rgba = [255, 255, 255, 255];
export const quarterColours: readonly Rgba[] = [
  [255, 0, 0, 255],
  [0, 160, 0, 255],
  [0, 0, 255, 255],
  [255, 255, 0, 255],
];
