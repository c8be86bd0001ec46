import assert from 'node:assert/strict';
import { planParts } from '../../../src/sound/copySound.ts';
import { fc } from '../../support/fastCheck.ts';

describe('planParts', () => {
  const steps = fc.array(fc.record({ bytes: fc.nat(1000), loudness: fc.nat(100) }), { maxLength: 3000 });

  it('keeps every part within partBytes and every step, for any sound', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1000, max: 100_000 }), (all, partBytes) => {
        const bytes = all.map((step) => step.bytes);
        const cuts = planParts({ bytes, loudness: all.map((step) => step.loudness) }, partBytes);
        assert(cuts);
        const bounds = [0, ...cuts, bytes.length];
        for (const [index, end] of bounds.entries()) {
          const start = bounds[index - 1];
          if (start === undefined) continue;
          assert(end > start || bytes.length === 0);
          assert(bytes.slice(start, end).reduce((sum, one) => sum + one, 0) <= partBytes);
        }
      }),
    );
  });

  it('cuts where it is quiet', () => {
    const loudness = Array.from({ length: 1000 }, (_, step) => (step >= 480 && step < 490 ? 1 : 50));
    const [cut, ...others] = planParts({ bytes: Array(1000).fill(10), loudness }, 6000) ?? [];
    assert.deepEqual(others, []);
    assert(cut !== undefined && cut >= 480 && cut < 490, String(cut));
  });

  it('cuts evenly when the loudness is constant', () => {
    const even = Array(1000).fill(10);
    assert.deepEqual(planParts({ bytes: even, loudness: even }, 6000), [500]);
  });

  it('makes no part without sound before a late start or in a gap', () => {
    const gap = Array(1000).fill(0);
    const bytes = [...gap, ...Array(100).fill(10), ...gap, ...Array(100).fill(10)];
    const bounds = [0, ...(planParts({ bytes, loudness: bytes }, 600) ?? []), bytes.length];
    assert(bounds.length > 3);
    for (const [index, end] of bounds.slice(1).entries()) {
      assert(
        bytes.slice(bounds[index], end).some((one) => one > 0),
        `${bounds}`,
      );
    }
  });

  it('makes no cut when the sound fits, and returns undefined when a step is too large', () => {
    assert.deepEqual(planParts({ bytes: [10, 10], loudness: [1, 1] }, 20), []);
    assert.equal(planParts({ bytes: [10, 30], loudness: [1, 1] }, 20), undefined);
  });
});
