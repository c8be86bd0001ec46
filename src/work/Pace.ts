import type { OtherRequests } from '../service/send.ts';
import { Semaphore } from './Semaphore.ts';

/**
 * Decides how many requests are out at a time. When the service says that it is busy, no others begin until those that it
 * has refused are answered, one by one. Each answer then allows one more.
 */
export class Pace {
  readonly #most: () => number;
  readonly #turns: Semaphore;
  readonly #again = new Semaphore(() => 1);
  #allowed = Number.POSITIVE_INFINITY;
  /** Requests that are out, or will be without waiting for others. */
  #out = 0;
  /** Requests that were refused, and are not answered yet. */
  #refused = 0;

  /** @param most how many requests may be out; it is a setting, and read each time */
  constructor(most: () => number) {
    this.#most = most;
    this.#turns = new Semaphore(() => Math.min(most(), this.#allowed));
  }

  /** Waits for the turn of a job, as {@link Semaphore.acquire}. */
  acquire(signal: AbortSignal): Promise<() => void> {
    return this.#turns.acquire(signal);
  }

  /** Sends the request of a job that has its turn. */
  async ask<T>(signal: AbortSignal, send: (others: OtherRequests) => Promise<T>): Promise<T> {
    let release: (() => void) | undefined;
    let isRefused = false;
    const others: OtherRequests = {
      noteBusy: () => {
        if (!isRefused) this.#refused++;
        isRefused = true;
        this.#allowed = 1;
        return this.#out > 1;
      },
      waitForTurn: async () => {
        if (release) return;
        this.#out--;
        release = await this.#again.acquire(signal).finally(() => this.#out++);
      },
    };
    this.#out++;
    try {
      const answer = await send(others);
      if (this.#refused === (isRefused ? 1 : 0)) this.#allowed = Math.min(this.#most(), this.#allowed + 1);
      return answer;
    } finally {
      this.#out--;
      if (isRefused) this.#refused--;
      release?.();
    }
  }
}
