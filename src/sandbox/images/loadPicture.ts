import { readFile } from 'node:fs/promises';
import { UnreadablePicture } from '../../images/codecs/UnreadablePicture.ts';
import { SandboxError } from '../http/SandboxError.ts';
import type { Picture } from '../picture/Picture.ts';
import type { Exchange, SandboxContext } from '../SandboxContext.ts';
import { fetchPicture, UnreachablePicture } from './fetchPicture.ts';

/**
 * Reads an input image from a `data:` or `http(s):` URL.
 *
 * @param field name of the field with the URL
 * @returns the picture, at most as large as the images that the sandbox generates
 * @throws SandboxError 400 with the name of the field
 */
export async function loadPicture(
  url: string,
  field: string,
  { signal }: Exchange,
  context: SandboxContext,
): Promise<Picture> {
  const { readingQueue, renderWorker, imageSize } = context;
  try {
    const file = await contentOf(url, context, signal);
    return await readingQueue(signal, () => renderWorker.run('readPicture', { file, maxSide: imageSize }, signal));
  } catch (error) {
    if (!(error instanceof UnreadablePicture || error instanceof UnreachablePicture)) throw error;
    throw new SandboxError(400, `An image of ${field} ${error.message}.`, { param: field, code: 'invalid_image' });
  }
}

/** Returns the image's bytes, or its base64, which the worker decodes. */
async function contentOf(
  url: string,
  { results, ports, maxBytes, imageFetchMs }: SandboxContext,
  signal: AbortSignal,
): Promise<Uint8Array | string> {
  if (/^data:/i.test(url)) return url.slice(url.indexOf(',') + 1);
  const { protocol, hostname, port, pathname } = new URL(url);
  const isOwn = protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname) && ports.has(Number(port));
  if (!isOwn) return fetchPicture(url, { timeoutMs: imageFetchMs, maxBytes: maxBytes.json }, signal);
  const result = results.find(pathname);
  if (!result) throw new UnreachablePicture('is not a result of this sandbox or has expired');
  return readFile(result.path);
}
