import { createHash, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import busboy, { type Busboy } from 'busboy';
import { type Area, type OperationId, operationIds, operations } from '../operations/operations.ts';
import { answerByKey } from './answerByKey.ts';
import {
  checkContentType,
  checkLength,
  createRequestId,
  type Exchange,
  readBody,
  readJson,
  type SandboxContext,
  SandboxError,
  sendJson,
  tooLarge,
} from './Exchange.ts';
import { fromSdk } from './fromSdk.ts';
import { bodyOfForm, sandboxFields } from './furtherFields.ts';
import { imageHandlers } from './picture/imageHandlers.ts';
import type { StoredResult } from './ResultStore.ts';
import { transcribe } from './recording/transcribe.ts';
import { routeForSdks } from './serveForSdks.ts';
import { speak } from './speech/speak.ts';
import { videoHandlers } from './video/videoHandlers.ts';

/**
 * Answers one request. Never throws.
 *
 * @param areas the areas that the addressed host serves
 */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  areas: readonly Area[],
  context: SandboxContext,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.setHeader('x-request-id', createRequestId());
  try {
    const origin = checkCaller(request);
    await route({ request, response, origin, signal: gone.signal }, areas, context);
  } catch (error) {
    if (!gone.signal.aborted) sendError(response, error);
  }
  // Discard the rest of a rejected body: some clients read the response only after sending everything.
  if (!request.complete) request.resume();
}

async function route(exchange: Exchange, areas: readonly Area[], context: SandboxContext): Promise<void> {
  const { request } = exchange;
  const [path = '/'] = (request.url ?? '/').split('?');
  const { 'idempotency-key': idempotencyKey } = request.headers;
  if (idempotencyKey !== undefined && request.method === 'POST') {
    checkKey(request, context);
    const body = await readBody(request, Math.max(context.maxBytes.json, context.maxBytes.upload));
    return answerByKey(exchange, String(idempotencyKey), body, context);
  }
  if (await context.intercept?.(exchange)) return;
  if (path.startsWith('/results/')) {
    checkMethod(request, ['GET', 'HEAD']);
    return sendStored(path, exchange, context);
  }
  const found = routes.find((candidate) => candidate.path === path && areas.includes(candidate.area));
  const forSdks = context.isLenient && !(found && request.method === 'POST') ? routeForSdks(path) : undefined;
  if (forSdks) {
    checkMethod(request, forSdks.methods);
    checkKey(request, context);
    return forSdks.serve(exchange, context, (of) => sendStored(of, exchange, context));
  }
  const remixed = /^\/v1\/videos\/(video_[0-9a-f]+)\/remix$/.exec(path)?.[1];
  if (remixed !== undefined && areas.includes('video')) {
    checkMethod(request, ['POST']);
    checkKey(request, context);
    const body = await bodyOf('remixVideo', exchange, context);
    return videoHandlers.remixVideo({ ...(body as object), video_id: remixed }, exchange, context);
  }
  if (!found) throw new SandboxError(404, `There is nothing at ${path.slice(0, 200)}.`, { code: 'unknown_path' });
  checkMethod(request, ['POST']);
  checkKey(request, context);
  return found.handle(exchange, context);
}

/** Answers with a stored result, by the path of its URL. */
async function sendStored(path: string, exchange: Exchange, { results }: SandboxContext): Promise<void> {
  const result = results.find(path);
  if (!result) throw new SandboxError(404, 'This result does not exist or has expired.', { code: 'no_result' });
  await sendResult(exchange, result);
}

function checkMethod({ method = '' }: IncomingMessage, allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  const allow = allowed.join(', ');
  throw new SandboxError(405, `This path takes ${allow}.`, { code: 'wrong_method', headers: { allow } });
}

function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, body, details } =
    error instanceof SandboxError ? error : new SandboxError(500, `The sandbox failed: ${String(error)}`);
  sendJson(response, status, body, details.headers);
}

/** Reads the body of a request and answers it. */
type Handler = (exchange: Exchange, context: SandboxContext) => Promise<void>;

/** The fields of files in forms, by the names of their parts: those of the presets, and those of the specification. */
const formFiles: Readonly<Partial<Record<OperationId, Readonly<Record<string, string>>>>> = {
  editImage: { image: 'image_urls', 'image[]': 'image_urls', mask: 'mask', markup: 'markup' },
  generateVideo: { input_reference: 'image_url' },
  animateImage: { input_reference: 'image_url' },
};

/** Reads a JSON body, or a form with files where a preset sends one. */
async function bodyOf(id: OperationId, exchange: Exchange, { maxBytes, isLenient }: SandboxContext): Promise<unknown> {
  const files = formFiles[id] ?? (id === 'remixVideo' ? {} : undefined);
  const body =
    files && isForm(exchange.request)
      ? await receiveForm(id, exchange, files, maxBytes.upload)
      : await readJson(exchange.request, maxBytes.json);
  return isLenient ? fromSdk(id, body) : body;
}

/** The handlers of bodies by operation. Recordings arrive in forms that are streamed. */
const bodyHandlers = { ...imageHandlers, ...videoHandlers, speak };

function handlerOf(id: OperationId): Handler {
  if (id === 'transcribe' || id === 'translate') return transcribe(id);
  const handle = bodyHandlers[id];
  return async (exchange, context) => handle(await bodyOf(id, exchange, context), exchange, context);
}

/** All routes take POST and need the key. */
const routes: readonly { readonly area: Area; readonly path: string; readonly handle: Handler }[] = [
  ...operationIds.map((id) => ({ ...operations[id], handle: handlerOf(id) })),
  { area: 'video', path: '/v1/videos', handle: handlerOf('generateVideo') },
];

/**
 * Rejects what no honest local client sends. Another Host means DNS rebinding; an Origin or another site means a web
 * page.
 *
 * @returns the origin that the client used
 * @throws SandboxError 403
 */
function checkCaller(request: IncomingMessage): string {
  const { host, origin, 'sec-fetch-site': site } = request.headers;
  const port = request.socket.localPort;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) {
    throw new SandboxError(403, `The sandbox answers requests to 127.0.0.1:${port} only.`, { code: 'wrong_host' });
  }
  if (origin !== undefined || site === 'cross-site' || site === 'same-site') {
    throw new SandboxError(403, 'The sandbox does not answer requests from web pages.', { code: 'wrong_origin' });
  }
  return `http://${host}`;
}

/** @throws SandboxError 401 unless the Authorization header is the key itself; for SDKs, `Bearer` may precede it */
function checkKey(request: IncomingMessage, { key, isLenient }: SandboxContext): void {
  const { authorization } = request.headers;
  const given = isLenient ? authorization?.replace(/^Bearer /i, '') : authorization;
  if (given !== undefined && timingSafeEqual(digest(given), digest(key))) return;
  throw new SandboxError(
    401,
    given === undefined
      ? 'The API key is missing. Send it in the Authorization header.'
      : 'The API key is wrong. The Authorization header must be the key itself, without a scheme such as Bearer.',
    { code: 'invalid_api_key' },
  );
}

/** Returns a hash, because timingSafeEqual needs equal lengths. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const mediaTypes = { png: 'image/png', mp4: 'video/mp4' } as const;

/** Answers GET or HEAD with the whole result or one byte range. @throws SandboxError 416 for a range beyond the end */
async function sendResult({ request, response, signal }: Exchange, result: StoredResult): Promise<void> {
  const range = rangeOf(request.headers.range, result.length);
  const { start, end } = range ?? { start: 0, end: result.length - 1 };
  response.writeHead(range ? 206 : 200, {
    'content-type': mediaTypes[result.type],
    'content-length': end - start + 1,
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(range && { 'content-range': `bytes ${start}-${end}/${result.length}` }),
  });
  if (request.method === 'HEAD') response.end();
  else await pipeline(createReadStream(result.path, { start, end }), response, { signal });
}

/** Parses a Range header; `end` is inclusive. Returns undefined if it is missing, invalid or has several ranges. */
function rangeOf(
  header: string | undefined,
  length: number,
): { readonly start: number; readonly end: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === '' || last === '' ? length - 1 : Math.min(Number(last), length - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  if (start >= length) {
    throw new SandboxError(416, `The requested range starts after the end of the result, which has ${length} bytes.`, {
      headers: { 'content-range': `bytes */${length}` },
    });
  }
  return { start, end };
}

function isForm({ headers }: Exchange['request']): boolean {
  return headers['content-type']?.startsWith('multipart/form-data') ?? false;
}

/**
 * Reads a form into memory, as the JSON body that it stands for: its files are `data:` URLs.
 *
 * @param parts the fields that hold files, by the names of their parts
 * @throws SandboxError 413 for more than `maxBytes`, 400 for an invalid form
 */
async function receiveForm(
  id: OperationId,
  { request, signal }: Exchange,
  parts: Readonly<Record<string, string>>,
  maxBytes: number,
): Promise<Readonly<Record<string, unknown>>> {
  checkContentType(request, 'multipart/form-data');
  checkLength(request, maxBytes);
  const form = openForm(request.headers);
  const values = new Map<string, string[]>();
  const files = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, name: string, value: string) =>
    map.set(name, [...(map.get(name) ?? []), value]);
  let problem: SandboxError | undefined;
  form.on('field', (name, value) => add(values, name, value));
  form.on('file', (name, stream, { mimeType }) => {
    const field = parts[name];
    if (field === undefined) problem ??= invalidForm(`The field "${name}" must not be a file.`, name);
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      if (field !== undefined) add(files, field, `data:${mimeType};base64,${Buffer.concat(chunks).toString('base64')}`);
    });
    stream.on('error', () => undefined);
  });
  form.on('partsLimit', () => {
    problem ??= invalidForm('The form has too many parts.');
  });
  let length = 0;
  const counted = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      length += chunk.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  };
  await pipeline(request.iterator({ destroyOnReturn: false }), counted, form, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error instanceof SandboxError ? error : invalidForm('The form is damaged or incomplete.');
  });
  if (problem) throw problem;
  const isList = (name: string) =>
    sandboxFields(id).own.some((field) => field.name === name && field.type === 'images');
  const inFiles = [...files].map(([field, urls]) => [field, isList(field) ? urls : urls[0]] as const);
  return { ...bodyOfForm(id, values), ...Object.fromEntries(inFiles) };
}

function openForm(headers: Exchange['request']['headers']): Busboy {
  try {
    return busboy({ headers, defParamCharset: 'utf8', limits: { fieldSize: 200_000, parts: 100, headerPairs: 20 } });
  } catch {
    throw invalidForm('The content type of the form has no boundary.');
  }
}

function invalidForm(message: string, param?: string): SandboxError {
  return new SandboxError(400, message, { param, code: 'invalid_form' });
}
