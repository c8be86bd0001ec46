/** Runs work that brings something up to date, one run at a time. A request during a run causes one more run. */
export class Refresh {
  /** Resolves when all requested runs are done; undefined while nothing runs. */
  running: Promise<void> | undefined;
  readonly #work: () => Promise<void>;
  #isAsked = false;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  ask(): Promise<void> {
    this.#isAsked = true;
    this.running ??= this.#run();
    return this.running;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isAsked) {
        this.#isAsked = false;
        await this.#work();
      }
    } finally {
      // No await since the loop's last check, so a request cannot be missed in between.
      this.running = undefined;
    }
  }
}
