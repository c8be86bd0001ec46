import { MediaError } from '../operations/MediaError.ts';

/** Longer timers overflow and fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/** Timeout for the phases of an exchange. */
export class TimeLimit implements Disposable {
  /** Aborts when the caller cancels or a phase times out. */
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
   * Starts a phase and ends the one before.
   *
   * @param sentence message of the timeout error
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

  /** Pauses the timeout until the next phase starts. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  get isCancelled(): boolean {
    return this.#caller?.aborted === true;
  }

  /** Set when a phase timed out. */
  get error(): MediaError | undefined {
    return this.#error;
  }

  [Symbol.dispose](): void {
    this.stop();
  }
}

/**
 * Resolves like a request, but rejects as soon as the signal aborts: undici checks the signal only once it is connected.
 */
export function untilAborted<T>(signal: AbortSignal, request: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  return Promise.race([request, promise]).finally(() => signal.removeEventListener('abort', abort));
}
