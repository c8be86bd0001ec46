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
