/** Pixels in memory: RGBA, 8 bits per channel, rows from the top. Alpha is always 255. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Red, green and blue, 0 to 255 each. */
export type Colour = readonly [number, number, number];

/** Left, top, right and bottom, in pixels. */
export type Rectangle = readonly [number, number, number, number];

/** Returns a white picture. */
export function createPicture(width: number, height: number): Picture {
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
  for (let channel = 0; channel < 3; channel++) {
    const below = data[offset + channel] ?? 0;
    data[offset + channel] = below + ((colour[channel] ?? 0) - below) * share + 0.5;
  }
}

/** Fills rows `from` (inclusive) to `to` (exclusive) with one colour. */
export function fillRows({ width, data }: Picture, from: number, to: number, [red, green, blue]: Colour): void {
  for (let at = from * width * 4; at < to * width * 4; at += 4) {
    data[at] = red;
    data[at + 1] = green;
    data[at + 2] = blue;
  }
}

/** Fills a rectangle with rounded corners. @param opacity 0 to 1 */
export function fillRounded(
  { width, height, data }: Picture,
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
  picture: Picture,
  x: number,
  y: number,
  radius: number,
  colour: Colour,
  opacity: number,
): void {
  fillRounded(picture, [x - radius, y - radius, x + radius, y + radius], radius, colour, opacity);
}
