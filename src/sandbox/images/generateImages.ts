import { checkRequest } from '../checkRequest.ts';
import type { Exchange } from '../http/Exchange.ts';
import type { Workshop } from '../Workshop.ts';
import { sendImages } from './sendImages.ts';

export async function generateImages(body: unknown, exchange: Exchange, workshop: Workshop): Promise<void> {
  const request = checkRequest('generateImage', body);
  const { studio, imageSize: size } = workshop;
  workshop.accept('generateImage');
  await sendImages(request, exchange, workshop, (index) =>
    studio.run('paintPicture', { prompt: request.prompt, index, size }, exchange.signal),
  );
}
