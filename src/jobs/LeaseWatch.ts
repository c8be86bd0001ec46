interface Check {
  /** Changes with each heartbeat. */
  readonly stamp: string;
  /** Milliseconds without a change, by this process's clock. */
  readonly quiet: number;
  /** Time of the check. */
  readonly at: number;
}

/**
 * Detects missing heartbeats by this process's own clock: other machines' clocks differ, and after a sleep every heartbeat
 * looks old. A holder is presumed dead when its heartbeat has not changed over several checks.
 */
export class LeaseWatch {
  readonly #silence: number;
  readonly #now: () => number;
  readonly #checks = new Map<string, Check>();

  /** @param silence milliseconds without a heartbeat after which a holder is presumed dead */
  constructor(silence: number, now: () => number = () => performance.now()) {
    this.#silence = silence;
    this.#now = now;
  }

  /** @param stamp text that changes with each heartbeat of the lease in this file */
  isAlive(file: string, stamp: string): boolean {
    const at = this.#now();
    const before = this.#checks.get(file);
    // Limits what the first check after a sleep adds.
    const quiet = before?.stamp === stamp ? before.quiet + Math.min(at - before.at, this.#silence / 2) : 0;
    this.#checks.set(file, { stamp, quiet, at });
    return quiet < this.#silence;
  }
}
