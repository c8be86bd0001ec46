import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** The visible part of a list, in pixels. */
export interface Viewport {
  readonly width: number;
  /** Edges of the visible part, from the top of the list. */
  readonly top: number;
  readonly bottom: number;
}

/**
 * Returns the visible part of a list, updated on scrolling and resizing.
 *
 * @param step granularity of scrolling, in pixels
 */
export function useViewport(
  scroller: RefObject<HTMLElement | null>,
  list: RefObject<HTMLElement | null>,
  step: number,
): Viewport | undefined {
  const [viewport, setViewport] = useState<Viewport>();
  useLayoutEffect(() => {
    const outer = scroller.current;
    const inner = list.current;
    if (!outer || !inner) return undefined;
    const measure = (): void => {
      const { top, height } = outer.getBoundingClientRect();
      const box = inner.getBoundingClientRect();
      const seen = Math.floor((top - box.top) / step) * step;
      setViewport((now) => {
        const next = { width: box.width, top: seen, bottom: seen + Math.ceil(height / step + 1) * step };
        const isSame = now?.width === next.width && now.top === next.top && now.bottom === next.bottom;
        return isSame ? now : next;
      });
    };
    const sizes = new ResizeObserver(measure);
    sizes.observe(outer);
    // A child above the list moves the list when its size changes.
    for (const child of outer.children) sizes.observe(child);
    outer.addEventListener('scroll', measure, { passive: true });
    measure();
    return () => {
      sizes.disconnect();
      outer.removeEventListener('scroll', measure);
    };
  }, [scroller, list, step]);
  return viewport;
}
