import { checkRequest } from '../checkRequest.ts';
import type { Exchange } from '../http/Exchange.ts';
import { paintPicture } from '../picture/paintPicture.ts';
import type { Workshop } from '../Workshop.ts';
import { sendImages } from './sendImages.ts';

export async function generateImages(body: unknown, exchange: Exchange, workshop: Workshop): Promise<void> {
  const request = checkRequest('generateImage', body);
  workshop.accept('generateImage');
  await sendImages(request, exchange, workshop, (index) => paintPicture(request.prompt, index, exchange.signal));
}
