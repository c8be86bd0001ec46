import * as vscode from 'vscode';

type Listen = (listener: () => void) => { dispose(): void };

/** Limit for a slow machine, in milliseconds; what is waited for usually happens within a second. */
const limit = 60_000;

/** Resolves when the condition holds; checks now and after every event. */
export function eventually(onChange: Listen, holds: () => boolean | Promise<boolean>): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      clearTimeout(deadline);
      listening.dispose();
      end();
    };
    const deadline = setTimeout(
      () => settle(() => reject(new Error(`The condition did not hold within ${limit} ms.`))),
      limit,
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

/** An event that fires when one of these does. */
export function anyOf(...events: readonly Listen[]): Listen {
  return (listener) => vscode.Disposable.from(...events.map((event) => event(listener)));
}

/** Fires every 100 ms, for conditions that no event reports. */
export function repeatedly(listener: () => void): { dispose(): void } {
  const timer = setInterval(listener, 100);
  return { dispose: () => clearInterval(timer) };
}
