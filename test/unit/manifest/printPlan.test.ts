import assert from 'node:assert/strict';
import { describeTotal } from '../../../src/manifest/printPlan.ts';
import { noAmounts } from '../../../src/operations/amounts.ts';

describe('describeTotal', () => {
  const total = { ...noAmounts, requests: { transcribe: 2 }, minutes: 3, cost: { amount: 1.5, currency: '$' } };

  it('says which minutes and costs are an upper bound', () => {
    assert.equal(describeTotal(total, 'en'), '2 requests, 3 minutes of recordings, about 1.50 $');
    const bounded = '2 requests, at most 3 minutes of recordings, at most 1.50 $';
    assert.equal(describeTotal({ ...total, minutesAtMost: true }, 'en'), bounded);
  });
});
