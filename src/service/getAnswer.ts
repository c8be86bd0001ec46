import type { Dispatcher } from 'undici';
import { request as httpRequest } from 'undici';
import type { AnswerSource, RawAnswer } from './Answer.ts';
import { originOf } from './answerSource.ts';
import type { Silence } from './arrival.ts';
import { drop, silenceOf } from './arrival.ts';
import type { StatusOptions } from './RequestOptions.ts';
import { receiveAnswer } from './receiveAnswer.ts';
import { TimeLimit, untilAborted } from './TimeLimit.ts';

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
