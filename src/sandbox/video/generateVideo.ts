import { checkRequest } from '../checkRequest.ts';
import type { Exchange } from '../http/Exchange.ts';
import { loadPicture } from '../images/loadPicture.ts';
import type { Workshop } from '../Workshop.ts';
import { sendVideo } from './sendVideo.ts';
import type { VideoRecord } from './VideoStore.ts';

/** From text, or from an image when the body has one. */
export async function generateVideo(body: unknown, exchange: Exchange, workshop: Workshop): Promise<void> {
  const hasImage = typeof body === 'object' && body !== null && Object.hasOwn(body, 'image_url');
  await (hasImage ? fromImage : fromText)(body, exchange, workshop);
}

async function fromText(body: unknown, exchange: Exchange, workshop: Workshop): Promise<void> {
  const { model, prompt } = checkRequest('generateVideo', body);
  workshop.accept('generateVideo');
  const record = recordOf(model, prompt, workshop);
  await sendVideo(record, undefined, exchange, workshop, () => workshop.videos.save(record));
}

async function fromImage(body: unknown, exchange: Exchange, workshop: Workshop): Promise<void> {
  const { model, prompt, image_url } = checkRequest('animateImage', body);
  const source = await loadPicture(image_url, 'image_url', exchange, workshop);
  workshop.accept('animateImage');
  const record = recordOf(model, prompt, workshop);
  const image = await workshop.studio.run('paintFirstFrame', source, exchange.signal);
  await sendVideo({ ...record, image: record.id }, image, exchange, workshop, () =>
    workshop.videos.save({ ...record, image: record.id }, image),
  );
}

function recordOf(model: string, prompt: string, { videos, now }: Workshop): VideoRecord {
  const created = Math.floor(now() / 1000);
  return { id: videos.createId(), model, created, prompt, image: null, remixes: [], remixedFrom: null };
}
