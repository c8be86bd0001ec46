import { useEffect, useRef, useState } from 'preact/hooks';
import type { Rows } from './drawnRows.ts';
import { drawnRows } from './drawnRows.ts';

/** In milliseconds: between two steps there is time for the person's keys. */
const pause = 30;

/**
 * The rows to draw: at once those that are seen, and bit by bit so many before and after them.
 *
 * @param seen what has to be drawn now
 * @param rows how many there are
 * @param spare how many rows before and after what is seen are drawn as well
 */
export function useDrawnRows(seen: Rows, rows: number, spare: number): Rows {
  const drawn = useRef<Rows>(seen);
  const [, redraw] = useState(0);
  drawn.current = drawnRows(drawn.current, seen, rows, spare);
  const { from, to } = drawn.current;
  const isDone = from <= Math.max(0, seen.from - spare) && to >= Math.min(rows, seen.to + spare);
  useEffect(() => {
    if (isDone) return undefined;
    const timer = setTimeout(() => {
      drawn.current = { from: from - 1, to: to + 1 };
      redraw((count) => count + 1);
    }, pause);
    return () => clearTimeout(timer);
  }, [isDone, from, to]);
  return drawn.current;
}
