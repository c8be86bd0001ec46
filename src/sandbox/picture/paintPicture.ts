import { pause } from '../pause.ts';
import { composeScene } from './composeScene.ts';
import type { CaptionColours } from './drawCaption.ts';
import { drawCaption } from './drawCaption.ts';
import { encodePng } from './encodePng.ts';
import { createPicture, mixColours } from './Picture.ts';
import { paintScene } from './paintScene.ts';
import type { Palette } from './palettes.ts';

export interface PicturePlan {
  readonly prompt: string;
  /** Counts from 0. */
  readonly index: number;
  /** Width and height in pixels. */
  readonly size: number;
}

const bandHeight = 128;

/**
 * A landscape with the prompt written on it: always the same for a prompt and index, different for all others.
 *
 * @returns a PNG
 */
export async function paintPicture({ prompt, index, size }: PicturePlan, signal: AbortSignal): Promise<Buffer> {
  const picture = createPicture(size, size);
  const scene = composeScene(`${index}\n${prompt}`);
  const paint = paintScene(picture, scene);
  for (let from = 0; from < size; from += bandHeight) {
    paint({ from, to: Math.min(size, from + bandHeight) });
    await pause(signal);
  }
  drawCaption(picture, { text: prompt, note: `picture ${index + 1}`, ...captionColours(scene.palette) });
  await pause(signal);
  return encodePng(picture);
}

export function captionColours({ near, light }: Palette): CaptionColours {
  return { panel: mixColours(near, [0, 0, 0], 0.35), accent: light };
}
