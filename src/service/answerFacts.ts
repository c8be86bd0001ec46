import type { Dispatcher } from 'undici';
import type { AnswerSource, RawAnswer } from './Answer.ts';

/** Returns what the status line and headers of a response say. */
export function answerFacts(
  { statusCode, headers }: Dispatcher.ResponseData,
  source: AnswerSource,
): Omit<RawAnswer, 'body'> {
  const header = (name: string) => [headers[name]].flat()[0];
  return {
    source,
    status: statusCode,
    contentType: (header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    requestId: header('x-request-id') ?? header('request-id') ?? header('x-amzn-requestid') ?? header('cf-ray'),
    retryAfter: parseRetryAfter(header('retry-after')),
  };
}

/** Parses a Retry-After header, which holds seconds or a date, to seconds from now. */
function parseRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = /[a-z]/i.test(value) ? (Date.parse(value) - Date.now()) / 1000 : Number(value);
  return Number.isFinite(seconds) && value.trim() !== '' ? Math.max(1, seconds) : undefined;
}
