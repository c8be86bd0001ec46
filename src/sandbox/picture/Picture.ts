/** Pixels in memory: RGBA, 8 bits each, rows from the top; alpha is always 255. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Red, green and blue, 0 to 255 each. */
export type Colour = readonly [number, number, number];

export function createPicture(width: number, height: number): Picture {
  return { width, height, data: new Uint8Array(width * height * 4).fill(255) };
}

/** @param hex six digits */
export function colourOf(hex: string): Colour {
  const value = Number.parseInt(hex, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** @param share of the second colour, 0 to 1 */
export function mixColours(first: Colour, second: Colour, share: number): Colour {
  return [
    first[0] + (second[0] - first[0]) * share,
    first[1] + (second[1] - first[1]) * share,
    first[2] + (second[2] - first[2]) * share,
  ];
}

/** Puts a colour over the pixel whose red byte is at `offset`. @param share of the colour, 0 to 1 */
export function blendPixel(data: Uint8Array, offset: number, colour: Colour, share: number): void {
  for (let channel = 0; channel < 3; channel++) {
    const below = data[offset + channel] ?? 0;
    data[offset + channel] = below + ((colour[channel] ?? 0) - below) * share + 0.5;
  }
}

/** Rows of a picture: `from` and up to, but without, `to`. */
export interface Band {
  readonly from: number;
  readonly to: number;
}

export function wholeOf(picture: Picture): Band {
  return { from: 0, to: picture.height };
}
