import { pause } from '../pause.ts';
import { composeScene } from './composeScene.ts';
import { drawCaption } from './drawCaption.ts';
import { drawLights } from './drawLights.ts';
import { encodePng } from './encodePng.ts';
import { fitPicture } from './fitPicture.ts';
import type { Picture } from './Picture.ts';
import { createPicture, wholeOf } from './Picture.ts';
import type { PicturePlan } from './paintPicture.ts';
import { captionColours } from './paintPicture.ts';
import { tintPicture } from './tintPicture.ts';

export interface EditPlan extends PicturePlan {
  readonly sources: readonly Picture[];
}

/**
 * The input images side by side, in the colours that the prompt gives, with lights over them and the prompt written.
 *
 * @returns a PNG
 */
export async function paintEdit({ sources, prompt, index, size }: EditPlan, signal: AbortSignal): Promise<Buffer> {
  const picture = createPicture(size, size);
  const seed = `${index}\n${prompt}`;
  const { palette } = composeScene(seed);
  const columns = Math.ceil(Math.sqrt(sources.length));
  const rows = Math.ceil(sources.length / columns);
  for (const [place, source] of sources.entries()) {
    const left = Math.round(((place % columns) * size) / columns);
    const top = Math.round((Math.floor(place / columns) * size) / rows);
    // The last image of an incomplete row takes what is left of it.
    const last = place === sources.length - 1 || place % columns === columns - 1;
    const right = last ? size : Math.round((((place % columns) + 1) * size) / columns);
    const bottom = Math.round(((Math.floor(place / columns) + 1) * size) / rows);
    await fitPicture(source, picture, { left, top, width: right - left, height: bottom - top }, signal);
  }
  tintPicture(picture, palette, 0.45, wholeOf(picture));
  await pause(signal);
  drawLights(picture, seed, palette.light, 0);
  drawCaption(picture, { text: prompt, note: `edit ${index + 1}`, opacity: 0.95, ...captionColours(palette) });
  await pause(signal);
  return encodePng(picture);
}
