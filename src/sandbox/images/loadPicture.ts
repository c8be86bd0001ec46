import { readFile } from 'node:fs/promises';
import { UnreadablePicture } from '../../images/codecs/UnreadablePicture.ts';
import type { Exchange } from '../http/Exchange.ts';
import { SandboxError } from '../http/SandboxError.ts';
import type { Picture } from '../picture/Picture.ts';
import type { Workshop } from '../Workshop.ts';
import { fetchPicture, UnreachablePicture } from './fetchPicture.ts';

/**
 * Reads an input image from a `data:` or `http(s):` URL.
 *
 * @param field that held the URL
 * @returns the picture, shrunk when it is larger than those that the sandbox makes
 * @throws SandboxError 400 that names the field
 */
export async function loadPicture(
  url: string,
  field: string,
  { signal }: Exchange,
  workshop: Workshop,
): Promise<Picture> {
  const { readingQueue, studio, imageSize } = workshop;
  try {
    const file = await contentOf(url, workshop, signal);
    return await readingQueue(signal, () => studio.run('readPicture', { file, maxSide: imageSize }, signal));
  } catch (error) {
    if (!(error instanceof UnreadablePicture || error instanceof UnreachablePicture)) throw error;
    throw new SandboxError(400, `An image of ${field} ${error.message}.`, { param: field, code: 'invalid_image' });
  }
}

/** The image's bytes, or its base64 as it came: that is for the studio to decode. */
async function contentOf(
  url: string,
  { results, ports, limits, imageFetchMs }: Workshop,
  signal: AbortSignal,
): Promise<Uint8Array | string> {
  if (/^data:/i.test(url)) return url.slice(url.indexOf(',') + 1);
  const { protocol, hostname, port, pathname } = new URL(url);
  const isOwn = protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname) && ports.has(Number(port));
  if (!isOwn) return fetchPicture(url, { time: imageFetchMs, size: limits.json }, signal);
  const result = results.find(pathname);
  if (!result) throw new UnreachablePicture('is no result of the sandbox, or has expired');
  return readFile(result.path);
}
