import { checkRequest } from '../checkRequest.ts';
import type { Exchange } from '../http/Exchange.ts';
import type { Picture } from '../picture/Picture.ts';
import type { Workshop } from '../Workshop.ts';
import { loadPicture } from './loadPicture.ts';
import { sendImages } from './sendImages.ts';

export async function editImages(body: unknown, exchange: Exchange, workshop: Workshop): Promise<void> {
  const request = checkRequest('editImage', body);
  const { studio, imageSize: size } = workshop;
  const sources: Picture[] = [];
  for (const url of request.image_urls) sources.push(await loadPicture(url, 'image_urls', exchange, workshop));
  workshop.accept('editImage');
  await sendImages(request, exchange, workshop, (index) =>
    studio.run('paintEdit', { sources, prompt: request.prompt, index, size }, exchange.signal),
  );
}
