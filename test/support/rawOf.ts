import type { RawAnswer } from '../../src/service/Answer.ts';

/** Returns a raw answer: JSON from a.example by default. */
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
