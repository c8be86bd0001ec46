// All rows have the same height, so the position of any of a million results is known without looking at each. Only the
// visible rows are drawn, and those around them while nobody scrolls.

/** A job among the results: cells that stand for what it makes, or a row of its own. */
export interface Insert {
  /** How many results come before it. */
  readonly position: number;
  /** How many cells; 0 for a row. */
  readonly cells: number;
}

/** What stands in a cell: a result by its index, or a cell of an insert. */
export type Cell<I extends Insert> =
  | { readonly type: 'result'; readonly index: number }
  | { readonly type: 'insert'; readonly insert: I; readonly cell: number };

/** Cells one after the other, which begin a row of their own. */
interface Block<I extends Insert> {
  readonly firstRow: number;
  readonly cells: number;
  readonly runs: readonly Run<I>[];
}

interface Run<I extends Insert> {
  /** The first of its cells in the block. */
  readonly start: number;
  readonly cells: number;
  readonly insert: I | undefined;
  /** Of results: the first one's index. */
  readonly index: number;
}

/** Where everything stands in a grid of so many columns, without a look at each result. */
export interface FeedLayout<I extends Insert> {
  readonly rows: number;
  readonly columns: number;
  readonly blocks: readonly Block<I>[];
}

/** @param results how many there are */
export function layoutFeed<I extends Insert>(results: number, inserts: readonly I[], columns: number): FeedLayout<I> {
  const blocks: Block<I>[] = [];
  let row = 0;
  let runs: Run<I>[] = [];
  let cells = 0;
  let index = 0;
  const end = (): void => {
    if (cells === 0) return;
    blocks.push({ firstRow: row, cells, runs });
    row += Math.ceil(cells / columns);
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
      add(1, insert);
      end();
    }
  }
  add(results - index);
  end();
  return { rows: row, columns, blocks };
}

/** The cells of some rows, in their order. */
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

/** The row that a result stands in. */
export function rowOf<I extends Insert>({ blocks, columns }: FeedLayout<I>, index: number): number {
  for (const { firstRow, runs } of blocks) {
    const run = runs.find((one) => !one.insert && index >= one.index && index < one.index + one.cells);
    if (run) return firstRow + Math.floor((run.start + index - run.index) / columns);
  }
  return 0;
}
