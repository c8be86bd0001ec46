import assert from 'node:assert/strict';
import { costOf, costOfAll, describeCost, readPrices } from '../../../src/operations/prices.ts';

const prices = readPrices({
  currency: '$',
  models: {
    'img-large': { image: 0.2 },
    'img-*': { image: 0.04 },
    '*': { character: 0.000_015, second: 'free' },
    clip: { second: 1 },
  },
});

describe('prices', () => {
  it('are those of the first pattern that fits the model', () => {
    assert.equal(costOf(prices, 'img-small', { images: 3, requests: 1 }), 0.12);
    assert.equal(costOf(prices, 'img-large', { images: 3, requests: 1 }), 0.6000000000000001);
    assert.equal(costOf(prices, 'voice', { characters: 24_700 }), 0.3705);
  });

  it('say nothing without a price for the model, or for what is not known', () => {
    const video = readPrices({ models: { clip: { second: 0.5, request: 1 } } });
    assert.equal(costOf(video, 'other', { requests: 1 }), undefined);
    assert.equal(costOf(video, 'clip', { requests: 1 }), undefined);
    assert.equal(costOf(video, 'clip', { requests: 1, seconds: 4 }), 3);
    assert.equal(costOf(undefined, 'clip', { requests: 1 }), undefined);
  });

  it('are summed up, unless one of them is not known', () => {
    const picture = { model: 'img-large', counted: { images: 2 } };
    const speech = { model: 'voice', counted: { characters: 20_000 } };
    assert.equal(costOfAll(prices, [picture, speech]), 0.7);
    assert.equal(costOfAll(prices, [picture, { model: 'voice', counted: {} }]), undefined);
    assert.equal(costOfAll(undefined, [picture]), undefined);
    assert.equal(costOfAll(undefined, []), undefined);
  });

  it('leave out what is no price', () => {
    for (const value of [
      undefined,
      'free',
      [],
      {},
      { models: [] },
      { models: { a: { image: -1 } } },
      { models: { a: { image: '1' } } },
    ]) {
      assert.equal(readPrices(value), undefined, JSON.stringify(value));
    }
  });

  const rows = [
    [0.12, 'about 0.12 $'],
    [0.6000000000000001, 'about 0.6 $'],
    [0.000_15, 'about 0.00015 $'],
    [3.4, 'about 3.40 $'],
    [1234.5, 'about 1,234.50 $'],
    [0, 'about 0.00 $'],
  ] as const;
  for (const [cost, words] of rows) {
    it(`are told as ${words}`, () => assert.equal(describeCost(cost, { currency: '$' }, 'en'), words));
  }
});
