/** Lets a number of holders work at a time; the others wait in their order. */
export class Slots {
  readonly #limit: () => number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  /** @param limit read anew each time, since it is a setting */
  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /**
   * Waits for a slot. Rejects with the signal's reason when it is aborted while waiting.
   *
   * @returns what gives the slot back; calling it again does nothing
   */
  async take(signal: AbortSignal): Promise<() => void> {
    await this.#enter(signal);
    let isTaken = true;
    return () => {
      if (isTaken) this.#taken--;
      isTaken = false;
      this.#next();
    };
  }

  #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener('abort', leave);
        this.#taken++;
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(start);
      this.#next();
    });
  }

  #next(): void {
    while (this.#taken < Math.max(1, this.#limit())) {
      const start = this.#waiting.shift();
      if (!start) return;
      start();
    }
  }
}
