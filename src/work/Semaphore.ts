import pLimit from 'p-limit';

/** Limits how many holders work at the same time; the others wait in order. */
export class Semaphore {
  readonly #maxHolders: () => number;
  readonly #queue = pLimit(1);

  /** @param maxHolders read at each acquire and release, since it is a setting; values below 1 count as 1 */
  constructor(maxHolders: () => number) {
    this.#maxHolders = maxHolders;
  }

  /**
   * Waits for a turn. Rejects with the signal's reason when it is aborted before that.
   *
   * @returns a function that releases the semaphore; calling it again does nothing
   */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    this.#readLimit();
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      void this.#queue(async () => {
        // p-limit cannot remove a waiting task, so an aborted one ends as soon as its turn comes.
        if (signal.aborted) return;
        signal.removeEventListener('abort', abort);
        const released = Promise.withResolvers<void>();
        resolve(() => {
          this.#readLimit();
          released.resolve();
        });
        await released.promise;
      });
    });
  }

  #readLimit(): void {
    this.#queue.concurrency = Math.max(1, Math.floor(this.#maxHolders()) || 1);
  }
}
