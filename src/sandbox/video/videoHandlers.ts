import { setTimeout } from 'node:timers/promises';
import type { Exchange, SandboxContext } from '../Exchange.ts';
import { checkRequest, SandboxError, sendJson } from '../Exchange.ts';
import { loadPicture } from '../picture/imageHandlers.ts';
import type { VideoRecord } from './VideoStore.ts';

/** Generates a video from text, or from an image if the body has an image_url. */
async function generateVideo(body: unknown, exchange: Exchange, context: SandboxContext): Promise<void> {
  const hasImage = typeof body === 'object' && body !== null && Object.hasOwn(body, 'image_url');
  await (hasImage ? fromImage : fromText)(body, exchange, context);
}

async function fromText(body: unknown, exchange: Exchange, context: SandboxContext): Promise<void> {
  const { model, prompt } = checkRequest('generateVideo', body);
  context.accept('generateVideo');
  const record = recordOf(model, prompt, context);
  await sendVideo(record, undefined, exchange, context, () => context.videos.save(record));
}

async function fromImage(body: unknown, exchange: Exchange, context: SandboxContext): Promise<void> {
  const { model, prompt, image_url } = checkRequest('animateImage', body);
  const source = await loadPicture(image_url, 'image_url', exchange, context);
  context.accept('animateImage');
  const record = recordOf(model, prompt, context);
  const image = await context.renderWorker.run('paintFirstFrame', source, exchange.signal);
  await sendVideo({ ...record, image: record.id }, image, exchange, context, () =>
    context.videos.save({ ...record, image: record.id }, image),
  );
}

function recordOf(model: string, prompt: string, { videos, now }: SandboxContext): VideoRecord {
  const created = Math.floor(now() / 1000);
  return { id: videos.createId(), model, created, prompt, image: null, remixes: [], remixedFrom: null };
}

async function remixVideo(body: unknown, exchange: Exchange, context: SandboxContext): Promise<void> {
  const { model, prompt, video_id } = checkRequest('remixVideo', body);
  const { videos, accept, now } = context;
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
      `Video (video_id) was made by the model "${parent.model}". Only that model can remix it, not "${model}".`,
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
  await sendVideo(record, image, exchange, context, () => videos.save(record));
}

/** By operation. Two of them have the same path, so their handler takes both. */
export const videoHandlers = { generateVideo, animateImage: generateVideo, remixVideo };

/**
 * Makes the video, saves its record and answers with its id and URL.
 *
 * @param image first frame as a PNG of the video's size
 * @param save saves the record
 */
async function sendVideo(
  record: VideoRecord,
  image: Uint8Array | undefined,
  { response, origin, signal }: Exchange,
  { results, renderWorker, videoQueue, videoSeconds: seconds, videoWaitMs }: SandboxContext,
  save: () => Promise<void>,
): Promise<void> {
  const [video] = await Promise.all([
    videoQueue(() => renderWorker.run('makeVideo', { record, image, seconds }, signal)),
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
