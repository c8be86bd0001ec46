import { Readable } from 'node:stream';
import { setTimeout as sleepFor } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import { isPrivateAddress, PrivateAddressError } from '../foreign/privateAddress.ts';
import { MediaError } from '../operations/MediaError.ts';
import { type AnswerSource, answerFacts, type RawAnswer } from './Answer.ts';
import {
  type AnswerSink,
  announcedLength,
  arriving,
  decoded,
  describeArrival,
  drop,
  receiveBody,
  TimeLimit,
  untilAborted,
} from './AnswerBody.ts';
import { proxyRefusal, type ServiceDispatcher } from './createDispatcher.ts';
import { describeFailure, errorFromAnswer, errorWithKey, errorWithoutKey, neverArrived, redact } from './errors.ts';
import { isWholeJson } from './isWholeJson.ts';
import { type CallKind, policies } from './policies.ts';
import { isLoopback, originOf } from './ServiceConfiguration.ts';
import { type Dispatcher, request } from './undici.ts';

const maxRedirects = 5;
/** Longest wait before an automatic retry. */
const maxDelaySeconds = 60;
/** Bytes read of a refusal: its message is near the beginning, and an error page may be of any size. */
const maxRefusalBytes = 2 ** 20;

/** The body of a request, which can be sent more than once. */
export interface RequestBody {
  readonly bytes: number;
  /** @param onSent called after each chunk with the number of bytes sent so far */
  open(onSent: (bytes: number) => void): Upload;
}

interface Upload {
  readonly headers: Record<string, string>;
  /** Text, or chunks that reuse one buffer: send each before requesting the next. Call `return` to stop early. */
  readonly body: string | AsyncGenerator<Uint8Array>;
}

/** Progress of a call; `bytes` of `total` are sent or received so far. */
export type Progress =
  | { readonly stage: 'sending' | 'downloading'; readonly bytes: number; readonly total: number | undefined }
  | { readonly stage: 'waiting' }
  /** The request did not arrive, or the service asked for a retry; it is sent again after `seconds`. */
  | { readonly stage: 'repeating'; readonly seconds: number; readonly reason: string };

/** What the caller of an operation gives. */
export interface SendOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Opens the file for a large 2xx answer; without it, all answers stay in memory. */
  readonly openFile?: () => Promise<AnswerSink>;
  /**
   * Called with the received part of a paid 2xx answer whose connection broke, before the error is thrown. Its body is in
   * memory or in the file of `openFile`, which the client never deletes. When it rejects, the error says that nothing is
   * kept.
   */
  readonly onPartial?: (raw: RawAnswer) => Promise<void>;
  /** Key by which the service knows a request that it has already received. Needs a header in the configuration. */
  readonly idempotencyKey?: string;
  /** Whether an earlier attempt may have sent the key. */
  readonly repeatsKey?: boolean;
  readonly others?: OtherRequests;
}

/** The requests that are out at the same time. */
export interface OtherRequests {
  /** Notes that the service is busy. Returns whether others are out, which may be the reason. */
  noteBusy(): boolean;
  /** Waits until a request that the service was too busy for may be sent again. @throws the signal's reason */
  waitForTurn(): Promise<void>;
}

/** What all calls of a client share. */
export interface Transport {
  /** From `createDispatcher`. Always explicit, because the global dispatcher belongs to the host. */
  readonly dispatcher: ServiceDispatcher;
  /** Called with one line per exchange, without keys, query strings and prompts. */
  readonly log?: (line: string) => void;
  readonly sleep?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>;
  /** Longest time in which no byte is sent or received; 60 by default. */
  readonly silenceSeconds?: number;
}

export interface Call extends Transport, SendOptions {
  readonly kind: CallKind;
  /** Name in the log. */
  readonly name: string;
  readonly url: URL;
  /** The service; only its origin gets the key. */
  readonly source: AnswerSource;
  /** The whole `Authorization` header. */
  readonly authorization?: string;
  /** Redacted from the service's messages. */
  readonly secrets?: readonly string[];
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Further headers of the person, for the service's origin only. */
  readonly ownHeaders?: Readonly<Record<string, string>>;
  /** The header of {@link ownHeaders} that holds the idempotency key, if one is sent. */
  readonly keyHeader?: string;
  /** Makes the request a POST. */
  readonly body?: RequestBody;
  /** Longest time from the end of the upload to the start of the response. */
  readonly timeoutSeconds?: number;
  /** Whether the user allows result URLs at private addresses. */
  readonly allowPrivateAddresses?: boolean;
  /** Returns the refusal in an answer of 2xx, if the service is busy and has certainly made nothing. */
  readonly busyIn?: (raw: RawAnswer) => Promise<MediaError | undefined>;
}

/**
 * Sends a request and receives its answer. Repeats a paid one only when it certainly did not arrive or the service asks
 * for that, so that it is never billed twice. A service that is busy with other requests of ours is asked until it is not.
 *
 * @returns the answer, with a status of 2xx; for a probe, with any status and without its body; for a poll, also one of
 *   its policy, or a redirect to another origin
 * @throws MediaError; `mayBeBilled` only for a paid request
 */
export async function send(call: Call): Promise<RawAnswer> {
  const { signal, onProgress, sleep = (milliseconds) => sleepFor(milliseconds, undefined, { signal }) } = call;
  const { isPaid, retries } = policies[call.kind];
  let arrived: MediaError | undefined;
  for (let retry = 0; ; ) {
    if (isPaid && signal?.aborted) throw afterRetry(notSent(), arrived);
    try {
      return await sendOnce(call);
    } catch (error) {
      const isCrowded = isBusy(error) && call.others?.noteBusy() === true;
      const isTried = error instanceof MediaError && (isCrowded || retry < retries);
      const seconds = isTried ? retryDelay(error, retry, call.keyHeader !== undefined) : undefined;
      if (seconds === undefined) throw afterRetry(error, arrived);
      const failure = error as MediaError;
      if (failure.status !== undefined && !arrived?.mayBeBilled) arrived = failure;
      onProgress?.({ stage: 'repeating', seconds, reason: failure.message });
      try {
        await sleep(seconds * 1000, signal);
        if (isBusy(error)) await call.others?.waitForTurn();
      } catch (reason) {
        throw signal?.aborted ? afterRetry(notSent(), arrived) : reason;
      }
      if (!isCrowded) retry++;
    }
  }
}

/**
 * Returns the error of a request of which an earlier attempt arrived. If that one may be billed, the request may be,
 * whatever came of the last attempt. A conflict may be with the earlier attempt, which the service may still be working
 * on.
 */
function afterRetry(error: unknown, arrived: MediaError | undefined): unknown {
  if (!arrived || !(error instanceof MediaError) || error.mayBeBilled) return error;
  if (!arrived.mayBeBilled && error.status !== 409) return error;
  // In this order, since the last attempt may say that nothing was sent.
  const sentence = l10n.t('An earlier attempt was sent: {0} The last attempt: {1}', arrived.message, error.message);
  return new MediaError(error.kind, sentence, { ...error, mayBeBilled: true, cause: error });
}

function notSent(): MediaError {
  return new MediaError('cancelled', l10n.t('Cancelled. Nothing was sent.'));
}

/**
 * Returns the delay before an automatic retry, in seconds; undefined when there must be none.
 *
 * @param retry number of retries so far
 * @param hasKey whether the service knows the request by its key; a conflict may then be with an attempt that it still
 *   works on
 */
function retryDelay(error: MediaError, retry: number, hasKey: boolean): number | undefined {
  const delay = 2 ** retry;
  if (error.kind === 'network') return neverArrived(error) ? delay / 2 : undefined;
  const isAsked = error.status === 503 || (error.status === 409 && hasKey);
  const asksForRetry = isBusy(error) || (isAsked && error.retryAfter !== undefined);
  if (!asksForRetry) return undefined;
  const seconds = error.retryAfter ?? delay;
  return seconds <= maxDelaySeconds ? seconds : undefined;
}

function isBusy(error: unknown): boolean {
  return error instanceof MediaError && error.kind === 'rateLimited' && !error.mayBeBilled;
}

async function sendOnce(call: Call): Promise<RawAnswer> {
  const { kind, url, secrets } = call;
  using limit = new TimeLimit(call, policies[kind].seconds);
  const started = performance.now();
  let outcome = '';
  try {
    const raw = await exchange(call, limit);
    outcome = `${raw.status}${raw.requestId ? `, request ${raw.requestId}` : ''}, ${raw.body.length} bytes`;
    const busy = isSuccess(raw.status) ? await call.busyIn?.(raw) : undefined;
    if (busy) throw busy;
    if (isSuccess(raw.status) || kind === 'probe' || isPollAnswer(raw, call)) return raw;
    const answer = errorFromAnswer(raw, secrets);
    const error = isWithoutKey(call, limit.url) ? errorWithoutKey(answer) : answer;
    throw call.keyHeader === undefined ? error : errorWithKey(error, call.keyHeader, call.repeatsKey);
  } catch (failure) {
    const error = errorOf(call, limit, failure);
    outcome ||= error.kind;
    throw error;
  } finally {
    log(call, url, `${outcome}, ${Math.round(performance.now() - started)} ms`);
  }
}

/** Whether the service was asked without a key, unlike a host that never gets one. */
function isWithoutKey({ authorization, source }: Call, { origin }: URL): boolean {
  return authorization === undefined && origin === originOf(source);
}

/**
 * Whether a poll has an answer outside 2xx. A page that refuses is that of a gateway, and says nothing about the job. A redirect
 * that is not followed, as it would lose the key, names the result.
 */
function isPollAnswer({ status, location, contentType }: RawAnswer, { kind, source }: Call): boolean {
  if (kind !== 'poll') return false;
  if (policies.poll.answers?.includes(status)) return true;
  if (status >= 400 && status < 500 && contentType === 'text/html') return true;
  return status >= 300 && location !== undefined && new URL(location).origin !== originOf(source);
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function log(call: Call, { origin, pathname }: URL, outcome: string): void {
  const address = policies[call.kind].logsPath ? origin + pathname : origin;
  call.log?.(`${call.name}: ${call.body ? 'POST' : 'GET'} ${address}: ${outcome}`);
}

function errorOf({ kind }: Call, limit: TimeLimit, failure: unknown): MediaError {
  const { isPaid, cancelled, error } = policies[kind];
  const known = failure instanceof MediaError ? failure : undefined;
  // A status that arrived says more than the cancellation after it.
  if (limit.isCancelled && known?.status === undefined) {
    return new MediaError('cancelled', cancelled(), { mayBeBilled: isPaid, cause: failure });
  }
  return error(known ?? limit.error ?? failure, limit.url.host);
}

/** Sends a request and receives the answer, of any status. */
async function exchange(call: Call, limit: TimeLimit): Promise<RawAnswer> {
  const { body } = call;
  if (!body) return receive(call, limit, await open(call, limit));
  let isAnswered = false;
  const onSent = (bytes: number) => {
    if (!isAnswered) sending(call, limit, bytes, body.bytes);
  };
  const upload = body.open(onSent);
  // A string is passed to the socket at once.
  onSent(typeof upload.body === 'string' ? body.bytes : 0);
  try {
    const response = await open(call, limit, upload);
    isAnswered = true;
    return await receive(call, limit, response);
  } finally {
    // Closes the file of an upload that was interrupted.
    if (typeof upload.body !== 'string') upload.body.return(undefined).catch(() => undefined);
  }
}

/** Limits the silence while sending, and after that the time until the response starts. */
function sending(call: Call, limit: TimeLimit, bytes: number, total: number): void {
  const { silenceSeconds } = limit;
  const { url, timeoutSeconds = silenceSeconds, onProgress } = call;
  onProgress?.({ stage: 'sending', bytes, total });
  if (bytes < total) {
    limit.start(silenceSeconds, l10n.t('The upload to {0} stalled for {1} s.', url.host, silenceSeconds));
    return;
  }
  onProgress?.({ stage: 'waiting' });
  limit.start(timeoutSeconds, l10n.t('The service did not answer within {0} s.', timeoutSeconds));
}

/** Sends a request and follows redirects. */
async function open(call: Call, limit: TimeLimit, upload?: Upload): Promise<Dispatcher.ResponseData> {
  for (let redirects = 0; ; redirects++) {
    const response = await respond(call, limit, upload);
    const location = locationOf(response);
    if (location === undefined || redirects === maxRedirects || !follows(call, location, limit.url)) return response;
    drop(response);
    log(call, limit.url, String(response.statusCode));
    limit.url = webAddress(location, limit.url.href);
  }
}

/**
 * Sends one request and returns its response. The only place that calls undici. A private address outside the service's
 * origin is refused unless the service itself has one or the user allows it: a service must not read what only this
 * machine can reach.
 */
async function respond(call: Call, limit: TimeLimit, upload?: Upload): Promise<Dispatcher.ResponseData> {
  const { dispatcher, authorization } = call;
  const { url } = limit;
  const own = originOf(call.source);
  const through = (connections: Dispatcher) => {
    if (!upload) limit.awaitBytes();
    const response = request(url, {
      method: upload ? 'POST' : 'GET',
      headers: {
        accept: '*/*',
        'accept-encoding': 'identity',
        ...(url.origin === own ? call.ownHeaders : undefined),
        ...call.headers,
        ...upload?.headers,
        authorization: url.origin === own ? authorization : undefined,
      },
      // undici accepts async iterables, although its types do not say so.
      body: upload?.body as string | Readable | undefined,
      dispatcher: connections,
      signal: limit.signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return untilAborted(limit.signal, response);
  };
  if (url.origin === own || call.allowPrivateAddresses) return through(dispatcher);
  return through(dispatcher.results).catch((failure: unknown) => {
    if (failure instanceof PrivateAddressError && isPrivate(call.source)) return through(dispatcher);
    throw failure;
  });
}

function isPrivate({ base, isPrivate: wasPrivate }: AnswerSource): boolean {
  const { hostname } = new URL(base);
  return wasPrivate || isLoopback(hostname) || isPrivateAddress(hostname);
}

function follows({ kind, source }: Call, location: string, from: URL): boolean {
  const { redirects } = policies[kind];
  if (redirects !== 'origin') return redirects === 'any';
  return URL.parse(location, from.href)?.origin === originOf(source);
}

function locationOf({ statusCode, headers }: Dispatcher.ResponseData): string | undefined {
  return statusCode >= 300 && statusCode < 400 ? [headers.location].flat()[0] : undefined;
}

/** @throws MediaError `download` for an address that is not http(s) */
function webAddress(value: string, base: string): URL {
  const url = URL.parse(value, base);
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  const found = url?.protocol ?? l10n.t('something else');
  throw new MediaError('download', l10n.t("The result's address must be an http or https URL, not {0}.", found));
}

/** Receives the answer of a response. A paid one that breaks off is kept as far as it arrived. */
async function receive(call: Call, limit: TimeLimit, response: Dispatcher.ResponseData): Promise<RawAnswer> {
  const { isPaid, body: target } = policies[call.kind];
  const isInside = call.dispatcher.isPrivateName(new URL(call.source.base));
  const source = isInside ? { ...call.source, isPrivate: true } : call.source;
  const { requestId, ...said } = answerFacts(response, source, limit.url);
  const facts = { ...said, requestId: requestId && redact(requestId, call.secrets) };
  if (target === 'none') {
    drop(response);
    return { ...facts, body: new Uint8Array() };
  }
  if (!isSuccess(facts.status)) return { ...facts, body: await receiveRefusal(response, limit) };
  const total = announcedLength(response);
  let bytes = 0;
  const chunks = bodyOf(call, limit, response, (arrived) => {
    bytes = arrived;
    call.onProgress?.({ stage: 'downloading', bytes, total });
  });
  const { body, failure } = await receiveBody(chunks, target === 'file' ? call.openFile : undefined);
  if (failure === undefined) return { ...facts, body };
  if (!isPaid || limit.isCancelled) throw failure;
  // Whatever length was announced, nothing is missing.
  if (await isWholeJson(body)) return { ...facts, body };
  throw await keepPartial({ ...facts, body, partial: { bytes, total } }, failure, call, limit);
}

/**
 * Receives the start of a refusal and closes the connection. Errors and timeouts do not matter: the status says enough.
 */
async function receiveRefusal(response: Dispatcher.ResponseData, limit: TimeLimit): Promise<Uint8Array> {
  limit.awaitBytes();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of decoded(response, response.body)) {
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
 * Yields the decompressed body of a response.
 *
 * @param onArrived called with the number of bytes on the wire so far
 * @param before number of bytes received earlier
 * @param announced size of the whole result
 */
async function* bodyOf(
  { kind }: Call,
  limit: TimeLimit,
  response: Dispatcher.ResponseData,
  onArrived: (bytes: number) => void,
  before = 0,
  announced = 0,
): AsyncGenerator<Uint8Array> {
  const { isPaid, maxBytes, tooLarge } = policies[kind];
  let bytes = before;
  for await (const chunk of decoded(response, arriving(response, limit, onArrived))) {
    bytes += chunk.length;
    if (Math.max(bytes, announced) > maxBytes) {
      const sentence = tooLarge(limit.url.host);
      throw new MediaError(kind === 'download' ? kind : 'unreadableAnswer', sentence, { mayBeBilled: isPaid });
    }
    yield chunk;
  }
}

/** Hands over the received part of an answer and returns the error that says whether it is kept. */
async function keepPartial(raw: RawAnswer, failure: unknown, { onPartial }: Call, limit: TimeLimit) {
  const isKept = raw.body.length > 0 && (await wasKept(raw, onPartial));
  const arrived = describeArrival(raw.partial ?? { bytes: raw.body.length });
  const known = limit.error ?? (failure instanceof MediaError ? failure : undefined);
  const sentence = [
    known?.message ?? l10n.t('The connection to {0} was lost: {1}.', limit.url.host, describeFailure(failure)),
    isKept
      ? l10n.t('{0} arrived; this part of the answer is kept.', arrived)
      : l10n.t('{0} arrived; none of it is kept.', arrived),
  ];
  const { status, requestId } = raw;
  const details = { status, requestId, mayBeBilled: true, cause: failure };
  return new MediaError(known?.kind ?? 'network', sentence.join(' '), details);
}

async function wasKept(raw: RawAnswer, keep: ((raw: RawAnswer) => Promise<void>) | undefined): Promise<boolean> {
  try {
    await keep?.(raw);
    return keep !== undefined;
  } catch {
    return false;
  }
}

/** What is known of a result of which a part was received earlier. */
export interface Resumption {
  /** Number of bytes received earlier; only the rest is requested. */
  readonly from?: number;
  /** Version of the result that these bytes belong to. */
  readonly version?: ResultVersion;
}

/** Identifies a version of a result, as far as the server says. */
export interface ResultVersion {
  readonly etag: string | undefined;
  /** Size of the whole result in bytes. */
  readonly total: number | undefined;
}

export interface Download {
  /** Offset of the first byte: the requested one, or 0 when the server does not support ranges. */
  readonly start: number;
  readonly version?: ResultVersion;
  readonly data: AsyncIterable<Uint8Array>;
}

/**
 * Opens a result's address and streams its bytes.
 *
 * @param address used verbatim; a path is relative to the source's origin
 * @throws MediaError `download` for a URL that is not http(s), a private address, too many redirects, a status outside
 *   2xx, a timeout or more than 4 GiB; otherwise as for a failed connection
 */
export async function openDownload(
  address: string,
  { from, version }: Resumption,
  options: Omit<Call, 'kind' | 'url'>,
): Promise<Download> {
  const headers = {
    range: from ? `bytes=${from}-` : undefined,
    'if-range': from ? version?.etag : undefined,
  };
  const call: Call = { ...options, kind: 'download', url: webAddress(address, originOf(options.source)), headers };
  const limit = new TimeLimit(call);
  try {
    const response = await open(call, limit);
    const { statusCode } = response;
    log(call, limit.url, String(statusCode));
    if (isSuccess(statusCode)) {
      const start = statusCode === 206 ? startOf(response) : 0;
      return { start, version: versionOf(response, start), data: resultOf(call, limit, response, start) };
    }
    drop(response);
    if (!from || !isAll(response, from)) throw refused(limit.url, response);
    return { start: from, version: versionOf(response, from), data: Readable.from([]) };
  } catch (failure) {
    throw errorOf(call, limit, failure);
  } finally {
    limit.stop();
  }
}

async function* resultOf(
  call: Call,
  limit: TimeLimit,
  response: Dispatcher.ResponseData,
  start: number,
): AsyncGenerator<Uint8Array> {
  const total = totalOf(response, start);
  let bytes = start;
  const onArrived = (arrived: number) => {
    bytes = start + arrived;
    call.onProgress?.({ stage: 'downloading', bytes, total });
  };
  try {
    yield* bodyOf(call, limit, response, onArrived, start, total);
    if (total !== undefined && bytes < total) throw new Error(`${bytes} of ${total} bytes arrived`);
  } catch (failure) {
    throw errorOf(call, limit, failure);
  }
}

function refused({ host }: URL, response: Dispatcher.ResponseData): MediaError {
  const { statusCode: status } = response;
  if (status === 407) return proxyRefusal(407);
  if (locationOf(response) !== undefined) {
    return new MediaError('download', l10n.t('{0} redirected the download of the result too many times.', host));
  }
  const sentence = l10n.t('The result could not be downloaded: {0} answered {1}.', host, status);
  return new MediaError('download', sentence, { status });
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
