import { pause } from '../pause.ts';
import { composeScene } from './composeScene.ts';
import type { CaptionColours } from './drawCaption.ts';
import { drawCaption } from './drawCaption.ts';
import { encodePng } from './encodePng.ts';
import { createPicture, mixColours } from './Picture.ts';
import { paintScene } from './paintScene.ts';
import type { Palette } from './palettes.ts';

/** Width and height of the sandbox's images. */
export const pictureSize = 1024;
const bandHeight = 128;

/**
 * A landscape with the prompt written on it: always the same for a prompt and index, different for all others.
 *
 * @param index counts from 0
 * @returns a PNG
 */
export async function paintPicture(prompt: string, index: number, signal: AbortSignal): Promise<Buffer> {
  const picture = createPicture(pictureSize, pictureSize);
  const scene = composeScene(`${index}\n${prompt}`);
  const paint = paintScene(picture, scene);
  for (let from = 0; from < pictureSize; from += bandHeight) {
    paint({ from, to: from + bandHeight });
    await pause(signal);
  }
  drawCaption(picture, { text: prompt, note: `picture ${index + 1}`, ...captionColours(scene.palette) });
  await pause(signal);
  return encodePng(picture);
}

export function captionColours({ near, light }: Palette): CaptionColours {
  return { panel: mixColours(near, [0, 0, 0], 0.35), accent: light };
}
