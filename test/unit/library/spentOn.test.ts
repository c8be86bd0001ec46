import assert from 'node:assert/strict';
import type { LibraryRecord } from '../../../src/library/LibraryRecord.ts';
import { spentOn } from '../../../src/library/spentOn.ts';
import { readPrices } from '../../../src/operations/prices.ts';

const day = new Date(2026, 10, 24, 15);
const prices = readPrices({
  currency: '$',
  models: { painter: { image: 0.5 }, reader: { character: 0.01 }, clip: { second: 1 }, writer: { minute: 2 } },
});

function picture(jobId: string, more: Partial<LibraryRecord> = {}): LibraryRecord {
  const createdAt = new Date(2026, 10, 24, 9).toISOString();
  const file = `${jobId}-${more.prompt ?? ''}.png`;
  return {
    kind: 'images',
    operation: 'generateImage',
    model: 'painter',
    createdAt,
    jobId,
    file,
    values: { n: 1 },
    ...more,
  };
}

function spent(...records: readonly LibraryRecord[]) {
  assert(prices);
  return spentOn(day, records, prices);
}

describe('spentOn', () => {
  it('counts each picture of the day once', () => {
    const others = [
      picture('yesterday', { createdAt: new Date(2026, 10, 23, 23, 59).toISOString() }),
      picture('tomorrow', { createdAt: new Date(2026, 10, 25).toISOString() }),
    ];
    const own = [picture('a', { prompt: '1' }), picture('a', { prompt: '2' }), picture('b')];
    assert.deepEqual(spent(...own, ...others), { amount: 1.5, isAll: true });
    assert.deepEqual(spent(), { amount: 0, isAll: true });
  });

  it('counts nothing of the sandbox, of local steps and of videos that were added by their id', () => {
    const inputs = [{ field: 'image_urls', file: 'a.png' }];
    const free = [
      picture('a', { sandbox: true }),
      picture('b', { madeFrom: { file: 'a.png', sha256: '0' } }),
      picture('c', { file: undefined, videoId: 'v' }),
      picture('d', { operation: 'editImage', inputs, values: undefined }),
    ];
    assert.deepEqual(spent(...free), { amount: 0, isAll: true });
    assert.deepEqual(spent(picture('e', { operation: 'editImage', inputs })), { amount: 0.5, isAll: true });
  });

  it('counts characters, seconds and minutes as far as the record holds them, and says where it does not', () => {
    const speech = { kind: 'speech', operation: 'speak', model: 'reader', prompt: 'Ten words.', values: {} } as const;
    const video = { kind: 'videos', operation: 'generateVideo', model: 'clip' } as const;
    const transcript = { kind: 'transcripts', operation: 'transcribe', model: 'writer' } as const;
    assert.deepEqual(spent(picture('a', speech)), { amount: 0.1, isAll: true });
    assert.deepEqual(spent(picture('a', { ...video, values: { seconds: '4' } })), { amount: 4, isAll: true });
    assert.deepEqual(spent(picture('a', { ...transcript, usage: { seconds: 90 } })), { amount: 3, isAll: true });
    assert.deepEqual(spent(picture('a', video), picture('b', transcript), picture('c')), { amount: 0.5, isAll: false });
    assert.deepEqual(spent(picture('a', { model: 'other' })), { amount: 0, isAll: false });
  });
});
