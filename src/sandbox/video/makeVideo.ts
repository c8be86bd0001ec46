import { decodePng } from '../../images/codecs/decodePng.ts';
import { maxPixels } from '../picture/readPicture.ts';
import { encodeVideo } from './encodeVideo.ts';
import { moveIndexFirst } from './moveIndexFirst.ts';
import { paintFrames } from './paintFrames.ts';
import type { VideoRecord } from './VideoStore.ts';

export interface VideoPlan {
  readonly record: VideoRecord;
  /** The first frame as PNG in the size of the videos, if it begins with one. */
  readonly image: Uint8Array | undefined;
  readonly seconds: number;
}

/** @returns an MP4 file */
export async function makeVideo({ record, image, seconds }: VideoPlan, signal: AbortSignal): Promise<Uint8Array> {
  const first = image && (await decodePng(image, { maxPixels }));
  return moveIndexFirst(await encodeVideo(paintFrames(record, first, seconds), signal));
}
