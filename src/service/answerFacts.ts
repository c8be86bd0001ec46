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
    retryAfter: parseRetryAfter(header('retry-after'), header('date')),
  };
}

/**
 * Parses a Retry-After header, which holds seconds or a date, to seconds from now.
 *
 * @param date the Date header: this computer's clock may be wrong
 */
function parseRetryAfter(value: string | undefined, date = ''): number | undefined {
  if (value === undefined) return undefined;
  const now = Date.parse(date) || Date.now();
  const seconds = /[a-z]/i.test(value) ? (Date.parse(value) - now) / 1000 : Number(value);
  return Number.isFinite(seconds) && value.trim() !== '' ? Math.max(1, seconds) : undefined;
}
