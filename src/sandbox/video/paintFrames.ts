import { drawCaption, drawLabel } from '../picture/drawCaption.ts';
import { composeLandscape, paintLandscape } from '../picture/landscape.ts';
import type { Picture } from '../picture/Picture.ts';
import { createPicture } from '../picture/Picture.ts';
import { captionColours } from '../picture/paintPicture.ts';
import { drawLights, tint } from '../picture/recolour.ts';
import type { VideoRecord } from './VideoStore.ts';

/** Earlier remixes would no longer be visible. */
const visibleRemixes = 3;
/** Seconds for which a first image is shown without lights and caption. */
const captionAfter = 0.5;

/**
 * Paints the frames of a video. Yields the same object each time, repainted.
 *
 * @param image first frame in the video's size, if the video begins with an image
 */
export function* paintFrames(record: VideoRecord, image: Picture | undefined, seconds: number): Generator<Picture> {
  const { width, height, framesPerSecond } = videoFormat;
  const picture = createPicture(width, height);
  const landscape = composeLandscape(`0\n${record.prompt}`);
  const remixes = record.remixes
    .slice(-visibleRemixes)
    .map((prompt) => ({ prompt, palette: composeLandscape(`0\n${prompt}`).palette }));
  const colours = captionColours((remixes.at(-1) ?? landscape).palette);
  for (let frame = 0; frame < framesPerSecond * seconds; frame++) {
    const time = frame / framesPerSecond;
    const isImageAlone = image !== undefined && remixes.length === 0 && time < captionAfter;
    if (image) picture.data.set(image.data);
    else paintLandscape(picture, landscape, time);
    for (const { prompt, palette } of remixes) {
      tint(picture, palette, 0.6);
      drawLights(picture, prompt, palette.light, time);
    }
    if (image && !isImageAlone) drawLights(picture, record.prompt, landscape.palette.light, time);
    if (isImageAlone) drawLabel(picture, colours);
    else drawCaption(picture, { ...captionOf(record), ...colours, opacity: image ? 0.95 : 0.74 });
    yield picture;
  }
}

function captionOf({ prompt, remixes }: VideoRecord): { readonly text: string; readonly note: string } {
  const remix = remixes.at(-1);
  if (remix === undefined) return { text: prompt, note: 'video' };
  const parent = remixes.at(-2) ?? prompt;
  const characters = Array.from(parent);
  return { text: remix, note: `remix of ${characters.length > 34 ? `${characters.slice(0, 33).join('')}…` : parent}` };
}

/** The format of all videos; width and height in pixels. */
export const videoFormat = { width: 640, height: 360, framesPerSecond: 24 } as const;
