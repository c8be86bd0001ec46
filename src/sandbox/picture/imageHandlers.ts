import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { get as getOverHttp, type IncomingMessage } from 'node:http';
import { get as getOverHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isPrivateAddress, PrivateAddressError } from '../../foreign/privateAddress.ts';
import type { Bitmap } from '../../images/codecs/Bitmap.ts';
import { pictureFormats, UnreadablePicture } from '../../images/codecs/pictureFile.ts';
import {
  type CheckedRequest,
  checkRequest,
  type Exchange,
  numberOf,
  type SandboxContext,
  SandboxError,
  sendEvents,
  sendJson,
  textOf,
} from '../Exchange.ts';
import { asksForEvents, partialImagesOf } from '../fromSdk.ts';
import { sidesOf, sizeIn } from '../furtherFields.ts';

async function generateImage(body: unknown, exchange: Exchange, context: SandboxContext): Promise<void> {
  const request = checkRequest('generateImage', body, context);
  const plan = planOf(request, context);
  const events = eventsOf('image_generation', body, plan, context);
  context.accept('generateImage');
  const make = (index: number) => context.renderWorker.run('paintPicture', { ...plan, index }, exchange.signal);
  await sendImages({ ...request, events }, exchange, context, make);
}

async function editImage(body: unknown, exchange: Exchange, context: SandboxContext): Promise<void> {
  const request = checkRequest('editImage', body, context);
  const plan = planOf(request, context);
  const sources: Bitmap[] = [];
  for (const url of request.image_urls) sources.push(await loadPicture(url, 'image_urls', exchange, context));
  const mask = await loadLayer('mask', request, sources[0], exchange, context);
  await loadLayer('markup', request, sources[0], exchange, context);
  const events = eventsOf('image_edit', body, plan, context);
  context.accept('editImage');
  const make = (index: number) =>
    context.renderWorker.run('paintEdit', { ...plan, sources, mask, index }, exchange.signal);
  await sendImages({ ...request, events }, exchange, context, make);
}

/** By operation. */
export const imageHandlers = { generateImage, editImage };

/** Returns what is painted for a request, as it is asked for or as the sandbox disobeys. */
function planOf(
  { prompt, output_format, more }: CheckedRequest<'generateImage' | 'editImage'>,
  { imageSize, disobeys }: SandboxContext,
) {
  const size = textOf(more, 'size') ?? 'auto';
  const ratio = textOf(more, 'aspect_ratio');
  const asked = size === 'auto' ? ratio && sidesOf(ratio, imageSize) : sizeIn(size);
  const isWrong = (size !== 'auto' || ratio !== undefined) && !asked;
  if (isWrong) {
    const param = size === 'auto' ? 'aspect_ratio' : 'size';
    throw new SandboxError(400, `The sandbox makes no picture of this ${param}.`, { param, code: 'invalid_value' });
  }
  const isTransparent = textOf(more, 'background') === 'transparent';
  if (isTransparent && output_format === 'jpeg') {
    throw new SandboxError(400, 'A JPEG cannot be transparent. Use png or webp as output_format.', {
      param: 'background',
      code: 'invalid_value',
    });
  }
  const [width, height] = disobeys.size ?? (asked || [imageSize, imageSize]);
  const borders = { obeyed: 'transparent', checkerboard: 'checkerboard', opaque: undefined } as const;
  return {
    prompt,
    width,
    height,
    border: isTransparent ? borders[disobeys.background ?? 'obeyed'] : undefined,
    seed: numberOf(more, 'seed'),
  };
}

/** How images are sent as events. */
interface ImageEvents {
  readonly name: 'image_generation' | 'image_edit';
  /** How many unfinished images come before each. */
  readonly partials: number;
  readonly size: string;
}

/** @returns undefined if one answer is asked for */
function eventsOf(
  name: ImageEvents['name'],
  body: unknown,
  { width, height }: Pick<ReturnType<typeof planOf>, 'width' | 'height'>,
  { isLenient }: SandboxContext,
): ImageEvents | undefined {
  if (!isLenient) return undefined;
  const partials = partialImagesOf(body);
  return asksForEvents(body) ? { name, partials, size: `${width}x${height}` } : undefined;
}

/** Makes the images one by one and answers `{created, data: [{url} or {b64_json}]}`, or with events. */
async function sendImages(
  { n, output_format, more, events }: CheckedRequest<'generateImage' | 'editImage'> & { readonly events?: ImageEvents },
  exchange: Exchange,
  { results, pictureQueue, now, disobeys, isLenient }: SandboxContext,
  make: (index: number) => Promise<Uint8Array>,
): Promise<void> {
  const { response, origin } = exchange;
  const asked = pictureFormats.find((one) => one === output_format);
  const format = disobeys.format ?? asked ?? 'png';
  const quality = numberOf(more, 'output_compression');
  const asUrl = output_format === 'url' && format === 'png' && !isLenient;
  const madeOf = async function* () {
    for (let index = 0; index < n; index++) {
      const png = await pictureQueue(() => make(index));
      yield format === 'png' ? png : await pictureAs(format, png, quality);
    }
  };
  if (events) {
    const facts = { created_at: Math.floor(now() / 1000), output_format: format, ...shownValues(more) };
    return sendEvents(exchange, imageEvents(events, facts, madeOf()));
  }
  const data: Readonly<Record<string, string>>[] = [];
  for await (const bytes of madeOf()) {
    data.push(asUrl ? { url: `${origin}${await results.add(bytes, 'png')}` } : { b64_json: base64Of(bytes) });
  }
  sendJson(response, 200, { created: Math.floor(now() / 1000), data, ...(asked && { output_format: format }) });
}

function shownValues(more: CheckedRequest<'generateImage'>['more']) {
  return { quality: textOf(more, 'quality') ?? 'auto', background: textOf(more, 'background') ?? 'auto' };
}

/** Yields the events of each image: unfinished ones, which look the same here, and the completed one. */
async function* imageEvents({ name, partials, size }: ImageEvents, facts: object, made: AsyncIterable<Uint8Array>) {
  const tokens = { image_tokens: 0, text_tokens: 0 };
  const usage = { input_tokens: 0, input_tokens_details: tokens, output_tokens: 0, total_tokens: 0 };
  for await (const bytes of made) {
    const event = { b64_json: base64Of(bytes), size, ...facts };
    for (let index = 0; index < partials; index++) {
      yield { type: `${name}.partial_image`, partial_image_index: index, ...event };
    }
    yield { type: `${name}.completed`, ...event, usage };
  }
}

function base64Of({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

export async function pictureAs(format: 'jpeg' | 'webp', png: Uint8Array, quality?: number): Promise<Uint8Array> {
  const { transformImage } = await import('../../images/transformImage.ts');
  return (await transformImage(png, { format, ...(quality !== undefined && { quality: Math.max(1, quality) }) })).bytes;
}

/** Reads a picture that lies over the first image and has its size. There is one at most. */
async function loadLayer(
  param: 'mask' | 'markup',
  { more }: CheckedRequest<'editImage'>,
  first: Bitmap | undefined,
  exchange: Exchange,
  context: SandboxContext,
): Promise<Bitmap | undefined> {
  const url = textOf(more, param);
  if (url === undefined || !first) return undefined;
  if (more.has('mask') && more.has('markup')) {
    throw new SandboxError(400, 'markup cannot be combined with mask.', { param: 'markup', code: 'invalid_value' });
  }
  const layer = await loadPicture(url, param, exchange, context, true);
  if (layer.width === first.width && layer.height === first.height) return layer;
  const name = `${param === 'mask' ? 'Mask' : 'Markup'} (${param})`;
  throw new SandboxError(400, `${name} must have the size of the first image.`, { param, code: 'invalid_value' });
}

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
  keepsAlpha = false,
): Promise<Bitmap> {
  const { readingQueue, renderWorker, imageSize } = context;
  try {
    const file = await contentOf(url, context, signal);
    return await readingQueue(() => renderWorker.run('readPicture', { file, maxSide: imageSize, keepsAlpha }, signal));
  } catch (error) {
    if (!(error instanceof UnreadablePicture || error instanceof UnreachablePicture)) throw error;
    throw new SandboxError(400, `An image of ${field} ${error.message}.`, { param: field, code: 'invalid_image' });
  }
}

/** Returns the image's bytes, or its base64, which the worker decodes. */
async function contentOf(
  url: string,
  { results, ports, maxBytes, imageFetchMs, lookup }: SandboxContext,
  signal: AbortSignal,
): Promise<Uint8Array | string> {
  if (/^data:/i.test(url)) return url.slice(url.indexOf(',') + 1);
  const { protocol, hostname, port, pathname } = new URL(url);
  const isOwn = protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname) && ports.has(Number(port));
  if (!isOwn) return fetchPicture(url, { timeoutMs: imageFetchMs, maxBytes: maxBytes.json, lookup }, signal);
  const result = results.find(pathname);
  if (!result) throw new UnreachablePicture('is not a result of this sandbox or has expired');
  return readFile(result.path);
}

/** The message is the rest of a sentence that starts with the image. */
class UnreachablePicture extends Error {
  override readonly name = 'UnreachablePicture';
}

const maxRedirects = 5;

/**
 * Downloads an http(s) URL, but not from a private address: whoever has the key may be on another machine, and must not
 * reach this one and its network.
 *
 * @throws UnreachablePicture; the signal's reason when it aborts
 */
async function fetchPicture(
  url: string,
  limits: {
    /** Resolves names; fails for private addresses. */
    readonly lookup: LookupFunction;
    /** Timeout for the whole download, in milliseconds. */
    readonly timeoutMs: number;
    readonly maxBytes: number;
  },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  try {
    const response = await follow(new URL(url), limits.lookup, AbortSignal.any([signal, timeout]));
    return await bodyOf(response, limits.maxBytes);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnreachablePicture) throw error;
    if (timeout.aborted) throw new UnreachablePicture(`was not downloaded within ${limits.timeoutMs / 1000} s`);
    throw new UnreachablePicture(`cannot be downloaded: ${causeOf(error)}`);
  }
}

async function follow(first: URL, lookup: LookupFunction, signal: AbortSignal): Promise<IncomingMessage> {
  let url = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await request(url, lookup, signal);
    const { statusCode = 0, headers } = response;
    if (statusCode < 300 || statusCode > 399 || headers.location === undefined) return response;
    response.destroy();
    const next = URL.parse(headers.location, url.href);
    if (next?.protocol !== 'http:' && next?.protocol !== 'https:') {
      throw new UnreachablePicture('cannot be downloaded: its URL redirects to one that is not http(s)');
    }
    url = next;
  }
  throw new UnreachablePicture(`cannot be downloaded: its URL redirects more than ${maxRedirects} times`);
}

/** Not with fetch, which takes no `lookup`: a name that is resolved before the connection may be private when it is made. */
async function request(url: URL, lookup: LookupFunction, signal: AbortSignal): Promise<IncomingMessage> {
  // Numbers are not looked up.
  if (isPrivateAddress(url.hostname)) throw new PrivateAddressError(url.host);
  const get = url.protocol === 'https:' ? getOverHttps : getOverHttp;
  // Without an agent, the connection ends with the response.
  const sent = get(url, { lookup, signal, agent: false, headers: { accept: 'image/*' } });
  // Aborting also fails the request after its response has begun, when reading the response reports it.
  sent.on('error', () => undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const { statusCode = 0 } = response;
  if (statusCode < 200 || statusCode > 299) {
    response.destroy();
    throw new UnreachablePicture(`cannot be downloaded: its URL returns HTTP status ${statusCode}`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) throw new UnreachablePicture(`has more than ${maxBytes} bytes`);
  }
  return Buffer.concat(chunks);
}

/** Both addresses of a name may fail, each with its own reason. */
function causeOf(error: unknown): string {
  const reason = error instanceof AggregateError ? (error.errors as readonly unknown[])[0] : error;
  return reason instanceof Error ? reason.message : String(reason);
}
