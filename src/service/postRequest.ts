import type { Readable } from 'node:stream';
import * as l10n from '@vscode/l10n';
import type { Dispatcher } from 'undici';
import { request as httpRequest } from 'undici';
import { MediaError } from '../operations/MediaError.ts';
import type { AnswerSource, RawAnswer } from './Answer.ts';
import { silenceOf } from './arrival.ts';
import { keepPartial } from './partialAnswer.ts';
import type { RequestBody } from './RequestBody.ts';
import type { ExchangeOptions } from './RequestOptions.ts';
import { receiveAnswer } from './receiveAnswer.ts';
import { TimeLimit, untilAborted } from './TimeLimit.ts';

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
