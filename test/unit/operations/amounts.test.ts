import assert from 'node:assert/strict';
import {
  amountNames,
  amountsOf,
  describeAmount,
  describeAmountIn,
  difference,
  fits,
  noAmounts,
  readAmounts,
  sum,
} from '../../../src/operations/amounts.ts';
import { MediaError } from '../../../src/operations/MediaError.ts';
import { validateRequest } from '../../../src/operations/validateRequest.ts';

const recording = validateRequest('transcribe', { model: 'w', file: 'talk.mp3' });

describe('amountsOf', () => {
  it('counts what a request is billed by, and the request itself', () => {
    const image = validateRequest('generateImage', { model: 'm', prompt: 'a', n: 3 });
    assert.deepEqual(amountsOf('generateImage', image, 0), { ...noAmounts, images: 3, requests: 1 });
    const video = validateRequest('generateVideo', { model: 'm', prompt: 'a' });
    assert.deepEqual(amountsOf('generateVideo', video, 0), { ...noAmounts, videos: 1, requests: 1 });
    const speech = validateRequest('speak', { model: 't', input: 'Hello.', voice: 'nova' });
    assert.deepEqual(amountsOf('speak', speech, 0, 2), { ...noAmounts, characters: 6, requests: 2 });
    assert.deepEqual(amountsOf('transcribe', recording, 1.5), { ...noAmounts, minutes: 1.5, requests: 1 });
  });

  for (const minutes of [0, -0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    it(`refuses a recording of ${minutes} minutes, and names the amount`, () => {
      assert.throws(
        () => amountsOf('transcribe', recording, minutes),
        (error) => error instanceof MediaError && error.kind === 'invalidInput' && error.field === 'minutes',
      );
    });
  }
});

describe('amounts', () => {
  it('stay an upper bound in a sum, and are described as one', () => {
    const bound = { ...noAmounts, minutes: 2, minutesAtMost: true } as const;
    assert.equal(sum({ ...noAmounts, minutes: 1 }, bound).minutesAtMost, true);
    assert.equal('minutesAtMost' in sum(noAmounts, noAmounts), false);
    assert.equal(describeAmountIn(bound, 'minutes', 'en'), 'at most 2 minutes of recordings');
    assert.equal(describeAmountIn({ ...bound, requests: 1 }, 'requests', 'en'), '1 request');
  });

  it('are written in the singular, and with the separators of a language', () => {
    const inWords = (count: number) => amountNames.map((name) => describeAmount(name, count, 'de'));
    assert.deepEqual(inWords(1), ['1 image', '1 video', '1 character', '1 minute of recordings', '1 request']);
    assert.deepEqual(inWords(1234.5), [
      '1.234,5 images',
      '1.234,5 videos',
      '1.234,5 characters',
      '1.234,5 minutes of recordings',
      '1.234,5 requests',
    ]);
  });

  it('add up and are taken away again without a rest', () => {
    const parts = Array.from({ length: 30 }, () => ({ ...noAmounts, minutes: 0.1, requests: 1 }));
    const total = sum(...parts);
    assert.deepEqual(total, { ...noAmounts, minutes: 3, requests: 30 });
    assert.deepEqual(
      parts.reduce((left, part) => difference(left, part), total),
      noAmounts,
    );
    assert(fits(total, noAmounts, total));
    assert(!fits(total, { ...noAmounts, requests: 1 }, total));
  });

  it('are read one by one: a number that cannot be counted takes the fallback', () => {
    const fallback = { images: 1, videos: 2, characters: 3, minutes: 4, requests: 5 };
    assert.deepEqual(readAmounts({ images: 0, videos: -1, characters: Number.NaN, minutes: '9' }, fallback), {
      ...fallback,
      images: 0,
    });
  });
});
