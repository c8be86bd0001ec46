import type { Dispatcher } from 'undici';
import { request as httpRequest } from 'undici';
import type { AnswerSource, RawAnswer } from './Answer.ts';
import { silenceOf } from './arrival.ts';
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

/**
 * Sends a GET request and returns the answer, of any status.
 *
 * @throws MediaError `timeout`; connection errors and the signal's reason are thrown unchanged
 */
export async function getAnswer(
  url: URL,
  { source, authorization, dispatcher, silenceSeconds, signal, openFile }: GetOptions,
): Promise<RawAnswer> {
  using limit = new TimeLimit(signal);
  const silence = silenceOf(url, silenceSeconds, limit);
  limit.start(silenceSeconds, silence.sentence);
  const response = httpRequest(url, {
    headers: { authorization, accept: '*/*', 'accept-encoding': 'identity' },
    dispatcher,
    signal: limit.signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const { raw, failure } = await receiveAnswer(await untilAborted(limit.signal, response), {
    source,
    silence,
    openFile,
  });
  if (failure !== undefined) throw limit.error ?? failure;
  return raw;
}
