import { createHash, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Area, OperationId } from '../operations/operations.ts';
import { operationIds, operations } from '../operations/operations.ts';
import type { Exchange, SandboxContext } from './Exchange.ts';
import { createRequestId, readJson, SandboxError, sendJson } from './Exchange.ts';
import { imageHandlers } from './picture/imageHandlers.ts';
import type { Result } from './ResultStore.ts';
import { transcribe } from './recording/transcribe.ts';
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
  if (await context.intercept?.(exchange)) return;
  if (path.startsWith('/results/')) {
    checkMethod(request, ['GET', 'HEAD']);
    const result = context.results.find(path);
    if (!result) throw new SandboxError(404, 'This result does not exist or has expired.', { code: 'no_result' });
    return sendResult(exchange, result);
  }
  const found = routes.find((candidate) => candidate.path === path && areas.includes(candidate.area));
  if (!found) throw new SandboxError(404, `There is nothing at ${path.slice(0, 200)}.`, { code: 'unknown_path' });
  checkMethod(request, ['POST']);
  checkKey(request, context.key);
  return found.handle(exchange, context);
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

interface Route {
  readonly area: Area;
  readonly path: string;
  readonly handle: Handler;
}

const handlers: Readonly<Record<OperationId, Handler>> = {
  ...ofJson({ ...imageHandlers, ...videoHandlers, speak }),
  translate: transcribe('translate'),
  transcribe: transcribe('transcribe'),
};

/** All routes take POST and need the key. */
const routes: readonly Route[] = operationIds.map((id) => ({ ...operations[id], handle: handlers[id] }));

type JsonHandler = (body: unknown, exchange: Exchange, context: SandboxContext) => Promise<void>;

function ofJson<Id extends string>(handlers: Readonly<Record<Id, JsonHandler>>): Readonly<Record<Id, Handler>> {
  const reading = Object.entries<JsonHandler>(handlers).map(([id, handle]): [string, Handler] => [
    id,
    async (exchange, context) => handle(await readJson(exchange.request, context.maxBytes.json), exchange, context),
  ]);
  return Object.fromEntries(reading) as Record<Id, Handler>;
}

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

/** @throws SandboxError 401 unless the Authorization header is the key itself */
function checkKey(request: IncomingMessage, key: string): void {
  const given = request.headers.authorization;
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
async function sendResult({ request, response, signal }: Exchange, result: Result): Promise<void> {
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
