// All rows have the same height, except those of headings, so the position of any of a million results is known without
// looking at each. A card that needs more height takes several rows. Only the visible rows are drawn, and those around
// them while nobody scrolls.

/** A job among the results: cells in the place of its files, or a row of its own. */
export interface Insert {
  /** How many results precede it. */
  readonly position: number;
  /** The number of cells; 0 for rows of its own. */
  readonly cells: number;
  /** How many rows it has to itself; one if absent. */
  readonly rows?: number;
  /** Whether it is the heading of what follows, in a low row of its own. */
  readonly isHeading?: boolean;
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
  readonly runs: readonly Run<I>[];
}

interface Run<I extends Insert> {
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
  /** The rows that are headings, ascending. */
  readonly headings: readonly number[];
}

/** @param results the number of results */
export function layoutFeed<I extends Insert>(results: number, inserts: readonly I[], columns: number): FeedLayout<I> {
  const blocks: Block<I>[] = [];
  const headings: number[] = [];
  let row = 0;
  let runs: Run<I>[] = [];
  let cells = 0;
  let index = 0;
  const end = (rows = Math.ceil(cells / columns)): void => {
    if (cells === 0) return;
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
      if (insert.isHeading) headings.push(row);
      add(1, insert);
      end(insert.rows);
    }
  }
  add(results - index);
  end();
  return { rows: row, columns, blocks, headings };
}

/** Heights of rows in pixels, with the gap below them. */
export interface RowHeights {
  readonly row: number;
  readonly heading: number;
}

/** Returns the distance of a row from the top of the grid, in pixels. */
export function topOf({ headings }: Pick<FeedLayout<Insert>, 'headings'>, row: number, heights: RowHeights): number {
  const above = lowest(headings.length, (index) => (headings[index] ?? row) >= row);
  return (row - above) * heights.row + above * heights.heading;
}

/** Returns the row at a distance from the top of the grid, in pixels. */
export function rowAt(layout: Pick<FeedLayout<Insert>, 'headings' | 'rows'>, y: number, heights: RowHeights): number {
  return Math.max(0, lowest(layout.rows, (row) => topOf(layout, row, heights) > y) - 1);
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

/** Returns the row to draw from so that a card that takes several rows is drawn as a whole. */
export function wholeFrom<I extends Insert>({ blocks, columns }: FeedLayout<I>, row: number): number {
  const block = blocks.find(({ firstRow, rows }) => firstRow <= row && row < firstRow + rows);
  return block && block.rows > Math.ceil(block.cells / columns) ? block.firstRow : row;
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
export interface Rows {
  readonly from: number;
  readonly to: number;
}

/** Returns the visible rows together with the rendered rows near them, unless the two ranges are apart. */
export function renderedRows(rendered: Rows, visible: Rows, rows: number, overscan: number): Rows {
  const last = Math.min(rows, visible.to);
  if (rendered.to < visible.from || rendered.from > visible.to) return { from: visible.from, to: last };
  return {
    from: Math.max(0, Math.min(visible.from, Math.max(rendered.from, visible.from - overscan))),
    to: Math.min(rows, Math.max(last, Math.min(rendered.to, visible.to + overscan))),
  };
}
