import type { Dispatcher } from 'undici';
import { request as httpRequest } from 'undici';
import type { AnswerSource, RawAnswer } from './Answer.ts';
import { answerFacts } from './answerFacts.ts';
import { decoded } from './decoded.ts';
import { receiveBody } from './receiveBody.ts';

interface StatusOptions {
  readonly source: AnswerSource;
  readonly authorization: string;
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
}

/** Gets the answer of a URL as it is. */
export async function fetchStatus(
  url: URL,
  { source, authorization, dispatcher, signal }: StatusOptions,
): Promise<RawAnswer> {
  const response = await httpRequest(url, {
    headers: { authorization, accept: '*/*', 'accept-encoding': 'identity' },
    dispatcher,
    signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const body = await receiveBody(decoded(response), undefined, () => undefined);
  return { ...answerFacts(response, source), body };
}
