import assert from 'node:assert/strict';
import { describeUsage } from '../../../src/library/requestFacts.ts';

const rows: readonly (readonly [unknown, string])[] = [
  [{ cost: 0.004, latency: 6942 }, 'cost 0.004'],
  [{ usage: { total_tokens: 120, details: { text_tokens: 20 } } }, 'total tokens 120, text tokens 20'],
  [{ usage: { cost: 0.5 } }, 'cost 0.5'],
  [{ usage: { type: 'duration', seconds: 12 } }, 'seconds 12'],
  [{ usage: { a: 1, b: 2, c: 3, d: 4, e: 5 } }, 'a 1, b 2, c 3, d 4'],
  [{ timings: { inference: 0.1 } }, ''],
  [{}, ''],
  // Of damaged records.
  [{ usage: { tokens: 5, a: null } }, 'tokens 5'],
  [{ cost: { a: null }, usage: { tokens: 5 } }, 'tokens 5'],
  [undefined, ''],
];

describe('describeUsage', () => {
  for (const [usage, words] of rows) {
    it(`returns “${words}” for ${JSON.stringify(usage)}`, () => assert.equal(describeUsage(usage), words));
  }
});
