import type { RawAnswer } from '../../src/service/Answer.ts';

/** An answer as it comes in: of JSON, from a service on a.example, unless said otherwise. */
export function rawOf(body: RawAnswer['body'], facts: Partial<RawAnswer> = {}): RawAnswer {
  return {
    source: { base: 'https://a.example' },
    status: 200,
    contentType: 'application/json',
    requestId: undefined,
    retryAfter: undefined,
    body,
    ...facts,
  };
}
