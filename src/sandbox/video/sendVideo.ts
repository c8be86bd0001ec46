import type { Exchange } from '../http/Exchange.ts';
import { sendJson } from '../http/sendJson.ts';
import type { Picture } from '../picture/Picture.ts';
import type { Workshop } from '../Workshop.ts';
import { encodeVideo } from './encodeVideo.ts';
import { paintFrames } from './paintFrames.ts';
import type { VideoRecord } from './VideoStore.ts';

/**
 * Makes the video, keeps how it was made and answers with its id and URL.
 *
 * @param image the first frame, in the size of the video
 * @param save keeps the record
 */
export async function sendVideo(
  record: VideoRecord,
  image: Picture | undefined,
  { response, origin, signal }: Exchange,
  { results, videoQueue, videoSeconds }: Workshop,
  save: () => Promise<void>,
): Promise<void> {
  const video = await videoQueue(signal, () => encodeVideo(paintFrames(record, image, videoSeconds), signal));
  const url = `${origin}${await results.add(video, 'mp4')}`;
  await save();
  sendJson(response, 200, {
    id: record.id,
    object: 'video',
    model: record.model,
    created: record.created,
    data: [{ url }],
    remixed_from_video_id: record.remixedFrom,
  });
}
