import { checkRequest } from '../checkRequest.ts';
import type { Exchange } from '../http/Exchange.ts';
import { SandboxError } from '../http/SandboxError.ts';
import type { Workshop } from '../Workshop.ts';
import { sendVideo } from './sendVideo.ts';
import type { VideoRecord } from './VideoStore.ts';

export async function remixVideo(body: unknown, exchange: Exchange, workshop: Workshop): Promise<void> {
  const { model, prompt, video_id } = checkRequest('remixVideo', body);
  const { videos, accept, now } = workshop;
  const parent = await videos.find(video_id);
  if (!parent) {
    throw new SandboxError(404, `Video (video_id) "${video_id}" was not made by this sandbox.`, {
      param: 'video_id',
      code: 'unknown_video',
    });
  }
  if (parent.model !== model) {
    throw new SandboxError(
      400,
      `Video (video_id) was made by the model "${parent.model}": only that one can remix it, not "${model}".`,
      { param: 'video_id', code: 'other_model' },
    );
  }
  accept('remixVideo');
  const record: VideoRecord = {
    ...parent,
    id: videos.createId(),
    created: Math.floor(now() / 1000),
    remixes: [...parent.remixes, prompt],
    remixedFrom: parent.id,
  };
  const image = parent.image === null ? undefined : await videos.findImage(parent.image);
  await sendVideo(record, image, exchange, workshop, () => videos.save(record));
}
