import type { Colour } from './Picture.ts';

/** The colours of a landscape, from the top of the sky down to the nearest hill. */
export interface Palette {
  readonly zenith: Colour;
  readonly sky: Colour;
  readonly horizon: Colour;
  readonly light: Colour;
  readonly far: Colour;
  readonly near: Colour;
}

function palette(hexColours: string): Palette {
  const [zenith = '', sky = '', horizon = '', light = '', far = '', near = ''] = hexColours.split(' ');
  return {
    zenith: colourOf(zenith),
    sky: colourOf(sky),
    horizon: colourOf(horizon),
    light: colourOf(light),
    far: colourOf(far),
    near: colourOf(near),
  };
}

/** @param hex six digits */
function colourOf(hex: string): Colour {
  const value = Number.parseInt(hex, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export const palettes: readonly [Palette, ...Palette[]] = [
  palette('2b4c7e 7d9cc4 f7d9c4 fff3d6 a9b4cc 1f2a44'),
  palette('3d2c5e b35c7a ffb88a ffe9c2 c77d8e 2a1b3d'),
  palette('0f6e84 5fb6b5 fdf0c9 fffbe8 8fc7bd 0e3b43'),
  palette('5a3a7e d873a0 ffd3a8 fff0cf d592b4 2d1f4a'),
  palette('11204d 35528f 8aa6d6 f3f1e0 54699f 0a1026'),
  palette('0b1d2e 1f4d5c 6fb3a0 eef7e6 3d7a7a 06141c'),
  palette('7a2e3a e07a4f ffd79a fff2d0 d98b6a 3a1420'),
  palette('4a6fa5 a8c6e8 fbf4ea ffffff b9cbe0 33506e'),
  palette('30573f 8db580 f4ecc2 fffbe0 a3bf8f 17301f'),
  palette('1a1440 5b2a86 e36bae ffd9ec 8a4fa8 130b2e'),
  palette('c4553d f2a65a fde3a7 fff6dc e39a6b 4a1f24'),
  palette('274060 5899a8 d9e8d5 fdfbe9 86b0b0 152536'),
];
