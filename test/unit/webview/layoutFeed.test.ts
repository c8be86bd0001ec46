import assert from 'node:assert/strict';
import {
  type Cell,
  cellsIn,
  type Insert,
  layoutFeed,
  rowAt,
  rowOf,
  topOf,
} from '../../../src/webview/feed/layoutFeed.ts';
import { fc } from '../../support/fastCheck.ts';

const all = (results: number, inserts: readonly Insert[], columns: number) => {
  const layout = layoutFeed(results, inserts, columns);
  return Array.from({ length: layout.rows }, (_, row) =>
    cellsIn(layout, row, row + 1).map((cell) =>
      cell.type === 'result' ? `${cell.index}` : cell.insert.cells === 0 ? 'failure' : `job ${cell.cell}`,
    ),
  );
};

const isAt = (cell: Cell<Insert>, index: number) => cell.type === 'result' && cell.index === index;

describe('layoutFeed', () => {
  it('places a job where its results will be, so that nothing moves when it is done', () => {
    const running = all(3, [{ position: 0, cells: 2 }], 2);
    assert.deepEqual(running, [['job 0', 'job 1'], ['0', '1'], ['2']]);
    assert.deepEqual(all(5, [], 2), [['0', '1'], ['2', '3'], ['4']]);
  });

  it('places saved results before the pending ones of their job', () => {
    assert.deepEqual(all(2, [{ position: 1, cells: 2 }], 2), [
      ['0', 'job 0'],
      ['job 1', '1'],
    ]);
  });

  it('gives a failure its own row in its place', () => {
    assert.deepEqual(all(4, [{ position: 1, cells: 0 }], 2), [['0'], ['failure'], ['1', '2'], ['3']]);
    assert.deepEqual(all(0, [{ position: 9, cells: 0 }], 3), [['failure']]);
  });

  it('gives a failure or heading a row of its own height', () => {
    const inserts = [
      { position: 0, cells: 0, height: 30 },
      { position: 3, cells: 0, height: 250 },
      { position: 3, cells: 0 },
    ];
    const layout = layoutFeed(5, inserts, 2);
    const rows = Array.from({ length: layout.rows }, (_, row) =>
      cellsIn(layout, row, row + 1).map((cell) => (cell.type === 'result' ? cell.index : 'own')),
    );
    assert.deepEqual(rows, [['own'], [0, 1], [2], ['own'], ['own'], [3, 4]]);
    const tops = [0, 30, 130, 230, 480, 580];
    assert.deepEqual(
      tops.map((_, row) => topOf(layout, row, 100)),
      tops,
    );
    assert.equal(topOf(layout, 6, 100), 680);
    for (const [row, top] of tops.entries()) {
      assert.equal(rowAt(layout, top, 100), row);
      assert.equal(rowAt(layout, top + 29, 100), row);
    }
    assert.equal(rowAt(layout, 999, 100), 5);
    assert.equal(rowAt(layout, -9, 100), 0);
    assert.equal(rowAt(layoutFeed(0, [], 2), 50, 100), 0);
  });

  it('lays out each result once in order, whatever the inserts', () => {
    const insert = fc.record({ position: fc.nat(30), cells: fc.nat(5) });
    fc.assert(
      fc.property(
        fc.nat(40),
        fc.array(insert, { maxLength: 6 }),
        fc.integer({ min: 1, max: 6 }),
        (results, inserts, columns) => {
          const layout = layoutFeed(results, inserts, columns);
          const rows = Array.from({ length: layout.rows }, (_, row) => cellsIn(layout, row, row + 1));
          const indexes = rows.flat().flatMap((cell) => (cell.type === 'result' ? [cell.index] : []));
          assert.deepEqual(indexes, [...Array(results).keys()]);
          assert(rows.every(({ length }) => length > 0 && length <= columns));
          assert.deepEqual(cellsIn(layout, 0, layout.rows), rows.flat());
          const rowOfEach = indexes.map((index) => rows.findIndex((row) => row.some((cell) => isAt(cell, index))));
          assert.deepEqual(
            indexes.map((index) => rowOf(layout, index)),
            rowOfEach,
          );
        },
      ),
    );
  });

  it('lays out a million results without visiting each', () => {
    const layout = layoutFeed(1_000_000, [{ position: 500_000, cells: 0 }], 4);
    assert.equal(layout.rows, 250_001);
    assert.deepEqual(cellsIn(layout, 249_999, 250_000).at(-1), { type: 'result', index: 999_995 });
  });
});
