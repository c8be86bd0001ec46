import { Readable } from 'node:stream';
import * as l10n from '@vscode/l10n';
import type { Dispatcher } from 'undici';
import { request as httpRequest } from 'undici';
import { PrivateAddressError, resolvesToPrivate } from '../foreign/privateAddress.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { AnswerSource, RawAnswer } from './Answer.ts';
import { answerFacts } from './Answer.ts';
import type { AnswerSink, Silence } from './AnswerBody.ts';
import {
  announcedLength,
  arriving,
  decoded,
  describeArrival,
  drop,
  receiveBody,
  silenceOf,
  TimeLimit,
  untilAborted,
} from './AnswerBody.ts';
import type { ServiceDispatcher } from './createDispatcher.ts';
import { proxyRefusal } from './createDispatcher.ts';
import { describeFailure, errorFromFailure } from './errors.ts';
import { originOf } from './ServiceConfiguration.ts';

/** The body of a request, which can be sent more than once. */
export interface RequestBody {
  readonly bytes: number;
  /** @param onSent called after each chunk with the number of bytes sent so far */
  open(onSent: (bytes: number) => void): {
    readonly headers: Record<string, string>;
    /** Text, or chunks that reuse one buffer: send each before requesting the next. Call `return` to stop early. */
    readonly body: string | AsyncGenerator<Uint8Array>;
  };
}

/** Progress of a request; `bytes` of `total` are sent or received so far. */
export type Progress =
  | { readonly stage: 'sending' | 'downloading'; readonly bytes: number; readonly total: number | undefined }
  | { readonly stage: 'waiting' }
  /** The request did not arrive, or the service asked for a retry; it is sent again after `seconds`. */
  | { readonly stage: 'repeating'; readonly seconds: number; readonly reason: string };

export interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface ExchangeOptions extends SendOptions {
  /** Opens the file for a large 2xx answer; without it, all answers stay in memory. */
  readonly openFile?: (() => Promise<AnswerSink>) | undefined;
  /**
   * Called with the received part of a 2xx answer whose connection broke, before the error is thrown. Its body is in memory
   * or in the file of `openFile`, which the client never deletes. When it rejects, the error says that nothing is kept.
   */
  readonly onPartial?: ((raw: RawAnswer) => Promise<void>) | undefined;
}

export interface DownloadOptions extends SendOptions {
  /** Number of bytes received earlier; only the rest is requested. */
  readonly from?: number | undefined;
  /** Version of the result that these bytes belong to. */
  readonly version?: ResultVersion | undefined;
}

export interface StatusOptions {
  readonly signal?: AbortSignal | undefined;
  /** See {@link ExchangeOptions}. */
  readonly openFile?: (() => Promise<AnswerSink>) | undefined;
}

/** Identifies a version of a result, as far as the server says. */
export interface ResultVersion {
  readonly etag: string | undefined;
  /** Size of the whole result in bytes. */
  readonly total: number | undefined;
}

interface PostOptions extends ExchangeOptions {
  readonly url: URL;
  readonly source: AnswerSource;
  readonly authorization: string;
  readonly body: RequestBody;
  readonly dispatcher: Dispatcher;
  /** Longest time from the end of the upload to the start of the response. */
  readonly timeoutSeconds: number;
  /** Longest time in which no byte is sent or received. */
  readonly silenceSeconds: number;
}

/**
 * Sends a request once, without retries.
 *
 * @returns the answer, of any status
 * @throws MediaError `cancelled` or `timeout`; connection errors are thrown unchanged
 */
export async function postRequest(options: PostOptions): Promise<RawAnswer> {
  const { url, source, silenceSeconds, onProgress, openFile, onPartial } = options;
  using limit = new TimeLimit(options.signal);
  const silence = silenceOf(url, silenceSeconds, limit);
  try {
    const received = await withResponse(options, limit, (response) =>
      receiveAnswer(response, {
        source,
        silence,
        openFile,
        onArrived: (bytes, total) => onProgress?.({ stage: 'downloading', bytes, total }),
      }),
    );
    if (received.failure === undefined) return received.raw;
    throw await keepPartial(received, silence, url.host, onPartial);
  } catch (failure) {
    if (limit.isCancelled) throw cancelled(failure);
    throw failure;
  }
}

/** Sends the request and handles its response. The upload is closed when `work` has ended. */
async function withResponse<T>(
  options: PostOptions,
  limit: TimeLimit,
  work: (response: Dispatcher.ResponseData) => Promise<T>,
): Promise<T> {
  const { url, authorization, dispatcher, body: requestBody } = options;
  let isAnswered = false;
  const { headers, body } = requestBody.open((bytes) => {
    if (!isAnswered) sending(options, limit, bytes);
  });
  // A string is passed to the socket at once.
  if (typeof body === 'string') sending(options, limit, requestBody.bytes);
  else sending(options, limit, 0);
  try {
    const response = httpRequest(url, {
      method: 'POST',
      headers: { ...headers, authorization, accept: '*/*', 'accept-encoding': 'identity' },
      // undici accepts async iterables, although its types do not say so.
      body: body as string | Readable,
      dispatcher,
      signal: limit.signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const begun = await untilAborted(limit.signal, response);
    isAnswered = true;
    return await work(begun);
  } finally {
    // Closes the file of an upload that was interrupted.
    if (typeof body !== 'string') body.return(undefined).catch(() => undefined);
  }
}

/** Limits the silence while sending, and after that the time until the response starts. */
function sending(
  { url, body, timeoutSeconds, silenceSeconds, onProgress }: PostOptions,
  limit: TimeLimit,
  bytes: number,
) {
  onProgress?.({ stage: 'sending', bytes, total: body.bytes });
  if (bytes < body.bytes) {
    limit.start(
      silenceSeconds,
      l10n.t('The upload to {0} stalled for {1} s. The service may still bill it.', url.host, silenceSeconds),
    );
    return;
  }
  onProgress?.({ stage: 'waiting' });
  limit.start(
    timeoutSeconds,
    l10n.t('The service did not answer within {0} s. It may still do the work and bill it.', timeoutSeconds),
  );
}

function cancelled(cause: unknown): MediaError {
  const sentence = l10n.t('Cancelled. The service may still do the work and bill it.');
  return new MediaError('cancelled', sentence, { mayBeBilled: true, cause });
}

interface GetOptions extends StatusOptions {
  readonly source: AnswerSource;
  readonly authorization: string;
  readonly dispatcher: Dispatcher;
  /** Longest time until the response starts, and between two of its chunks. */
  readonly silenceSeconds: number;
}

const maxRedirects = 5;

/**
 * Sends a GET request and returns the answer, of any status. Follows redirects within the source's origin, the only one
 * that gets the key.
 *
 * @throws MediaError `timeout`; connection errors and the signal's reason are thrown unchanged
 */
export async function getAnswer(url: URL, options: GetOptions): Promise<RawAnswer> {
  const { source, silenceSeconds, signal, openFile } = options;
  using limit = new TimeLimit(signal);
  const silence = silenceOf(url, silenceSeconds, limit);
  let response = await openAnswer(url, silence, options);
  for (let redirects = 0, at = url; redirects < maxRedirects; redirects++) {
    const next = redirectOf(response, at, source);
    if (!next) break;
    drop(response);
    at = next;
    response = await openAnswer(at, silence, options);
  }
  const { raw, failure } = await receiveAnswer(response, { source, silence, openFile });
  if (failure !== undefined) throw limit.error ?? failure;
  return raw;
}

function openAnswer(
  url: URL,
  { limit, seconds, sentence }: Silence,
  { authorization, dispatcher }: GetOptions,
): Promise<Dispatcher.ResponseData> {
  limit.start(seconds, sentence);
  const response = httpRequest(url, {
    headers: { authorization, accept: '*/*', 'accept-encoding': 'identity' },
    dispatcher,
    signal: limit.signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return untilAborted(limit.signal, response);
}

/** Returns where a response redirects to; undefined when it does not, or to another origin. */
function redirectOf({ statusCode, headers }: Dispatcher.ResponseData, at: URL, source: AnswerSource): URL | undefined {
  const location = [headers.location].flat()[0];
  if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined) return undefined;
  const next = URL.parse(location, at.href);
  return next?.origin === originOf(source) ? next : undefined;
}

/** Bytes read of a refusal: its message is near the beginning, and an error page may be of any size. */
const maxRefusalBytes = 1024 * 1024;

interface ReceiveOptions {
  readonly source: AnswerSource;
  readonly silence: Silence;
  readonly openFile?: (() => Promise<AnswerSink>) | undefined;
  onArrived?(bytes: number, total: number | undefined): void;
}

interface ReceivedAnswer {
  /** The answer, with `partial` set when the connection ended early. */
  readonly raw: RawAnswer;
  /** Why the connection ended early; undefined for a complete answer. */
  readonly failure: unknown;
}

/** Receives the answer of a response. Rejects only when the caller cancels. */
async function receiveAnswer(
  response: Dispatcher.ResponseData,
  { source, silence, openFile, onArrived }: ReceiveOptions,
): Promise<ReceivedAnswer> {
  const facts = answerFacts(response, source);
  if (facts.status < 200 || facts.status > 299) {
    return { raw: { ...facts, body: await receiveRefusal(response, silence) }, failure: undefined };
  }
  const total = announcedLength(response);
  let bytes = 0;
  const data = arriving(response, silence, (arrived) => {
    bytes = arrived;
    onArrived?.(bytes, total);
  });
  const { body, failure } = await receiveBody(decoded(response, data), openFile);
  if (failure !== undefined && silence.limit.isCancelled) throw failure;
  return { raw: { ...facts, body, ...(failure === undefined ? {} : { partial: { bytes, total } }) }, failure };
}

/**
 * Receives the start of a refusal and closes the connection. Errors and timeouts do not matter: the status says enough.
 */
async function receiveRefusal(
  response: Dispatcher.ResponseData,
  { limit, seconds, sentence }: Silence,
): Promise<Uint8Array> {
  limit.start(seconds, sentence);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of decoded(response, response.body as AsyncIterable<Uint8Array>)) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= maxRefusalBytes) break;
    }
  } catch (error) {
    if (limit.isCancelled) throw error;
  } finally {
    limit.stop();
  }
  return Buffer.concat(chunks);
}

/**
 * Keeps the received part of an answer and returns the error that says so.
 *
 * @param keep stores the part; when it rejects, the error says that nothing is kept
 */
async function keepPartial(
  { raw, failure }: ReceivedAnswer,
  { limit }: Silence,
  host: string,
  keep: ((raw: RawAnswer) => Promise<void>) | undefined,
): Promise<MediaError> {
  const isKept = raw.body.length > 0 && (await wasKept(raw, keep));
  const arrived = describeArrival(raw.partial ?? { bytes: raw.body.length });
  const sentence = [
    limit.error?.message ??
      (failure instanceof MediaError
        ? failure.message
        : l10n.t('The connection to {0} was lost: {1}.', host, describeFailure(failure))),
    isKept
      ? l10n.t('{0} arrived; this part of the answer is kept.', arrived)
      : l10n.t('{0} arrived; none of it is kept.', arrived),
    l10n.t('The service may have done the work and may bill it.'),
  ];
  const kind = limit.error?.kind ?? (failure instanceof MediaError ? failure.kind : 'network');
  const { status, requestId } = raw;
  return new MediaError(kind, sentence.join(' '), { status, requestId, mayBeBilled: true, cause: failure });
}

async function wasKept(raw: RawAnswer, keep: ((raw: RawAnswer) => Promise<void>) | undefined): Promise<boolean> {
  try {
    await keep?.(raw);
    return keep !== undefined;
  } catch {
    return false;
  }
}

interface OpenOptions extends DownloadOptions {
  /** Used verbatim; a path is relative to `origin`. */
  readonly url: string;
  /** The origin that answered the operation, the only one that gets the key. */
  readonly origin: string;
  readonly authorization: string | undefined;
  readonly dispatcher: ServiceDispatcher;
  /** Whether the user allows result URLs at private addresses. */
  readonly allowPrivateAddresses: boolean;
  /** Longest time until the response starts, and between two of its chunks. */
  readonly silenceSeconds: number;
  /** Called with one line per response, without path and query. */
  log(line: string): void;
}

/** Far larger than any video that a model makes: an endless response must not fill the disk. */
const maxResultBytes = 4 * 1024 ** 3;

export interface Download {
  /** Offset of the first byte: the requested one, or 0 when the server does not support ranges. */
  readonly start: number;
  readonly version?: ResultVersion;
  readonly data: AsyncIterable<Uint8Array>;
}

/**
 * Opens a result URL and streams its bytes. A private address is refused unless the service itself has one or the user
 * allows it: a service must not read what only this machine can reach.
 *
 * @throws MediaError `download` for a URL that is not http(s), a private address, too many redirects, a status outside
 *   2xx, a timeout or more than 4 GiB; otherwise as for a failed connection
 */
export async function openDownload(options: OpenOptions): Promise<Download> {
  const limit = new TimeLimit(options.signal);
  let url = checkUrl(options.url, options.origin);
  try {
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const response = await openResult(url, limit, options);
      options.log(`${url.origin}: ${response.statusCode}`);
      if (response.statusCode >= 200 && response.statusCode < 300) {
        const start = response.statusCode === 206 ? startOf(response) : 0;
        const version = versionOf(response, start);
        return { start, version, data: readBody(response, url, start, limit, options) };
      }
      drop(response);
      if (options.from && isAll(response, options.from)) {
        return { start: options.from, version: versionOf(response, options.from), data: Readable.from([]) };
      }
      const location = [response.headers.location].flat()[0];
      if (response.statusCode >= 400 || !location) throw refused(url, response.statusCode);
      url = checkUrl(location, url.href);
    }
    throw new MediaError('download', l10n.t('{0} redirected the download of the result too many times.', url.host));
  } finally {
    limit.stop();
  }
}

function refused({ host }: URL, status: number): MediaError {
  if (status === 407) return proxyRefusal(407);
  const sentence = l10n.t('The result could not be downloaded: {0} answered {1}.', host, status);
  return new MediaError('download', sentence, { status });
}

function checkUrl(value: string, base: string): URL {
  const url = URL.parse(value, base);
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  const found = url?.protocol ?? l10n.t('something else');
  throw new MediaError('download', l10n.t("The result's address must be an http or https URL, not {0}.", found));
}

/** Whether a refused range begins exactly at the end of the result: the connection was cut after the last byte. */
function isAll({ statusCode, headers }: Dispatcher.ResponseData, from: number): boolean {
  return statusCode === 416 && String(headers['content-range']).trim() === `bytes */${from}`;
}

function startOf({ headers }: Dispatcher.ResponseData): number {
  return Number(/^bytes (\d+)-/.exec(String(headers['content-range']))?.[1] ?? 0);
}

/** Ignores weak etags, which do not promise that the bytes are equal. */
function versionOf(response: Dispatcher.ResponseData, start: number): ResultVersion {
  const etag = [response.headers.etag].flat()[0];
  return { etag: etag?.startsWith('"') ? etag : undefined, total: totalOf(response, start) };
}

/** Returns the size of the whole result; undefined when it is unknown or the body is compressed. */
function totalOf({ statusCode, headers }: Dispatcher.ResponseData, start: number): number | undefined {
  if (!/^(identity)?$/i.test(String(headers['content-encoding'] ?? ''))) return undefined;
  const whole = statusCode === 206 ? /\/(\d+)$/.exec(String(headers['content-range']))?.[1] : undefined;
  const rest = Number(headers['content-length']) || undefined;
  return whole === undefined ? rest && start + rest : Number(whole);
}

async function openResult(url: URL, limit: TimeLimit, options: OpenOptions): Promise<Dispatcher.ResponseData> {
  const { origin, dispatcher, allowPrivateAddresses } = options;
  try {
    if (allowPrivateAddresses || url.origin === origin) return await get(url, dispatcher, limit, options);
    return await get(url, dispatcher.results, limit, options).catch(async (failure: unknown) => {
      if (failure instanceof PrivateAddressError && (await resolvesToPrivate(new URL(origin)))) {
        return get(url, dispatcher, limit, options);
      }
      throw failure;
    });
  } catch (failure) {
    throw downloadError(failure, url, limit);
  }
}

function get(
  url: URL,
  dispatcher: Dispatcher,
  limit: TimeLimit,
  { origin, authorization, from, version, silenceSeconds }: OpenOptions,
): Promise<Dispatcher.ResponseData> {
  limit.start(silenceSeconds, silenceOf(url, silenceSeconds, limit).sentence);
  const response = httpRequest(url, {
    headers: {
      accept: '*/*',
      'accept-encoding': 'identity',
      ...(from ? { range: `bytes=${from}-` } : {}),
      ...(from && version?.etag !== undefined ? { 'if-range': version.etag } : {}),
      ...(authorization !== undefined && url.origin === origin ? { authorization } : {}),
    },
    dispatcher,
    signal: limit.signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return untilAborted(limit.signal, response);
}

async function* readBody(
  response: Dispatcher.ResponseData,
  url: URL,
  start: number,
  limit: TimeLimit,
  { onProgress, silenceSeconds }: OpenOptions,
) {
  const total = totalOf(response, start);
  let bytes = start;
  try {
    for await (const chunk of decoded(response, arriving(response, silenceOf(url, silenceSeconds, limit)))) {
      bytes += chunk.length;
      if (Math.max(bytes, total ?? 0) > maxResultBytes) {
        const sentence = l10n.t('The result at {0} is larger than 4 GiB. It was not saved.', url.host);
        throw new MediaError('download', sentence);
      }
      onProgress?.({ stage: 'downloading', bytes, total });
      yield chunk;
    }
    if (total !== undefined && bytes < total) throw new Error(`${bytes} of ${total} bytes arrived`);
  } catch (failure) {
    throw downloadError(failure, url, limit);
  }
}

/** Maps a failed download to an error that is never `mayBeBilled`, because downloading is free. */
function downloadError(failure: unknown, url: URL, limit: TimeLimit): MediaError {
  if (limit.isCancelled) return new MediaError('cancelled', l10n.t('Cancelled while downloading the result.'));
  if (limit.error) {
    const sentence = l10n.t('The download of the result was interrupted: {0}', limit.error.message);
    return new MediaError('download', sentence, { cause: limit.error });
  }
  if (failure instanceof MediaError) return failure;
  if (failure instanceof PrivateAddressError) {
    const sentence = l10n.t(
      'The result\'s address ({0}) is in a private network, but the service is not. To download it anyway, turn on "unifiedMedia.allowPrivateResultAddresses".',
      url.host,
    );
    return new MediaError('download', sentence);
  }
  const { kind, message, mayBeBilled } = errorFromFailure(failure, url.host, false);
  if (!mayBeBilled) return new MediaError(kind, message, { cause: failure });
  const sentence = l10n.t('The download of the result from {0} was interrupted.', url.host);
  return new MediaError('download', sentence, { cause: failure });
}
