/** Runs work, at most so many pieces at a time; what waits is dropped when its signal aborts. */
export type Queue = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

export function limitConcurrency(most: number): Queue {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (signal, work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const next = waiting.shift();
      // The next one takes over this one's place.
      if (next) next();
      else running--;
    }
  };
}
