import { useLayoutEffect } from 'preact/hooks';

/**
 * Gives the focus to the element that had it last when the person comes back to the page, from a question or from
 * another part of VS Code, because the browser forgets that element. Never takes the focus from elsewhere.
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
    const remember = ({ target }: FocusEvent): void => {
      if (target instanceof HTMLElement) last = isLeft(target) ? undefined : target;
    };
    const focus = (): void => {
      if (!document.hasFocus() || document.activeElement !== document.body) return;
      (last?.isConnected ? last : first())?.focus({ preventScroll: true });
    };
    document.addEventListener('focusin', remember);
    window.addEventListener('focus', focus);
    focus();
    return () => {
      document.removeEventListener('focusin', remember);
      window.removeEventListener('focus', focus);
    };
  }, []);
}
