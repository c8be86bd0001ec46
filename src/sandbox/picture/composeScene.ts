import type { Colour } from './Picture.ts';
import { mixColours } from './Picture.ts';
import type { Palette } from './palettes.ts';
import { palettes } from './palettes.ts';
import { seededRandom } from './seededRandom.ts';

/** One row of hills. Lengths are shares of the picture's height, widths of its width. */
export interface Ridge {
  readonly colour: Colour;
  /** Where its middle lies, from the top. */
  readonly level: number;
  readonly amplitude: number;
  /** Hills across the width. */
  readonly hills: number;
  readonly phase: number;
  /** 1 = round dunes; more = rugged. */
  readonly octaves: number;
  /** 0 = rounded, 1 = with crests. */
  readonly crests: number;
  /** Heights of the noise, each 0 to 1. */
  readonly noise: Float32Array;
}

interface Star {
  readonly x: number;
  readonly y: number;
  readonly brightness: number;
}

/** A landscape that is the same for the same seed, at any size and any moment. */
export interface Scene {
  readonly palette: Palette;
  readonly sun: { readonly x: number; readonly y: number; readonly radius: number };
  readonly stars: readonly Star[];
  readonly ridges: readonly Ridge[];
}

const shapes = [
  { octaves: 5, crests: 1, amplitude: 0.17, hills: 2.6 },
  { octaves: 2, crests: 0, amplitude: 0.1, hills: 2.2 },
  { octaves: 4, crests: 0.5, amplitude: 0.13, hills: 3 },
] as const;

export function composeScene(seed: string): Scene {
  const random = seededRandom(seed);
  const between = (low: number, high: number) => low + (high - low) * random();
  const palette = pick(palettes, random);
  const shape = pick(shapes, random);
  const count = 4 + Math.floor(random() * 3);
  const first = between(0.36, 0.46);
  const ridges = Array.from({ length: count }, (_, index): Ridge => {
    const depth = index / (count - 1);
    return {
      colour: mixColours(palette.far, palette.near, depth ** 0.9),
      level: first + (0.92 - first) * depth ** 1.1 + between(-0.02, 0.02),
      amplitude: shape.amplitude * between(0.75, 1.2) * (1 - 0.35 * depth),
      hills: shape.hills * between(0.8, 1.3) * (1 - 0.25 * depth),
      phase: between(0, 200),
      octaves: shape.octaves,
      crests: shape.crests,
      noise: Float32Array.from({ length: 256 }, random),
    };
  });
  return {
    palette,
    sun: { x: between(0.2, 0.8), y: between(0.16, 0.34), radius: between(0.045, 0.1) },
    stars: palette.night
      ? Array.from({ length: 140 }, () => ({ x: random(), y: random() ** 1.5 * 0.6, brightness: between(0.15, 0.9) }))
      : [],
    ridges,
  };
}

function pick<T>(items: readonly [T, ...T[]] | readonly T[], random: () => number): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError('There is nothing to pick from.');
  return item;
}
