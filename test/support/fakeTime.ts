import { mock } from 'node:test';

export interface StoppedTime extends Disposable {
  /** Lets so many seconds pass at once. */
  pass(seconds: number): void;
  /** Lets so many seconds pass in every turn of the event loop until the work has ended. @returns its result */
  passUntil<T>(work: Promise<T>, seconds: number): Promise<T>;
}

/** From now on new timers of this process wait for `pass`; sockets and files stay real. */
export function stopTime(): StoppedTime {
  mock.timers.enable({ apis: ['setTimeout'] });
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
