import assert from 'node:assert/strict';
import { matchesWords, usageOf, valuesOf } from '../../../src/library/recordFacts.ts';

describe('the values in a record', () => {
  it('are those sent beside the model, the words and the inputs', () => {
    const request = { model: 'm', prompt: 'a fox', n: 3, output_format: 'url' };
    assert.deepEqual(valuesOf('generateImage', request), { values: { n: 3 } });
    const spoken = { model: 'm', input: 'Hello.', voice: 'nova', response_format: 'mp3' };
    assert.deepEqual(valuesOf('speak', spoken), { values: { voice: 'nova', response_format: 'mp3' } });
    assert.deepEqual(valuesOf('transcribe', { model: 'm', file: '/w/a.mp3' }), {});
  });

  it('include further fields of the service, but not their files', () => {
    const further = { values: { size: '1536x1024', mask: 'file:///secret/mask.png' }, files: ['mask'] };
    const request = { model: 'm', prompt: 'a fox', n: 1, output_format: 'url', further };
    assert.deepEqual(valuesOf('generateImage', request), { values: { n: 1, size: '1536x1024' } });
  });
});

describe('usageOf', () => {
  it('reads numbers that the service sends as text', () => {
    const usage = { cost: '0.04', price: '$1.5', tokens: '120', type: 'duration', id: '2f9a', date: '2026-01-02' };
    assert.deepEqual(usageOf({ usage }), { usage: { cost: 0.04, price: 1.5, tokens: 120, type: 'duration' } });
  });
});

describe('matchesWords', () => {
  it('finds all words in the prompt, the path and the model, in any case and order', () => {
    const record = { prompt: 'A red Fox', file: 'media/hero.png', model: 'painter-2' };
    for (const words of ['', ' ', 'fox RED', 'hero painter', 'ox']) assert(matchesWords(words)(record), words);
    assert(!matchesWords('fox owl')(record));
    assert(!matchesWords('undefined')({ model: 'painter-2' }));
  });
});
