/** Rows of a list, the last one excluded. */
export interface Rows {
  readonly from: number;
  readonly to: number;
}

/** What stays drawn of what was: all that is near to what is seen, if they meet. */
export function drawnRows(drawn: Rows, seen: Rows, rows: number, spare: number): Rows {
  const last = Math.min(rows, seen.to);
  if (drawn.to < seen.from || drawn.from > seen.to) return { from: seen.from, to: last };
  return {
    from: Math.max(0, Math.min(seen.from, Math.max(drawn.from, seen.from - spare))),
    to: Math.min(rows, Math.max(last, Math.min(drawn.to, seen.to + spare))),
  };
}
