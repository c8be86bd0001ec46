/** Work that brings something up to date. Asked for while it runs, it runs once more afterwards. */
export class Refresh {
  /** Resolves when all that was asked for is done; undefined while nothing runs. */
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
      // In the same turn as the last look: what is asked for in between would be missed.
      this.running = undefined;
    }
  }
}
