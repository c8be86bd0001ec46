import { seededRandom } from '../seededRandom.ts';
import type { Colour, Picture } from './Picture.ts';
import { blendPixel, fillCircle, fillRows, mixColours } from './Picture.ts';
import type { Palette } from './palettes.ts';
import { palettes } from './palettes.ts';

/** One row of hills. Lengths are shares of the picture's height. */
interface Ridge {
  readonly colour: Colour;
  /** Middle of the hills, from the top. */
  readonly level: number;
  /** The sine waves whose sum is the outline. */
  readonly waves: readonly { readonly amplitude: number; readonly frequency: number; readonly phase: number }[];
}

/** A composition that is the same for the same seed, at any size and time. */
export interface Landscape {
  readonly palette: Palette;
  readonly sun: { readonly x: number; readonly y: number; readonly radius: number };
  readonly ridges: readonly Ridge[];
}

export function composeLandscape(seed: string): Landscape {
  const random = seededRandom(seed);
  const between = (low: number, high: number) => low + (high - low) * random();
  const palette = palettes[Math.floor(random() * palettes.length)] ?? palettes[0];
  const ridgeCount = 4 + Math.floor(random() * 3);
  const roughness = between(0.3, 0.6);
  const top = between(0.38, 0.48);
  const ridges = Array.from({ length: ridgeCount }, (_, index): Ridge => {
    const depth = index / (ridgeCount - 1);
    return {
      colour: mixColours(palette.far, palette.near, depth ** 0.9),
      level: top + (0.92 - top) * depth ** 1.1,
      waves: [0, 1, 2, 3, 4].map((octave) => ({
        amplitude: between(0.03, 0.07) * roughness ** octave,
        frequency: between(4, 9) * 2 ** octave,
        phase: between(0, 2 * Math.PI),
      })),
    };
  });
  const sun = { x: between(0.2, 0.8), y: between(0.16, 0.34), radius: between(0.045, 0.1) };
  return { palette, sun, ridges };
}

/** @param time in seconds: the hills drift, near ones faster, and the sun climbs */
export function paintLandscape(picture: Picture, { palette, sun, ridges }: Landscape, time = 0): void {
  const { width, height } = picture;
  for (let y = 0; y < height; y++) {
    const share = (2 * y) / (height * 0.62);
    const upper = mixColours(palette.zenith, palette.sky, Math.min(1, share));
    fillRows(picture, y, y + 1, mixColours(upper, palette.horizon, Math.min(1, Math.max(0, share - 1))));
  }
  for (const [size, opacity] of [
    [4.5, 0.07],
    [2.7, 0.1],
    [1.7, 0.16],
    [1, 1],
  ] as const) {
    const radius = sun.radius * size * Math.min(width, height);
    fillCircle(picture, sun.x * width, (sun.y - 0.012 * time) * height, radius, palette.light, opacity);
  }
  for (const [index, ridge] of ridges.entries()) {
    paintRidge(picture, ridge, time * 0.02 * (index + 1) ** 1.3, palette.horizon);
  }
}

/** Ridges fade downwards into mist. @param drift share of the width by which the hills are shifted */
function paintRidge(
  { width, height, data }: Picture,
  { colour, level, waves }: Ridge,
  drift: number,
  mist: Colour,
): void {
  const tops = Float32Array.from({ length: width }, (_, x) => {
    const at = x / width + drift;
    return waves.reduce(
      (y, { amplitude, frequency, phase }) => y + amplitude * Math.sin(frequency * at + phase),
      level,
    );
  });
  const highest = tops.reduce((highest, top) => Math.min(highest, top), 1);
  for (let y = Math.max(0, Math.floor(highest * height)); y < height; y++) {
    const shade = mixColours(colour, mist, Math.min(0.45, (y / height - highest) * 1.5));
    for (let x = 0; x < width; x++) {
      const cover = Math.min(1, y + 1 - (tops[x] ?? 0) * height);
      if (cover > 0) blendPixel(data, (y * width + x) * 4, shade, cover);
    }
  }
}
