import type { Readable } from 'node:stream';
import * as l10n from '@vscode/l10n';
import type { Dispatcher } from 'undici';
import { request as httpRequest } from 'undici';
import { MediaError } from '../operations/MediaError.ts';
import type { AnswerSource, RawAnswer } from './Answer.ts';
import { answerFacts } from './Answer.ts';
import type { AnswerSink } from './AnswerBody.ts';
import { receiveBody } from './AnswerBody.ts';
import type { Silence } from './arrival.ts';
import {
  announcedLength,
  arriving,
  decoded,
  describeArrival,
  drop,
  silenceOf,
  TimeLimit,
  untilAborted,
} from './arrival.ts';
import { describeFailure } from './errors.ts';
import type { RequestBody } from './RequestBody.ts';
import { originOf } from './ServiceConfiguration.ts';

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
  let response = await open(url, silence, options);
  for (let redirects = 0, at = url; redirects < maxRedirects; redirects++) {
    const next = redirectOf(response, at, source);
    if (!next) break;
    drop(response);
    at = next;
    response = await open(at, silence, options);
  }
  const { raw, failure } = await receiveAnswer(response, { source, silence, openFile });
  if (failure !== undefined) throw limit.error ?? failure;
  return raw;
}

function open(
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
