/** The kind of request that a fault meets: one of an operation, or the download of a result. */
export type FaultTarget = 'operation' | 'result';

export interface StatusFault {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Text as it is, anything else as JSON; an error body like the sandbox's own if not given. */
  readonly body?: unknown;
  /** Else the next request, whatever it is. */
  readonly target?: FaultTarget | undefined;
}

export interface CutFault {
  /** Of the answer's body, that still go out. */
  readonly bytes: number;
  readonly target?: FaultTarget | undefined;
}

export interface FaultOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly target?: FaultTarget | undefined;
}

/** Switches for tests and demonstrations: they let an honest service fail on demand. */
export class Faults {
  /** Milliseconds that every answer comes later, until it is 0 again. */
  latencyMs = 0;
  readonly #statuses: StatusFault[] = [];
  readonly #cuts: CutFault[] = [];
  readonly #expire: () => Promise<void>;

  constructor(expire: () => Promise<void>) {
    this.#expire = expire;
  }

  /** Answers the next request with this status, without doing anything. Called twice, it meets the next two. */
  nextStatus(status: number, options: FaultOptions = {}): void {
    this.#statuses.push({ status, ...options });
  }

  /** Closes the connection of the next answer after so many bytes of its body; a shorter one comes whole. */
  cutAfter(bytes: number, options: Pick<FaultOptions, 'target'> = {}): void {
    this.#cuts.push({ bytes, ...options });
  }

  /** Lets every result that there is expire. */
  async expireResults(): Promise<void> {
    await this.#expire();
  }

  /** Takes back what is not used up yet. */
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
