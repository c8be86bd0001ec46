import type { Band, Picture } from './Picture.ts';
import type { Palette } from './palettes.ts';

/** Draws a picture's colours towards a palette: its dark parts to what is near, its bright ones to the light. */
export function tintPicture(
  { width, data }: Picture,
  { near, horizon, light }: Palette,
  share: number,
  rows: Band,
): void {
  const tones = new Float32Array(256 * 3);
  for (let level = 0; level < 256; level++) {
    const at = level / 255;
    const [from, to, part] = at < 0.55 ? [near, horizon, at / 0.55] : [horizon, light, (at - 0.55) / 0.45];
    for (let channel = 0; channel < 3; channel++) {
      const [low, high] = [from[channel] ?? 0, to[channel] ?? 0];
      tones[level * 3 + channel] = (low + (high - low) * part) * share;
    }
  }
  const kept = 1 - share;
  for (let at = rows.from * width * 4; at < rows.to * width * 4; at += 4) {
    const [red, green, blue] = [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0];
    const level = ((red * 77 + green * 151 + blue * 28) >> 8) * 3;
    data[at] = red * kept + (tones[level] ?? 0);
    data[at + 1] = green * kept + (tones[level + 1] ?? 0);
    data[at + 2] = blue * kept + (tones[level + 2] ?? 0);
  }
}
