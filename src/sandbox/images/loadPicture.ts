import { readFile } from 'node:fs/promises';
import type { Exchange } from '../http/Exchange.ts';
import { SandboxError } from '../http/SandboxError.ts';
import { decodePng } from '../picture/decodePng.ts';
import type { Picture } from '../picture/Picture.ts';
import { createPicture } from '../picture/Picture.ts';
import { pictureSize } from '../picture/paintPicture.ts';
import { scalePicture } from '../picture/scalePicture.ts';
import type { ResultStore } from '../ResultStore.ts';
import type { Workshop } from '../Workshop.ts';

/**
 * Reads an input image: a `data:` URL, or the URL of one of the sandbox's own results. It fetches nothing.
 *
 * @param field that held the URL
 * @returns the picture, shrunk when it is larger than those that the sandbox makes
 * @throws SandboxError 400 that names the field
 */
export async function loadPicture(
  url: string,
  field: string,
  { signal }: Exchange,
  { results, pictureQueue, ports }: Workshop,
): Promise<Picture> {
  const bytes = await bytesOf(url, field, ports, results);
  return pictureQueue(signal, () => shrink(decode(bytes, field), signal));
}

function decode(bytes: Uint8Array, field: string): Picture {
  let picture: Picture | undefined;
  try {
    picture = decodePng(bytes);
  } catch (error) {
    throw refusal(field, `holds a PNG that cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!picture) throw refusal(field, 'must be a PNG: the sandbox reads no other images yet.');
  return picture;
}

/** Several photographs in full would fill the memory. */
async function shrink(picture: Picture, signal: AbortSignal): Promise<Picture> {
  const { width, height } = picture;
  const scale = pictureSize / Math.max(width, height);
  if (scale >= 1) return picture;
  const smaller = createPicture(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
  await scalePicture(picture, { left: 0, top: 0, width, height }, smaller, { left: 0, top: 0, ...smaller }, signal);
  return smaller;
}

async function bytesOf(
  url: string,
  field: string,
  ports: ReadonlySet<number>,
  results: ResultStore,
): Promise<Uint8Array> {
  const data = /^data:[^,]*;base64,/i.exec(url);
  if (data) {
    const encoded = url.slice(data[0].length);
    if (!/^[\w+/-]+={0,2}$/.test(encoded)) throw refusal(field, 'holds a data: URL that is not base64.');
    return Buffer.from(encoded, 'base64');
  }
  const { protocol, hostname, port, pathname } = new URL(url);
  if (protocol !== 'http:' || !['127.0.0.1', 'localhost'].includes(hostname) || !ports.has(Number(port))) {
    throw refusal(field, 'cannot be fetched: the sandbox reads data: URLs and its own results.');
  }
  const result = results.find(pathname);
  if (!result) throw refusal(field, 'is no result of the sandbox, or has expired.');
  return readFile(result.path);
}

function refusal(field: string, problem: string): SandboxError {
  return new SandboxError(400, `An image of ${field} ${problem}`, { param: field, code: 'invalid_image' });
}
