import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { LimitFunction } from 'p-limit';
import { isObject } from '../foreign/shape.ts';
import type { FurtherValue } from '../operations/Further.ts';
import { MediaError } from '../operations/MediaError.ts';
import { type Field, type MediaRequest, type OperationId, operations } from '../operations/operations.ts';
import { checkFurther, furtherOf } from '../operations/toRequest.ts';
import { checkFields, validateRequest } from '../operations/validateRequest.ts';
import { sandboxFields } from './furtherFields.ts';
import type { RenderWorker } from './RenderWorker.ts';
import type { ResultStore } from './ResultStore.ts';
import type { FindVoice } from './speech/SystemVoice.ts';
import type { VideoJob, VideoStore } from './video/VideoStore.ts';

/** What all handlers of one sandbox share. */
export interface SandboxContext {
  readonly key: string;
  /** Ports of the sandbox's own hosts. */
  readonly ports: Set<number>;
  /** Maximum request body sizes, in bytes. */
  readonly maxBytes: { readonly json: number; readonly upload: number };
  readonly results: ResultStore;
  /** The requests with an `Idempotency-Key`, by their keys, oldest first. */
  readonly keyed: Map<string, KeyedRequest>;
  /** Folder for temporary files: uploads being read, speech being sent. */
  readonly folder: string;
  readonly videos: VideoStore;
  /** The videos that SDKs poll, by id. */
  readonly videoJobs: Map<string, VideoJob>;
  /** Aborts when the sandbox stops. */
  readonly stopping: AbortSignal;
  /** Lets the sandbox wait for a task when it stops. */
  readonly inBackground: (task: Promise<void>) => void;
  readonly renderWorker: RenderWorker;
  /** Width and height of generated images, in pixels. */
  readonly imageSize: number;
  /** Timeout for fetching an image from a URL, in milliseconds. */
  readonly imageFetchMs: number;
  /** Resolves the names of image URLs; fails for private addresses. */
  readonly lookup: LookupFunction;
  /** Allows one picture at a time: a large one takes hundreds of megabytes while it is decoded. */
  readonly readingQueue: LimitFunction;
  readonly pictureQueue: LimitFunction;
  readonly videoQueue: LimitFunction;
  readonly speechQueue: LimitFunction;
  readonly findVoice: FindVoice;
  readonly videoSeconds: number;
  /** Minimum time that a video takes, in milliseconds. */
  readonly videoWaitMs: number;
  readonly intercept: Intercept | undefined;
  /** Whether it serves SDKs: `Bearer`, fields that it does not know, a list of models, and videos as jobs. */
  readonly isLenient: boolean;
  readonly disobeys: Disobedience;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Counts a valid request, which a real service would bill. */
  readonly accept: (id: OperationId) => void;
}

/** A request that may be repeated under its key. */
export interface KeyedRequest {
  /** Hash of the request. */
  readonly content: string;
  /** Undefined while the sandbox works on it. */
  answer?: KeyedAnswer;
}

export interface KeyedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
}

/** What results differ in from what was asked for; for tests of clients that measure them. */
export interface Disobedience {
  /** Width and height of all pictures. */
  readonly size?: readonly [width: number, height: number];
  /** What a transparent background becomes. */
  readonly background?: 'opaque' | 'checkerboard';
  /** Format of all pictures. */
  readonly format?: 'png' | 'jpeg' | 'webp';
  /** Length of all videos. */
  readonly seconds?: number;
}

/** One HTTP request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Origin that the client used; result URLs start with it. */
  readonly origin: string;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Handles a request before the sandbox does. @returns whether it answered the request */
export type Intercept = (exchange: Exchange) => Promise<boolean>;

export interface SandboxErrorDetails {
  /** Name of the invalid request field. */
  readonly param?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error response; its body is `{"error":{"message","type","param","code"}}`. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  readonly status: number;
  readonly details: SandboxErrorDetails;

  constructor(status: number, message: string, details: SandboxErrorDetails = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }

  get body(): unknown {
    const { param = null, code = null } = this.details;
    return { error: { message: this.message, type: typeOf(this.status), param, code } };
  }
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 404 || status === 410) return 'not_found_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}

/** @throws SandboxError 413 as soon as the body turns out to be larger than `maxBytes` */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  checkLength(request, maxBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop must not close the connection: the error response still has to be sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
  }
  return Buffer.concat(chunks);
}

/** @throws SandboxError 413 if the request declares more than `maxBytes` */
export function checkLength(request: IncomingMessage, maxBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

export function tooLarge(maxBytes: number): SandboxError {
  return new SandboxError(413, `The request body is larger than the sandbox's limit of ${maxBytes} bytes.`, {
    code: 'request_too_large',
  });
}

/** @throws SandboxError 413 for more than `maxBytes`, 415 for another content type, 400 for invalid UTF-8 or JSON */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  checkContentType(request, 'application/json');
  const bytes = await readBody(request, maxBytes);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SandboxError(400, 'The request body is not valid UTF-8.', { code: 'invalid_utf8' });
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new SandboxError(400, 'The request body is not valid JSON.', { code: 'invalid_json' });
  }
}

/** @throws SandboxError 415 unless the body has this content type, is in UTF-8 and not compressed */
export function checkContentType(request: IncomingMessage, expected: string): void {
  const { 'content-type': given = '', 'content-encoding': encoding = 'identity' } = request.headers;
  const [type = '', ...parameters] = given.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.replaceAll('"', '');
  if (type === expected && (charset ?? 'charset=utf-8') === 'charset=utf-8' && encoding === 'identity') return;
  throw new SandboxError(415, `The request body must be ${expected} in UTF-8, not compressed.`, {
    code: 'wrong_content_type',
  });
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const bytes = Buffer.from(`${JSON.stringify(body)}\n`);
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    'cache-control': 'no-store',
  });
  response.end(bytes);
}

/** Answers with server-sent events, each named by its type. */
export async function sendEvents(
  { response, signal }: Pick<Exchange, 'response' | 'signal'>,
  events: AsyncIterable<{ readonly type: string }> | Iterable<{ readonly type: string }>,
): Promise<void> {
  const written = async function* () {
    for await (const event of events) yield `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  };
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
  await pipeline(Readable.from(written()), response, { signal });
}

export function createRequestId(): string {
  return `req_${randomBytes(12).toString('hex')}`;
}

/** The sandbox's own maximum values; the API's specification has no such limits. */
const requestLimits = { count: 10, characters: 32_000, images: 16, name: 256 } as const;

/**
 * Validates a request as the service would, and against the sandbox's own limits.
 *
 * @throws SandboxError 400 with the name of the field
 */
export function checkRequest<Id extends OperationId>(
  id: Id,
  body: unknown,
  { isLenient }: Pick<SandboxContext, 'isLenient'>,
): CheckedRequest<Id> {
  const request = validated(id, isLenient ? withoutUnknown(id, body) : body);
  const values: Readonly<Record<string, unknown>> = request;
  for (const field of sandboxFields(id).own) {
    rejectFileUrls(field, values[field.name]);
    const problem = exceededLimit(field, values[field.name]);
    if (problem) {
      throw new SandboxError(400, `${field.label} (${field.name}) ${problem}.`, {
        param: field.name,
        code: 'over_limit',
      });
    }
  }
  return request;
}

/** A valid request. */
export type CheckedRequest<Id extends OperationId> = MediaRequest<Id> & {
  /** The values beside the fields of the specification. */
  readonly more: ReadonlyMap<string, FurtherValue>;
};

/** Returns the text of a further field; undefined if it is not given. */
export function textOf(more: ReadonlyMap<string, FurtherValue>, name: string): string | undefined {
  const value = more.get(name);
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(more: ReadonlyMap<string, FurtherValue>, name: string): number | undefined {
  const value = more.get(name);
  return typeof value === 'number' ? value : undefined;
}

/** SDKs send fields that no preset knows, and null for those that are not set. */
function withoutUnknown(id: OperationId, body: unknown): unknown {
  if (!isObject(body)) return body;
  const { own, further } = sandboxFields(id);
  const names = [...own, ...further].map(({ name }) => name);
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => names.includes(name) && value !== null));
}

function validated<Id extends OperationId>(id: Id, body: unknown): CheckedRequest<Id> {
  const table = sandboxFields(id);
  const isFurther = (name: string) => table.further.some((field) => field.name === name);
  try {
    const names = [...table.own, ...table.further].map(({ name }) => name);
    const given = Object.entries(checkFields(operations[id].title, names, body));
    const fields = Object.fromEntries(given.filter(([name]) => isFurther(name)));
    const own = Object.fromEntries(given.filter(([name]) => !isFurther(name)));
    const request = validateRequest(id, own, table.own);
    checkFurther(table, undefined, fields);
    for (const [name, value] of Object.entries(fields)) rejectFileUrls({ name, label: name, type: 'image' }, value);
    return { ...request, more: new Map(Object.entries(furtherOf(table, fields)?.values ?? {})) };
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    throw new SandboxError(400, error.message, { param: error.field, code: 'invalid_value' });
  }
}

/** Clients replace `file:` URLs before they send a request. The sandbox must not read files on anyone's behalf. */
function rejectFileUrls({ type, name, label }: Field, value: unknown): void {
  if ((type !== 'image' && type !== 'images') || ![value].flat().some((url) => /^file:/i.test(String(url)))) return;
  const message = `${label} (${name}) must be an http(s): or data:image/…;base64, URL, not a file: URL.`;
  throw new SandboxError(400, message, { param: name, code: 'invalid_value' });
}

function exceededLimit(field: Field, value: unknown): string | undefined {
  const length = typeof value === 'string' || Array.isArray(value) ? value.length : 0;
  switch (field.type) {
    case 'integer':
      return field.isCount && Number(value) > requestLimits.count
        ? `must be at most ${requestLimits.count} here`
        : undefined;
    case 'text':
      return length > requestLimits.characters ? `has more than ${requestLimits.characters} characters` : undefined;
    case 'images':
      return length > requestLimits.images ? `holds more than ${requestLimits.images} images` : undefined;
    case 'model':
    case 'video':
      return length > requestLimits.name ? `has more than ${requestLimits.name} characters` : undefined;
    case 'audioFile': {
      const isSupported = field.formats.some((format) => String(value).toLowerCase().endsWith(`.${format}`));
      if (!isSupported) return `must be an audio file (${field.formats.join(', ')})`;
      return length > requestLimits.name ? `has more than ${requestLimits.name} characters` : undefined;
    }
    case 'choice':
    case 'image':
      return undefined;
  }
}
