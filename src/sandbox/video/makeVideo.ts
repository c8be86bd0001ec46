import { decodePng } from '../../images/codecs/decodePng.ts';
import { encodePng } from '../picture/encodePng.ts';
import { fitPicture } from '../picture/fitPicture.ts';
import type { Picture } from '../picture/Picture.ts';
import { createPicture, fillRows } from '../picture/Picture.ts';
import { maxPixels } from '../picture/readPicture.ts';
import { encodeVideo } from './encodeVideo.ts';
import { moveIndexFirst } from './moveIndexFirst.ts';
import { paintFrames, videoFormat } from './paintFrames.ts';
import type { VideoRecord } from './VideoStore.ts';

export interface VideoPlan {
  readonly record: VideoRecord;
  /** First frame as a PNG of the video's size, if the video begins with an image. */
  readonly image: Uint8Array | undefined;
  readonly seconds: number;
}

/** @returns an MP4 file */
export async function makeVideo({ record, image, seconds }: VideoPlan, signal: AbortSignal): Promise<Uint8Array> {
  const first = image && (await decodePng(image, { maxPixels }));
  return moveIndexFirst(await encodeVideo(paintFrames(record, first, seconds), signal));
}

/** Fits a picture into a video frame. @returns a PNG */
export async function paintFirstFrame(source: Picture): Promise<Buffer> {
  const { width, height } = videoFormat;
  const picture = createPicture(width, height);
  fillRows(picture, 0, height, [0, 0, 0]);
  fitPicture(source, picture, [0, 0, width, height]);
  return encodePng(picture);
}
