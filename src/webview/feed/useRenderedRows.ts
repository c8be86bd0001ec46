import { useEffect, useRef, useState } from 'preact/hooks';
import type { Rows } from './renderedRows.ts';
import { renderedRows } from './renderedRows.ts';

/** The pause between two extra rows, in milliseconds; it leaves the main thread free for input. */
const pause = 30;

/**
 * Returns the rows to render: the visible ones at once, then row by row those above and below them.
 *
 * @param visible the rows on screen
 * @param rows the number of rows in the list
 * @param overscan how many rows to render above and below the visible ones
 */
export function useRenderedRows(visible: Rows, rows: number, overscan: number): Rows {
  const rendered = useRef<Rows>(visible);
  const [, redraw] = useState(0);
  rendered.current = renderedRows(rendered.current, visible, rows, overscan);
  const { from, to } = rendered.current;
  const isDone = from <= Math.max(0, visible.from - overscan) && to >= Math.min(rows, visible.to + overscan);
  useEffect(() => {
    if (isDone) return undefined;
    const timer = setTimeout(() => {
      rendered.current = { from: from - 1, to: to + 1 };
      redraw((count) => count + 1);
    }, pause);
    return () => clearTimeout(timer);
  }, [isDone, from, to]);
  return rendered.current;
}
