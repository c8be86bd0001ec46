import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import FormData from 'form-data';
import { mapFiles } from '../operations/fields.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { Field, MediaRequest, MediaRequestInput, OperationId } from '../operations/operations.ts';
import { isMultipart, operations } from '../operations/operations.ts';
import { validateRequest } from '../operations/validateRequest.ts';
import type { Answer, AnswerSource, RawAnswer } from './Answer.ts';
import type { ServiceDispatcher } from './createDispatcher.ts';
import { errorFromAnswer, errorFromFailure, neverArrived } from './errors.ts';
import type { ImageFile } from './inputFile.ts';
import {
  base64Length,
  base64Of,
  checkImage,
  checkInputFile,
  checkRecording,
  isFileUrl,
  piecesOf,
} from './inputFile.ts';
import { readAnswer, resultUrlIn } from './readAnswer.ts';
import type { KeySource, ServiceConfiguration, ServiceJob } from './ServiceConfiguration.ts';
import {
  authorizationOf,
  currentSource,
  endpointOf,
  keyFor,
  originOf,
  sourceOf,
  statusUrlOf,
} from './ServiceConfiguration.ts';
import type { Download, DownloadOptions, ExchangeOptions, RequestBody, SendOptions, StatusOptions } from './send.ts';
import { getAnswer, openDownload, postRequest } from './send.ts';

const maxRetries = 4;
const maxDelaySeconds = 60;

/**
 * Returns the delay before an automatic retry, in seconds; undefined when there must be none. A request is retried only
 * when it certainly did not arrive or the service asks for a retry, so that it is never billed twice.
 *
 * @param retry number of retries so far
 */
function retryDelay(error: MediaError, retry: number): number | undefined {
  const delay = 2 ** retry;
  if (error.kind === 'network') return neverArrived(error) ? delay / 2 : undefined;
  const asksForRetry = error.kind === 'rateLimited' || (error.status === 503 && error.retryAfter !== undefined);
  if (!asksForRetry) return undefined;
  const seconds = error.retryAfter ?? delay;
  return seconds <= maxDelaySeconds ? seconds : undefined;
}

// An answer is kept before it is understood: `exchange` returns it raw, the journal writes it to disk, and `read` can
// be repeated at no cost. Answers above 4 MiB stream to the journal's file and are never in memory as a whole.

export interface MediaClientOptions {
  readonly configuration: ServiceConfiguration;
  readonly key: KeySource;
  /** From {@link createDispatcher}. Always explicit, because the global dispatcher belongs to the host. */
  readonly dispatcher: ServiceDispatcher;
  /** Called with one line per exchange, without keys, query strings and prompts. */
  readonly log?: ((line: string) => void) | undefined;
  readonly sleep?: ((milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>) | undefined;
  /** Longest time in which no byte is sent or received; 60 by default. */
  readonly silenceSeconds?: number | undefined;
}

const defaultSilenceSeconds = 60;

/**
 * Client of the service's HTTP API. Retries a paid request only when it did not arrive or the service asked for a
 * retry.
 */
export class MediaClient {
  readonly #options: MediaClientOptions;

  constructor(options: MediaClientOptions) {
    this.#options = options;
  }

  /**
   * Runs one operation: {@link exchange}, then {@link read}.
   *
   * @throws MediaError of any kind except `download` and `save`; `mayBeBilled` is true when the service may have done
   *   the work
   */
  async send<Id extends OperationId>(id: Id, input: MediaRequestInput<Id>, options: SendOptions = {}): Promise<Answer> {
    return this.read(id, await this.exchange(id, input, options));
  }

  /**
   * Sends a request and returns the raw answer, so that a paid result can be stored before it is interpreted.
   * Throws like {@link send}.
   */
  async exchange<Id extends OperationId>(
    id: Id,
    input: MediaRequestInput<Id>,
    options: ExchangeOptions = {},
  ): Promise<RawAnswer> {
    const request = validateRequest<OperationId>(id, input);
    const url = endpointOf(this.#options.configuration, id);
    const key = await keyFor(url, this.#options.key);
    const body = await requestBody(id, request);
    return this.#sendUntilArrived(id, url, key, body, options);
  }

  /**
   * Interprets an answer, or the {@link status} of a job. Costs nothing and can be repeated. Throws like {@link
   * readAnswer}.
   */
  async read(id: OperationId, raw: RawAnswer, jobId?: string): Promise<Answer> {
    const key = await this.#keyIfAny(originOf(raw.source));
    return readAnswer(id, raw, key === undefined ? [] : [key], jobId);
  }

  /**
   * Opens a result URL from an answer. The key is sent only to the origin that gave the answer; a public URL needs
   * neither a key nor a setting.
   *
   * @param url used verbatim; a path is relative to the source's origin
   * @throws MediaError `download`, `network`, `tls`, `proxy` or `cancelled`; downloading is never billed
   */
  async download(id: OperationId, url: string, source: AnswerSource, options: DownloadOptions = {}): Promise<Download> {
    const authorization = await this.#authorizationIfAny(id, source);
    const log = (outcome: string) => this.#options.log?.(`${id}: GET ${outcome}`);
    const { dispatcher, configuration } = this.#options;
    const allowPrivateAddresses = configuration.allowPrivateResultAddresses === true;
    const origin = originOf(source);
    const silenceSeconds = this.#silenceSeconds;
    return openDownload({
      ...options,
      url,
      origin,
      authorization,
      dispatcher,
      allowPrivateAddresses,
      silenceSeconds,
      log,
    });
  }

  /**
   * Polls a job of the service, which costs nothing. When the answer only holds the URL of a finished job's result,
   * fetches that URL.
   *
   * @param job its id and status URL from the service's answer
   * @param source source of that answer
   * @throws MediaError `noMedia` when no status URL is known, which may be billed; otherwise like {@link send}, never
   *   `mayBeBilled`
   */
  async status(
    id: OperationId,
    job: ServiceJob,
    source: AnswerSource,
    options: StatusOptions = {},
  ): Promise<RawAnswer> {
    const current = currentSource(source, this.#options.configuration, operations[id].area);
    const url = statusUrlOf(id, job, current);
    const key = await keyFor(url, this.#options.key);
    const get = (address: URL) => this.#get(id, address, key, current, options);
    const raw = await get(url);
    const resultUrl = await resultUrlIn(id, raw, job.id);
    return resultUrl === undefined ? raw : get(new URL(resultUrl));
  }

  async #get(id: OperationId, url: URL, key: string, source: AnswerSource, options: StatusOptions): Promise<RawAnswer> {
    const { dispatcher, log } = this.#options;
    const authorization = authorizationOf(source.authorizationScheme, key);
    const silenceSeconds = this.#silenceSeconds;
    try {
      const raw = await getAnswer(url, { ...options, source, authorization, dispatcher, silenceSeconds });
      log?.(`${id}: GET ${url.origin}: ${raw.status}, ${raw.body.length} bytes`);
      if (raw.status < 200 || raw.status > 299) throw errorFromAnswer(raw, [key]);
      return raw;
    } catch (failure) {
      throw options.signal?.aborted
        ? statusCancelled(failure)
        : statusError(errorFromFailure(failure, url.host, false));
    }
  }

  /**
   * Returns the URL where services usually serve a finished video that has no URL in the answer. Throws like {@link
   * status}.
   */
  contentUrl(id: OperationId, jobId: string, source: AnswerSource): string {
    const current = currentSource(source, this.#options.configuration, operations[id].area);
    const url = statusUrlOf(id, { id: jobId }, current);
    url.pathname += '/content';
    return url.href;
  }

  /** Returns undefined when keys cannot be read, so that a paid result is still read and downloaded. */
  async #keyIfAny(origin: string): Promise<string | undefined> {
    try {
      return await this.#options.key(origin);
    } catch {
      return undefined;
    }
  }

  async #authorizationIfAny(id: OperationId, source: AnswerSource): Promise<string | undefined> {
    try {
      const key = await keyFor(new URL(source.base), this.#options.key);
      const { authorizationScheme } = currentSource(source, this.#options.configuration, operations[id].area);
      return authorizationOf(authorizationScheme, key);
    } catch {
      return undefined;
    }
  }

  async #sendUntilArrived(
    id: OperationId,
    url: URL,
    key: string,
    body: RequestBody,
    options: ExchangeOptions,
  ): Promise<RawAnswer> {
    const sleep = this.#options.sleep ?? ((milliseconds, signal) => sleepFor(milliseconds, undefined, { signal }));
    for (let retry = 0; ; retry++) {
      try {
        return await this.#sendOnce(id, url, key, body, options);
      } catch (error) {
        const seconds = error instanceof MediaError && retry < maxRetries ? retryDelay(error, retry) : undefined;
        if (seconds === undefined) throw error;
        options.onProgress?.({ stage: 'repeating', seconds, reason: (error as MediaError).message });
        await sleep(seconds * 1000, options.signal).catch((reason: unknown) => {
          throw options.signal?.aborted ? notSent() : reason;
        });
      }
    }
  }

  async #sendOnce(
    id: OperationId,
    url: URL,
    key: string,
    body: RequestBody,
    options: ExchangeOptions,
  ): Promise<RawAnswer> {
    const { signal } = options;
    if (signal?.aborted) throw notSent();
    const { configuration, dispatcher, log } = this.#options;
    const { area } = operations[id];
    const source = sourceOf(configuration, area);
    const started = performance.now();
    let outcome = '';
    try {
      const raw = await postRequest({
        ...options,
        url,
        source,
        authorization: authorizationOf(source.authorizationScheme, key),
        body,
        dispatcher,
        timeoutSeconds: configuration.timeoutSeconds[area],
        silenceSeconds: this.#silenceSeconds,
      });
      outcome = `${raw.status}${raw.requestId ? `, request ${raw.requestId}` : ''}, ${raw.body.length} bytes`;
      if (raw.status < 200 || raw.status > 299) throw errorFromAnswer(raw, [key]);
      return raw;
    } catch (failure) {
      const error = errorFromFailure(failure, url.host);
      outcome ||= error.kind;
      throw error;
    } finally {
      const milliseconds = Math.round(performance.now() - started);
      log?.(`${id}: POST ${url.origin}${url.pathname}: ${outcome}, ${milliseconds} ms`);
    }
  }

  get #silenceSeconds(): number {
    return this.#options.silenceSeconds ?? defaultSilenceSeconds;
  }
}

function notSent(): MediaError {
  return new MediaError('cancelled', l10n.t('Cancelled. Nothing was sent.'));
}

function statusCancelled(cause: unknown): MediaError {
  return new MediaError('cancelled', l10n.t('Cancelled while waiting for the result.'), { cause });
}

/** Polling is never billed, so the error must not say that it may be. */
function statusError(error: MediaError): MediaError {
  const { kind, message } = error;
  const sentence = kind === 'timeout' ? l10n.t('The service did not report the status of the job in time.') : message;
  return new MediaError(kind, sentence, { ...error, mayBeBilled: false, cause: error });
}

/**
 * Builds the body of an operation's request: JSON, or multipart with its file streamed from disk. An image's `file:`
 * URL becomes a `data:` URL, also streamed from disk.
 *
 * @throws MediaError `invalidInput`, naming the field, for a file that cannot be read or is not a recording or image
 */
async function requestBody(id: OperationId, request: MediaRequest): Promise<RequestBody> {
  return isMultipart(operations[id])
    ? multipartBody(request as MediaRequest<'transcribe'>)
    : jsonBody(operations[id].fields, request);
}

/**
 * Bytes per chunk. More than the 64 KiB that undici's sockets buffer, so that a chunk has left the buffer before the
 * next one is requested. Small enough that a slow connection does not look stalled.
 */
const pieceBytes = 128 * 1024;

/** Longer JSON is sent in chunks, so that progress can be reported. */
const maxBytesAtOnce = 64 * 1024;

async function jsonBody(fields: readonly Field[], request: MediaRequest): Promise<RequestBody> {
  const mark = randomUUID();
  const images: ImageFile[] = [];
  const marked = async (field: Field, url: string): Promise<string> => {
    if (!isFileUrl(url)) return url;
    const image = await checkImage(field, url);
    images.push(image);
    return `data:${image.mime};base64,${mark}`;
  };
  const sent: Record<string, unknown> = { ...request };
  for (const field of fields) sent[field.name] = await mapFiles(field, sent[field.name], (url) => marked(field, url));
  const json = JSON.stringify(sent);
  const texts = json.split(mark).map((text) => Buffer.from(text));
  const bytes = sumOf(texts.map(({ length }) => length)) + sumOf(images.map(base64Length));
  const headers = { 'content-type': 'application/json' };
  if (bytes <= maxBytesAtOnce && images.length === 0) {
    return {
      bytes,
      open: () => ({ headers, body: json }),
    };
  }
  return {
    bytes,
    open: (onSent) => ({
      headers: { ...headers, 'content-length': String(bytes) },
      body: reportSent(jsonChunks(texts, images), onSent),
    }),
  };
}

async function* jsonChunks(texts: readonly Uint8Array[], images: readonly ImageFile[]) {
  // A retry may come minutes later: send nothing if an image is gone by then.
  for (const { field, path } of images) await checkInputFile(field, path, async () => undefined);
  for (const [index, text] of texts.entries()) {
    for (let at = 0; at < text.length; at += pieceBytes) yield text.subarray(at, at + pieceBytes);
    const image = images[index];
    if (image) yield* base64Of(image);
  }
}

/** Media types by extension. Several services refuse other types of the same format. */
const audioTypes: Readonly<Record<string, string>> = {
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  mp4: 'audio/mp4',
  mpeg: 'audio/mpeg',
  mpga: 'audio/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  webm: 'audio/webm',
};

async function multipartBody({ model, file }: MediaRequest<'transcribe'>): Promise<RequestBody> {
  const recording = await checkRecording(file);
  const mark = Buffer.from(randomUUID());
  const form = new FormData();
  form.append('model', model);
  form.append('file', mark, {
    filename: basename(file),
    contentType: audioTypes[file.slice(file.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream',
  });
  const frame = form.getBuffer();
  const head = frame.subarray(0, frame.lastIndexOf(mark));
  const foot = frame.subarray(head.length + mark.length);
  const bytes = head.length + recording.size + foot.length;
  return {
    bytes,
    open: (onSent) => ({
      headers: { ...form.getHeaders(), 'content-length': String(bytes) },
      body: reportSent(framed(head, piecesOf(recording, pieceBytes), foot), onSent),
    }),
  };
}

async function* framed(head: Uint8Array, pieces: AsyncGenerator<Uint8Array>, foot: Uint8Array) {
  // The first piece opens the file: send nothing if that fails.
  const first = await pieces.next();
  try {
    yield head;
    if (!first.done) yield first.value;
    yield* pieces;
    yield foot;
  } finally {
    await pieces.return(undefined);
  }
}

/** Reports the number of sent bytes after each chunk. */
async function* reportSent(
  chunks: AsyncIterable<Uint8Array>,
  onSent: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    yield chunk;
    bytes += chunk.length;
    onSent(bytes);
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
