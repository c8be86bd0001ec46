import assert from 'node:assert/strict';
import {
  costOf,
  costOfAll,
  describeCost,
  priceProblem,
  readPrices,
  secondsIn,
} from '../../../src/operations/prices.ts';

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

  const wrong = [
    ['free', '“unifiedMedia.prices” in your prices must be an object.'],
    [{ model: {} }, '“model” in your prices is not known. Use currency, models.'],
    [{ currency: 1 }, '“currency” in your prices must be a text.'],
    [{ models: [] }, '“models” in your prices must be an object.'],
    [{ models: { 'img-*': 0.04 } }, '“models.img-*” in your prices must be an object.'],
    [
      { models: { 'img-*': { images: 0.04 } } },
      '“models.img-*.images” in your prices is not known. Use image, second, character, minute, request.',
    ],
    [
      { models: { 'img-*': { image: '0.04' } } },
      '“models.img-*.image” in your prices must be a number that is not negative.',
    ],
    [{ models: { a: { image: -1 } } }, '“models.a.image” in your prices must be a number that is not negative.'],
  ] as const;
  for (const [value, sentence] of wrong) {
    it(`name what is none: ${sentence}`, () => assert.equal(priceProblem(value), sentence));
  }

  it('have no problem while there are none, or all are read', () => {
    for (const value of [undefined, {}, { currency: '€', models: { a: { image: 0, request: 1.5 } } }])
      assert.equal(priceProblem(value), undefined);
  });

  it('know the length of a video by the names that services have for it', () => {
    assert.equal(secondsIn({ seconds: '8' }), 8);
    assert.equal(secondsIn({ duration: 5 }), 5);
    assert.equal(secondsIn({ seconds: '' }), undefined);
    assert.equal(secondsIn({ size: '8' }), undefined);
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
