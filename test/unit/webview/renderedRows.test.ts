import assert from 'node:assert/strict';
import { renderedRows } from '../../../src/webview/feed/layoutFeed.ts';
import { fc } from '../../support/fastCheck.ts';

describe('renderedRows', () => {
  it('returns the visible rows and, after a short scroll, the previously visible ones', () => {
    assert.deepEqual(renderedRows({ from: 0, to: 8 }, { from: 2, to: 6 }, 100, 4), { from: 0, to: 8 });
    assert.deepEqual(renderedRows({ from: 0, to: 8 }, { from: 6, to: 10 }, 100, 4), { from: 2, to: 10 });
    assert.deepEqual(renderedRows({ from: 0, to: 8 }, { from: 50, to: 54 }, 100, 4), { from: 50, to: 54 });
  });

  it('covers the visible rows without exceeding the spare rows', () => {
    fc.assert(
      fc.property(
        fc.nat(50),
        fc.nat(20),
        fc.nat(50),
        fc.nat(8),
        fc.nat(60),
        fc.nat(6),
        (start, drawn, top, height, rows, spare) => {
          const seen = { from: Math.min(top, rows), to: top + height };
          const { from, to } = renderedRows({ from: start, to: start + drawn }, seen, rows, spare);
          assert(from <= seen.from && to >= Math.min(rows, seen.to));
          assert(from >= Math.max(0, seen.from - spare) && to <= Math.min(rows, seen.to + spare));
        },
      ),
    );
  });
});
