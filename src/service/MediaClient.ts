import type { Readable } from 'node:stream';
import { setTimeout as sleepFor } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import { request as httpRequest } from 'undici';
import { MediaError } from '../operations/MediaError.ts';
import type { MediaRequestInput, OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import { validateRequest } from '../operations/validateRequest.ts';
import type { Answer, RawAnswer } from './Answer.ts';
import type { AnswerSink } from './AnswerBody.ts';
import { answerFacts } from './answerFacts.ts';
import { authorizationOf } from './authorizationOf.ts';
import type { ServiceDispatcher } from './createDispatcher.ts';
import { withDeadline } from './deadline.ts';
import { decoded } from './decoded.ts';
import type { Download } from './download.ts';
import { openDownload } from './download.ts';
import { errorFromAnswer } from './errorFromAnswer.ts';
import { errorFromFailure } from './errorFromFailure.ts';
import { fetchStatus } from './fetchStatus.ts';
import type { KeySource } from './keyFor.ts';
import { keyFor } from './keyFor.ts';
import type { RequestBody } from './RequestBody.ts';
import { requestBody } from './RequestBody.ts';
import { readAnswer } from './readAnswer.ts';
import { receiveBody } from './receiveBody.ts';
import { maximumRepeats, secondsToRepeat } from './repeat.ts';
import type { ServiceConfiguration } from './ServiceConfiguration.ts';
import { endpointOf, statusEndpointOf } from './ServiceConfiguration.ts';

/** What is going on; `bytes` of `total` are sent or received so far. */
export type Progress =
  | { readonly stage: 'sending' | 'downloading'; readonly bytes: number; readonly total: number | undefined }
  | { readonly stage: 'waiting' }
  /** The request did not get through and is sent again after some seconds. */
  | { readonly stage: 'repeating'; readonly seconds: number; readonly reason: string };

export interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface ExchangeOptions extends SendOptions {
  /** Makes the file that an accepted answer goes to when it is large; without it all stays in memory. */
  readonly openFile?: (() => Promise<AnswerSink>) | undefined;
}

export interface DownloadOptions extends SendOptions {
  /** Bytes that are here already: the rest is asked for. */
  readonly from?: number | undefined;
}

export interface MediaClientOptions {
  readonly configuration: ServiceConfiguration;
  readonly key: KeySource;
  /** From {@link createDispatcher}; always explicit, the global one belongs to the host. */
  readonly dispatcher: ServiceDispatcher;
  /** Called with one line per exchange; it holds no secret, no query and no prompt. */
  readonly log?: ((line: string) => void) | undefined;
  readonly sleep?: ((milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>) | undefined;
}

/** Longest time in which the service tells the state of a job. */
const statusSeconds = 60;

/** The service's HTTP API: requests in, answers out. A paid request is sent once, or again only when it did not arrive. */
export class MediaClient {
  readonly #options: MediaClientOptions;

  constructor(options: MediaClientOptions) {
    this.#options = options;
  }

  /**
   * Runs one operation: {@link exchange} and {@link read} in one.
   *
   * @throws MediaError of any kind but `download` and `save`; `mayBeBilled` tells whether the service may have done the work
   */
  async send<Id extends OperationId>(id: Id, input: MediaRequestInput<Id>, options: SendOptions = {}): Promise<Answer> {
    return this.read(id, await this.exchange(id, input, options));
  }

  /**
   * Sends a request and gives the answer as it came in, so that what was paid for can be kept before it is understood.
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
   * Understands an answer, or the {@link status} of a job; costs nothing and can be repeated. Throws like {@link readAnswer}.
   */
  async read(id: OperationId, raw: RawAnswer, jobId?: string): Promise<Answer> {
    const key = await this.#keyIfAny(endpointOf(this.#options.configuration, id).origin);
    return readAnswer(id, raw, key === undefined ? [] : [key], jobId);
  }

  /**
   * Opens a result URL. The key goes along only to the very origin that answered the operation.
   *
   * @throws MediaError `download`, `network`, `tls`, `proxy` or `cancelled`; none of these costs anything
   */
  async download(id: OperationId, url: string, options: DownloadOptions = {}): Promise<Download> {
    const { origin } = endpointOf(this.#options.configuration, id);
    const key = await this.#keyIfAny(origin);
    const authorization = key === undefined ? undefined : this.#authorization(key);
    const log = (outcome: string) => this.#options.log?.(`${id}: GET ${outcome}`);
    const { dispatcher, configuration } = this.#options;
    const allowPrivateAddresses = configuration.allowPrivateResultAddresses === true;
    return openDownload({ url, origin, authorization, dispatcher, allowPrivateAddresses, log, ...options });
  }

  /** What is paid for is read and fetched even when the keys cannot be. */
  async #keyIfAny(origin: string): Promise<string | undefined> {
    try {
      return await this.#options.key(origin);
    } catch {
      return undefined;
    }
  }

  /**
   * Asks how a video that the service works on is getting on; costs nothing.
   *
   * @param jobId as the service calls its job
   * @throws MediaError `noMedia` when the settings do not say where to ask; else like {@link send}, never `mayBeBilled`
   */
  async status(id: OperationId, jobId: string, { signal }: SendOptions = {}): Promise<RawAnswer> {
    const { dispatcher, log } = this.#options;
    const url = this.#statusUrl(id, jobId);
    const key = await keyFor(url, this.#options.key);
    const authorization = this.#authorization(key);
    try {
      const raw = await withDeadline(statusSeconds, signal, (deadline) =>
        fetchStatus(url, { authorization, dispatcher, signal: deadline }),
      );
      log?.(`${id}: GET ${url.origin}: ${raw.status}, ${raw.body.length} bytes`);
      if (raw.status < 200 || raw.status > 299) throw errorFromAnswer(raw, [key]);
      return raw;
    } catch (failure) {
      const { kind, message, ...facts } = errorFromFailure(failure, url.host);
      const sentence =
        kind === 'timeout' ? l10n.t('The service did not tell in time how the video is getting on.') : message;
      throw new MediaError(kind, sentence, { ...facts, mayBeBilled: false, cause: failure });
    }
  }

  /** Where services have a video that is done and no address of it in their answer. Throws like {@link status}. */
  contentUrl(id: OperationId, jobId: string): string {
    const url = this.#statusUrl(id, jobId);
    url.pathname += '/content';
    return url.href;
  }

  #statusUrl(id: OperationId, jobId: string): URL {
    const isVideo = operations[id].area === 'video';
    const url = isVideo ? statusEndpointOf(this.#options.configuration, jobId) : undefined;
    if (!url) throw noStatusPath(id, jobId);
    return url;
  }

  #authorization(key: string): string {
    return authorizationOf(this.#options.configuration.authorizationScheme, key);
  }

  async #sendUntilArrived(
    id: OperationId,
    url: URL,
    key: string,
    body: RequestBody,
    options: ExchangeOptions,
  ): Promise<RawAnswer> {
    const sleep = this.#options.sleep ?? ((milliseconds, signal) => sleepFor(milliseconds, undefined, { signal }));
    for (let repeat = 0; ; repeat++) {
      try {
        return await this.#sendOnce(id, url, key, body, options);
      } catch (error) {
        const seconds =
          error instanceof MediaError && repeat < maximumRepeats ? secondsToRepeat(error, repeat) : undefined;
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
    const seconds = this.#options.configuration.timeoutSeconds[operations[id].area];
    const started = performance.now();
    let outcome = '';
    try {
      const raw = await withDeadline(seconds, signal, (deadline) =>
        this.#exchange(url, key, body, { ...options, signal: deadline }),
      );
      outcome = `${raw.status}${raw.requestId ? `, request ${raw.requestId}` : ''}, ${raw.body.length} bytes`;
      if (raw.status < 200 || raw.status > 299) throw errorFromAnswer(raw, [key]);
      return raw;
    } catch (failure) {
      const error = errorFromFailure(failure, url.host);
      outcome ||= error.kind;
      throw error;
    } finally {
      const milliseconds = Math.round(performance.now() - started);
      this.#options.log?.(`${id}: POST ${url.origin}${url.pathname}: ${outcome}, ${milliseconds} ms`);
    }
  }

  async #exchange(
    url: URL,
    key: string,
    requestBody: RequestBody,
    { signal, onProgress, openFile }: ExchangeOptions,
  ): Promise<RawAnswer> {
    const { headers, body } = requestBody.open((bytes) => {
      onProgress?.({ stage: 'sending', bytes, total: requestBody.bytes });
      if (bytes === requestBody.bytes) onProgress?.({ stage: 'waiting' });
    });
    if (typeof body === 'string') onProgress?.({ stage: 'waiting' });
    try {
      const response = await httpRequest(url, {
        method: 'POST',
        headers: { ...headers, authorization: this.#authorization(key), accept: '*/*', 'accept-encoding': 'identity' },
        // undici takes what can be iterated; its types do not say so.
        body: body as string | Readable,
        dispatcher: this.#options.dispatcher,
        signal,
        // Generation takes minutes: the only limit is the deadline.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const total = Number(response.headers['content-length']) || undefined;
      const isAccepted = response.statusCode >= 200 && response.statusCode < 300;
      const answer = await receiveBody(decoded(response), isAccepted ? openFile : undefined, (bytes) =>
        onProgress?.({ stage: 'downloading', bytes, total }),
      );
      return { ...answerFacts(response), body: answer };
    } finally {
      // An upload that broke off keeps its file open until then.
      if (typeof body !== 'string') body.return(undefined).catch(() => undefined);
    }
  }
}

function notSent(): MediaError {
  return new MediaError('cancelled', l10n.t('Cancelled. Nothing was sent.'));
}

function noStatusPath(id: OperationId, jobId: string): MediaError {
  if (operations[id].area !== 'video') {
    const sentence = l10n.t(
      'The service made a job of it ({0}) instead of sending the result: only videos are fetched later.',
      jobId,
    );
    return new MediaError('noMedia', sentence, { mayBeBilled: true });
  }
  const sentence = l10n.t(
    'The service works on it as {0} and sent no video yet. To fetch it, enter where to ask in the setting "unifiedMedia.videoStatusPath" (such as /v1/videos/{id}); then choose Download Again.',
    jobId,
  );
  return new MediaError('noMedia', sentence, { mayBeBilled: true });
}
