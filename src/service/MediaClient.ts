import { setTimeout as sleepFor } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import type { MediaRequestInput, OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import { validateRequest } from '../operations/validateRequest.ts';
import type { Answer, AnswerSource, RawAnswer } from './Answer.ts';
import type { ServiceDispatcher } from './createDispatcher.ts';
import type { Download } from './download.ts';
import { openDownload } from './download.ts';
import { errorFromAnswer, errorFromFailure, neverArrived } from './errors.ts';
import type { RequestBody } from './RequestBody.ts';
import { requestBody } from './RequestBody.ts';
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
import type { DownloadOptions, ExchangeOptions, SendOptions, StatusOptions } from './send.ts';
import { getAnswer, postRequest } from './send.ts';

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
