import { encodePng } from '../picture/encodePng.ts';
import { fitPicture } from '../picture/fitPicture.ts';
import type { Picture } from '../picture/Picture.ts';
import { createPicture } from '../picture/Picture.ts';
import { videoFormat } from './videoFormat.ts';

/** A picture in the size of the videos, as PNG. */
export async function paintFirstFrame(source: Picture, signal: AbortSignal): Promise<Buffer> {
  const { width, height } = videoFormat;
  const picture = createPicture(width, height);
  await fitPicture(source, picture, { left: 0, top: 0, width, height }, signal);
  return encodePng(picture);
}
