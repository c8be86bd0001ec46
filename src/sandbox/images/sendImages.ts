import type { Exchange } from '../http/Exchange.ts';
import { sendJson } from '../http/sendJson.ts';
import type { Workshop } from '../Workshop.ts';

interface ImagesRequest {
  readonly n: number;
  readonly output_format: 'url' | 'b64_json';
}

/** Makes the images one after the other and answers `{created, data: [{url} or {b64_json}]}`. */
export async function sendImages(
  { n, output_format }: ImagesRequest,
  { response, origin, signal }: Exchange,
  { results, pictureQueue, now }: Workshop,
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
