import { mock } from 'node:test';

export interface StoppedTime extends Disposable {
  /** Lets so many seconds pass at once. */
  pass(seconds: number): void;
}

/** From now on new timers of this process wait for `pass`; sockets and files stay real. */
export function stopTime(): StoppedTime {
  mock.timers.enable({ apis: ['setTimeout'] });
  return {
    pass: (seconds) => mock.timers.tick(seconds * 1000),
    [Symbol.dispose]: () => mock.timers.reset(),
  };
}
