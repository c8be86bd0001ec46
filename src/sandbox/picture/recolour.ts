import { seededRandom } from '../seededRandom.ts';
import type { Colour, Picture } from './Picture.ts';
import { fillCircle } from './Picture.ts';
import type { Palette } from './palettes.ts';

/** Tints a picture: dark parts towards the palette's nearest colour, bright parts towards its light. */
export function tint({ data }: Picture, { near, light }: Palette, share: number): void {
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue] = [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0];
    const brightness = (red * 77 + green * 151 + blue * 28) / 65_280;
    data[at] = red + (near[0] + (light[0] - near[0]) * brightness - red) * share;
    data[at + 1] = green + (near[1] + (light[1] - near[1]) * brightness - green) * share;
    data[at + 2] = blue + (near[2] + (light[2] - near[2]) * brightness - blue) * share;
  }
}

/** Draws translucent circles that rise. @param time in seconds */
export function drawLights(picture: Picture, seed: string, colour: Colour, time: number): void {
  const random = seededRandom(seed);
  const { width, height } = picture;
  for (let light = 0; light < 16; light++) {
    const radius = (0.015 + 0.05 * random() ** 2) * height;
    const x = random() * width + Math.sin(time * (0.5 + random()) + light) * 0.02 * width;
    const risen = random() + time * (0.03 + 0.08 * random());
    const y = (1 - (risen % 1)) * (height + 2 * radius) - radius;
    fillCircle(picture, x, y, radius, colour, 0.12 + 0.2 * random());
  }
}
