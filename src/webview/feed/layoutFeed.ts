// All rows of results have the same height, so the position of any of a million results is known without looking at each.
// Only the visible rows are drawn, and those around them while nobody scrolls.

/** A job among the results: cells in the place of its files, or a row of its own. */
export interface Insert {
  /** How many results precede it. */
  readonly position: number;
  /** The number of cells; 0 for a row of its own. */
  readonly cells: number;
  /** Of its own row, with the gap below it, in pixels; undefined if it is that of the others. */
  readonly height?: number;
}

/** The content of a grid cell: a result, by its index, or a cell of an insert. */
export type Cell<I extends Insert> =
  | { readonly type: 'result'; readonly index: number }
  | { readonly type: 'insert'; readonly insert: I; readonly cell: number };

/** Consecutive cells that start in a new row. */
interface Block<I extends Insert> {
  readonly firstRow: number;
  readonly rows: number;
  readonly cells: number;
  readonly runs: readonly CellRun<I>[];
}

interface CellRun<I extends Insert> {
  /** Index of its first cell in the block. */
  readonly start: number;
  readonly cells: number;
  readonly insert: I | undefined;
  /** Index of its first result, if it is a run of results. */
  readonly index: number;
}

/** The layout of a grid as runs of cells, so that its size does not grow with the number of results. */
export interface FeedLayout<I extends Insert> {
  readonly rows: number;
  readonly columns: number;
  readonly blocks: readonly Block<I>[];
  /** The rows with heights of their own, ascending. */
  readonly ownRows: readonly OwnRow[];
}

/** A row with a height of its own. Heights are in pixels, with the gap below the row. */
interface OwnRow {
  readonly row: number;
  readonly height: number;
  /** Heights of this and all such rows above it. */
  readonly sum: number;
}

/** @param results the number of results */
export function layoutFeed<I extends Insert>(results: number, inserts: readonly I[], columns: number): FeedLayout<I> {
  const blocks: Block<I>[] = [];
  const ownRows: OwnRow[] = [];
  let row = 0;
  let runs: CellRun<I>[] = [];
  let cells = 0;
  let index = 0;
  const end = (): void => {
    if (cells === 0) return;
    const rows = Math.ceil(cells / columns);
    blocks.push({ firstRow: row, rows, cells, runs });
    row += rows;
    runs = [];
    cells = 0;
  };
  const add = (count: number, insert?: I): void => {
    if (count === 0) return;
    runs.push({ start: cells, cells: count, insert, index });
    cells += count;
    if (!insert) index += count;
  };
  for (const insert of inserts.toSorted((a, b) => a.position - b.position)) {
    add(Math.max(0, Math.min(insert.position, results) - index));
    if (insert.cells > 0) add(insert.cells, insert);
    else {
      end();
      const { height } = insert;
      if (height !== undefined) ownRows.push({ row, height, sum: height + (ownRows.at(-1)?.sum ?? 0) });
      add(1, insert);
      end();
    }
  }
  add(results - index);
  end();
  return { rows: row, columns, blocks, ownRows };
}

/**
 * Returns the distance of a row from the top of the grid, in pixels.
 *
 * @param height of the other rows, with the gap below them, in pixels
 */
export function topOf({ ownRows }: Pick<FeedLayout<Insert>, 'ownRows'>, row: number, height: number): number {
  const above = lowest(ownRows.length, (index) => (ownRows[index]?.row ?? row) >= row);
  return (row - above) * height + (ownRows[above - 1]?.sum ?? 0);
}

/** Returns the row at a distance from the top of the grid, in pixels. */
export function rowAt(layout: Pick<FeedLayout<Insert>, 'ownRows' | 'rows'>, y: number, height: number): number {
  return Math.max(0, lowest(layout.rows, (row) => topOf(layout, row, height) > y) - 1);
}

/** Returns the row of a result. */
export function rowOf({ blocks, columns }: FeedLayout<Insert>, index: number): number {
  for (const { firstRow, runs } of blocks) {
    const run = runs.find((one) => !one.insert && one.index <= index && index < one.index + one.cells);
    if (run) return firstRow + Math.floor((run.start + index - run.index) / columns);
  }
  return 0;
}

/** Returns the lowest number below `end` for which a condition holds, as it does for all higher ones; else `end`. */
function lowest(end: number, holds: (index: number) => boolean): number {
  let [from, to] = [0, end];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Returns the cells of a range of rows, in order; `toRow` is exclusive. */
export function cellsIn<I extends Insert>(
  { blocks, columns }: FeedLayout<I>,
  fromRow: number,
  toRow: number,
): readonly Cell<I>[] {
  return blocks.flatMap(({ firstRow, cells, runs }) => {
    const from = Math.max(0, (fromRow - firstRow) * columns);
    const to = Math.min(cells, (toRow - firstRow) * columns);
    return runs.flatMap((run) => {
      const [first, last] = [Math.max(from, run.start), Math.min(to, run.start + run.cells)];
      return Array.from({ length: Math.max(0, last - first) }, (_, offset): Cell<I> => {
        const cell = first + offset - run.start;
        return run.insert ? { type: 'insert', insert: run.insert, cell } : { type: 'result', index: run.index + cell };
      });
    });
  });
}

/** A range of rows; `to` is exclusive. */
export interface FeedRows {
  readonly from: number;
  readonly to: number;
}

/** Returns the visible rows together with the rendered rows near them, unless the two ranges are apart. */
export function renderedRows(rendered: FeedRows, visible: FeedRows, rows: number, overscan: number): FeedRows {
  const last = Math.min(rows, visible.to);
  if (rendered.to < visible.from || rendered.from > visible.to) return { from: visible.from, to: last };
  return {
    from: Math.max(0, Math.min(visible.from, Math.max(rendered.from, visible.from - overscan))),
    to: Math.min(rows, Math.max(last, Math.min(rendered.to, visible.to + overscan))),
  };
}
