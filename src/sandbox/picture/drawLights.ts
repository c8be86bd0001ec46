import type { Colour, Picture } from './Picture.ts';
import { blendPixel } from './Picture.ts';
import { seededRandom } from './seededRandom.ts';

const count = 16;

/**
 * Draws soft round lights that rise.
 *
 * @param time seconds
 */
export function drawLights(picture: Picture, seed: string, colour: Colour, time: number): void {
  const random = seededRandom(seed);
  const { width, height } = picture;
  for (let light = 0; light < count; light++) {
    const radius = (0.015 + 0.05 * random() ** 2) * height;
    const x = random() * width + Math.sin(time * (0.5 + random()) + light) * 0.02 * width;
    const speed = 0.03 + 0.08 * random();
    const y = ((((random() - time * speed) % 1) + 1) % 1) * (height + 2 * radius) - radius;
    drawLight(picture, x, y, radius, colour, 0.16 + 0.26 * random());
  }
}

function drawLight(
  { width, height, data }: Picture,
  x: number,
  y: number,
  radius: number,
  colour: Colour,
  strength: number,
): void {
  for (let row = Math.max(0, Math.floor(y - radius)); row < Math.min(height, y + radius); row++) {
    for (let column = Math.max(0, Math.floor(x - radius)); column < Math.min(width, x + radius); column++) {
      const distance = Math.hypot(column - x, row - y) / radius;
      if (distance >= 1) continue;
      const rim = distance > 0.82 ? (1 - distance) / 0.18 : 0.7 + 0.36 * distance;
      blendPixel(data, (row * width + column) * 4, colour, strength * rim);
    }
  }
}
