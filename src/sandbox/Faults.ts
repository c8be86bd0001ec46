/** The kind of request that a fault applies to: an operation or the download of a result. */
export type FaultTarget = 'operation' | 'result';

export interface StatusFault {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Text is sent as it is, anything else as JSON; an error body like the sandbox's own if not given. */
  readonly body?: unknown;
  /** Any request if not given. */
  readonly target?: FaultTarget | undefined;
}

export interface CutFault {
  /** Number of bytes of the response body that are still sent. */
  readonly bytes: number;
  readonly target?: FaultTarget | undefined;
}

export interface FaultOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly target?: FaultTarget | undefined;
}

/** Lets tests and demonstrations make the sandbox fail on demand. */
export class Faults {
  /** Delay of every response, in milliseconds. */
  latencyMs = 0;
  #held: Promise<void> | undefined;
  readonly #statuses: StatusFault[] = [];
  readonly #cuts: CutFault[] = [];
  readonly #expire: () => Promise<void>;

  constructor(expire: () => Promise<void>) {
    this.#expire = expire;
  }

  /** Holds every response until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return () => {
      this.#held = undefined;
      resolve();
    };
  }

  /** The end of a {@link hold}; undefined when responses are not held. */
  get held(): Promise<void> | undefined {
    return this.#held;
  }

  /** Answers the next request with this status and does nothing else. Each call applies to one more request. */
  nextStatus(status: number, options: FaultOptions = {}): void {
    this.#statuses.push({ status, ...options });
  }

  /** Closes the connection of the next response after `bytes` bytes of its body. A shorter body is sent whole. */
  cutAfter(bytes: number, options: Pick<FaultOptions, 'target'> = {}): void {
    this.#cuts.push({ bytes, ...options });
  }

  /** Expires all current results. */
  async expireResults(): Promise<void> {
    await this.#expire();
  }

  /** Removes all pending faults. */
  clear(): void {
    this.latencyMs = 0;
    this.#statuses.length = 0;
    this.#cuts.length = 0;
  }

  takeStatus(target: FaultTarget): StatusFault | undefined {
    return take(this.#statuses, target);
  }

  takeCut(target: FaultTarget): CutFault | undefined {
    return take(this.#cuts, target);
  }
}

function take<T extends { readonly target?: FaultTarget | undefined }>(
  faults: T[],
  target: FaultTarget,
): T | undefined {
  const index = faults.findIndex((fault) => (fault.target ?? target) === target);
  return index === -1 ? undefined : faults.splice(index, 1)[0];
}
