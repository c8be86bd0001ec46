import { MediaError } from '../operations/MediaError.ts';

/** A longer timer would overflow and end at once. */
const maxTimerMs = 2 ** 31 - 1;

/** The time that each phase of an exchange may take. */
export class TimeLimit implements Disposable {
  /** Aborts when the caller cancels or a phase takes too long. */
  readonly signal: AbortSignal;
  readonly #caller: AbortSignal | undefined;
  readonly #over = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #error: MediaError | undefined;

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    this.signal = caller ? AbortSignal.any([caller, this.#over.signal]) : this.#over.signal;
  }

  /**
   * Begins a phase; the limit of the one before no longer counts.
   *
   * @param sentence what is said when it takes longer
   */
  start(seconds: number, sentence: string): void {
    this.stop();
    this.#timer = setTimeout(
      () => {
        this.#error = new MediaError('timeout', sentence, { mayBeBilled: true });
        this.#over.abort(this.#error);
      },
      Math.min(seconds * 1000, maxTimerMs),
    );
  }

  /** From now on, until the next phase begins, time does not count. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  get isCancelled(): boolean {
    return this.#caller?.aborted === true;
  }

  /** Set when a phase took too long. */
  get error(): MediaError | undefined {
    return this.#error;
  }

  [Symbol.dispose](): void {
    this.stop();
  }
}
