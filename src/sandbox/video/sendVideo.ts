import { setTimeout } from 'node:timers/promises';
import type { Exchange } from '../http/Exchange.ts';
import { sendJson } from '../http/sendJson.ts';
import type { Workshop } from '../Workshop.ts';
import type { VideoRecord } from './VideoStore.ts';

/**
 * Makes the video, keeps how it was made and answers with its id and URL.
 *
 * @param image the first frame as PNG, in the size of the video
 * @param save keeps the record
 */
export async function sendVideo(
  record: VideoRecord,
  image: Uint8Array | undefined,
  { response, origin, signal }: Exchange,
  { results, studio, videoQueue, videoSeconds: seconds, videoWaitMs }: Workshop,
  save: () => Promise<void>,
): Promise<void> {
  const [video] = await Promise.all([
    videoQueue(signal, () => studio.run('makeVideo', { record, image, seconds }, signal)),
    setTimeout(videoWaitMs, undefined, { signal }),
  ]);
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
