import { mock } from 'node:test';

export interface StoppedTime extends Disposable {
  /** Advances the time by this many seconds at once. */
  pass(seconds: number): void;
  /** Advances the time by this many seconds in each turn of the event loop until the work ends. @returns its result */
  passUntil<T>(work: Promise<T>, seconds: number): Promise<T>;
}

/** Makes new timers of this process wait for `pass`; sockets and files stay real. */
export function stopTime(apis: readonly ('setTimeout' | 'setInterval')[] = ['setTimeout']): StoppedTime {
  mock.timers.enable({ apis: [...apis] });
  return {
    pass: (seconds) => mock.timers.tick(seconds * 1000),
    passUntil: async (work, seconds) => {
      let isOver = false;
      const ended = work.finally(() => {
        isOver = true;
      });
      // The caller gets a rejection from the last line.
      ended.catch(() => undefined);
      while (!isOver) {
        mock.timers.tick(seconds * 1000);
        await new Promise(setImmediate);
      }
      return ended;
    },
    [Symbol.dispose]: () => mock.timers.reset(),
  };
}
