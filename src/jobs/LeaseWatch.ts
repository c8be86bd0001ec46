interface Sight {
  /** What changes with each heartbeat. */
  readonly stamp: string;
  /** Milliseconds of this process's own time in which it has not changed. */
  readonly quiet: number;
  /** When it was last looked at. */
  readonly at: number;
}

/**
 * Judges by its own clock whether a holder's heart still beats: other machines' clocks differ, and a machine that wakes up
 * finds every heartbeat old. A holder is given up when its heartbeat has not changed over several looks.
 */
export class LeaseWatch {
  readonly #silence: number;
  readonly #now: () => number;
  readonly #sights = new Map<string, Sight>();

  /** @param silence in milliseconds */
  constructor(silence: number, now: () => number = () => performance.now()) {
    this.#silence = silence;
    this.#now = now;
  }

  /** @param stamp what changes with each heartbeat of the lease in this file */
  isAlive(file: string, stamp: string): boolean {
    const at = this.#now();
    const before = this.#sights.get(file);
    // A look after a sleep counts for no more than one look's time.
    const quiet = before?.stamp === stamp ? before.quiet + Math.min(at - before.at, this.#silence / 2) : 0;
    this.#sights.set(file, { stamp, quiet, at });
    return quiet < this.#silence;
  }
}
