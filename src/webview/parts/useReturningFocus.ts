import { useLayoutEffect } from 'preact/hooks';

/**
 * Gives the focus to the element that had it last when the person comes back to the page, from a question or from
 * another part of VS Code, because the browser forgets that element. When the element is removed, a tile of its list gets
 * the focus. Never takes the focus from elsewhere.
 *
 * @param first returns the element that gets the focus if none had it, or if it is gone
 * @param isLeft whether an element shall not get it back
 */
export function useReturningFocus(
  first: () => HTMLElement | null | undefined,
  isLeft: (element: HTMLElement) => boolean = () => false,
): void {
  // Before the first frame: VS Code shows the page, and passes on the focus, as soon as it is loaded.
  useLayoutEffect(() => {
    let last: HTMLElement | undefined;
    let list: HTMLElement | null = null;
    const remember = ({ target }: FocusEvent): void => {
      if (!(target instanceof HTMLElement)) return;
      last = target;
      list = target.closest<HTMLElement>('.feed');
    };
    const focus = (): void => {
      if (!document.hasFocus() || document.activeElement !== document.body) return;
      const kept = last?.isConnected && !isLeft(last) ? last : list?.querySelector<HTMLElement>(tabStop);
      (kept ?? first())?.focus({ preventScroll: true });
    };
    // An action may remove the focused element, and scrolling may remove its tile.
    const removals = new MutationObserver(() => last && !last.isConnected && focus());
    removals.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', remember);
    window.addEventListener('focus', focus);
    focus();
    return () => {
      removals.disconnect();
      document.removeEventListener('focusin', remember);
      window.removeEventListener('focus', focus);
    };
  }, []);
}

/** The tile that the Tab key comes to, or the video that plays in its place. */
export const tabStop = '.surface[tabindex="0"], .media > video[controls]';
