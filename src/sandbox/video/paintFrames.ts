import { composeScene } from '../picture/composeScene.ts';
import { drawCaption, drawLabel } from '../picture/drawCaption.ts';
import { drawLights } from '../picture/drawLights.ts';
import type { Picture } from '../picture/Picture.ts';
import { createPicture, wholeOf } from '../picture/Picture.ts';
import { captionColours } from '../picture/paintPicture.ts';
import { paintScene } from '../picture/paintScene.ts';
import { scaleAtOnce } from '../picture/scalePicture.ts';
import { tintPicture } from '../picture/tintPicture.ts';
import type { VideoRecord } from './VideoStore.ts';
import { videoFormat } from './videoFormat.ts';

/** Older remixes than the last few cannot be seen any more. */
const visibleRemixes = 3;
/** Seconds until the caption lies over a first image. */
const captionAfter = 0.5;

/**
 * The frames of a video. The same object each time, painted anew.
 *
 * @param image the first frame, in the size of the video, if it begins with one
 */
export function* paintFrames(record: VideoRecord, image: Picture | undefined, seconds: number): Generator<Picture> {
  const { width, height, framesPerSecond } = videoFormat;
  const picture = createPicture(width, height);
  const scene = composeScene(`0\n${record.prompt}`);
  const remixes = record.remixes.slice(-visibleRemixes).map((prompt) => ({ prompt, ...composeScene(`0\n${prompt}`) }));
  const colours = captionColours((remixes.at(-1) ?? scene).palette);
  for (let frame = 0; frame < framesPerSecond * seconds; frame++) {
    const time = frame / framesPerSecond;
    if (image) paintZoomed(image, picture, time / seconds);
    else paintScene(picture, scene, time)(wholeOf(picture));
    for (const { prompt, palette } of remixes) {
      tintPicture(picture, palette, 0.6, wholeOf(picture));
      drawLights(picture, prompt, palette.light, time);
    }
    if (image && remixes.length === 0 && time < captionAfter) drawLabel(picture, colours);
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

/** Slowly closer to the middle. @param share of the whole way, 0 to 1 */
function paintZoomed(image: Picture, picture: Picture, share: number): void {
  const kept = 1 - 0.16 * share;
  const [width, height] = [image.width * kept, image.height * kept];
  const frame = { left: (image.width - width) / 2, top: (image.height - height) / 2, width, height };
  scaleAtOnce(image, frame, picture);
}
