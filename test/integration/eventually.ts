import type { Disposable } from 'vscode';

/** Resolves when the condition holds; checks now and after every event. */
export function eventually(
  onChange: (listener: () => void) => Disposable,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      clearTimeout(deadline);
      listening.dispose();
      end();
    };
    const deadline = setTimeout(
      () => settle(() => reject(new Error('The condition did not hold within 15 s.'))),
      15_000,
    );
    const ask = () => {
      Promise.resolve(holds()).then(
        (isTrue) => isTrue && settle(resolve),
        (error) => settle(() => reject(error)),
      );
    };
    const listening = onChange(ask);
    ask();
  });
}
