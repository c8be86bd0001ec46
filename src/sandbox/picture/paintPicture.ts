import type { CaptionColours } from './drawCaption.ts';
import { drawCaption } from './drawCaption.ts';
import { encodePng } from './encodePng.ts';
import { fitPicture } from './fitPicture.ts';
import { composeLandscape, paintLandscape } from './landscape.ts';
import type { Picture } from './Picture.ts';
import { createPicture, fillRows, mixColours } from './Picture.ts';
import type { Palette } from './palettes.ts';
import { drawLights, tint } from './recolour.ts';

export interface PicturePlan {
  readonly prompt: string;
  /** Number of the picture within its request, from 0. */
  readonly index: number;
  /** Width and height, in pixels. */
  readonly size: number;
}

export interface EditPlan extends PicturePlan {
  readonly sources: readonly Picture[];
}

/**
 * Paints a landscape with the prompt written on it: always the same for one prompt and index, different for any other.
 *
 * @returns a PNG
 */
export async function paintPicture({ prompt, index, size }: PicturePlan): Promise<Buffer> {
  const picture = createPicture(size, size);
  const landscape = composeLandscape(`${index}\n${prompt}`);
  paintLandscape(picture, landscape);
  drawCaption(picture, { text: prompt, note: `picture ${index + 1}`, ...captionColours(landscape.palette) });
  return encodePng(picture);
}

/**
 * Paints the input images side by side, tinted and with lights that depend on the prompt, and writes the prompt on them.
 *
 * @returns a PNG
 */
export async function paintEdit({ sources, prompt, index, size }: EditPlan): Promise<Buffer> {
  const picture = createPicture(size, size);
  const seed = `${index}\n${prompt}`;
  const { palette } = composeLandscape(seed);
  fillRows(picture, 0, size, palette.near);
  const columns = Math.ceil(Math.sqrt(sources.length));
  const rows = Math.ceil(sources.length / columns);
  for (const [place, source] of sources.entries()) {
    const [column, row] = [place % columns, Math.floor(place / columns)];
    // The last image of an incomplete row takes the rest of it.
    const next = place === sources.length - 1 ? columns : column + 1;
    const [left, right] = [Math.round((column * size) / columns), Math.round((next * size) / columns)];
    fitPicture(source, picture, [left, Math.round((row * size) / rows), right, Math.round(((row + 1) * size) / rows)]);
  }
  tint(picture, palette, 0.45);
  drawLights(picture, seed, palette.light, 0);
  drawCaption(picture, { text: prompt, note: `edit ${index + 1}`, opacity: 0.95, ...captionColours(palette) });
  return encodePng(picture);
}

export function captionColours({ near, light }: Palette): CaptionColours {
  return { panel: mixColours(near, [0, 0, 0], 0.35), accent: light };
}
