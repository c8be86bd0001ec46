import { checkRequest } from '../checkRequest.ts';
import { sendJson } from '../http/sendJson.ts';
import type { Picture } from '../picture/Picture.ts';
import type { Exchange, SandboxContext } from '../SandboxContext.ts';
import { loadPicture } from './loadPicture.ts';

export async function generateImages(body: unknown, exchange: Exchange, context: SandboxContext): Promise<void> {
  const request = checkRequest('generateImage', body);
  const { renderWorker, imageSize: size } = context;
  context.accept('generateImage');
  await sendImages(request, exchange, context, (index) =>
    renderWorker.run('paintPicture', { prompt: request.prompt, index, size }, exchange.signal),
  );
}

export async function editImages(body: unknown, exchange: Exchange, context: SandboxContext): Promise<void> {
  const request = checkRequest('editImage', body);
  const { renderWorker, imageSize: size } = context;
  const sources: Picture[] = [];
  for (const url of request.image_urls) sources.push(await loadPicture(url, 'image_urls', exchange, context));
  context.accept('editImage');
  await sendImages(request, exchange, context, (index) =>
    renderWorker.run('paintEdit', { sources, prompt: request.prompt, index, size }, exchange.signal),
  );
}

interface ImagesRequest {
  readonly n: number;
  readonly output_format: 'url' | 'b64_json';
}

/** Makes the images one by one and answers `{created, data: [{url} or {b64_json}]}`. */
async function sendImages(
  { n, output_format }: ImagesRequest,
  { response, origin, signal }: Exchange,
  { results, pictureQueue, now }: SandboxContext,
  make: (index: number) => Promise<Uint8Array>,
): Promise<void> {
  const data: Readonly<Record<string, string>>[] = [];
  for (let index = 0; index < n; index++) {
    const png = await pictureQueue(signal, () => make(index));
    data.push(
      output_format === 'url'
        ? { url: `${origin}${await results.add(png, 'png')}` }
        : { b64_json: Buffer.from(png.buffer, png.byteOffset, png.byteLength).toString('base64') },
    );
  }
  sendJson(response, 200, { created: Math.floor(now() / 1000), data });
}
