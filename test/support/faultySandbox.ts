import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Exchange } from '../../src/sandbox/Exchange.ts';
import { SandboxError, sendJson } from '../../src/sandbox/Exchange.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/startSandbox.ts';
import { startSandbox } from '../../src/sandbox/startSandbox.ts';

export interface FaultySandbox extends Sandbox {
  readonly faults: Faults;
}

/** Starts a sandbox that fails on demand. */
export async function startFaultySandbox(options: SandboxOptions = {}): Promise<FaultySandbox> {
  const faults = new Faults();
  const sandbox = await startSandbox({ ...options, intercept: (exchange) => applyFaults(exchange, faults) });
  return { ...sandbox, faults };
}

/** The kind of request that a fault applies to: an operation or the download of a result. */
type FaultTarget = 'operation' | 'result';

interface StatusFault {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent as it is, anything else as JSON; an error body like the sandbox's own if not given. */
  readonly body?: unknown;
  /** Any request if not given. */
  readonly target?: FaultTarget;
}

interface CutFault {
  /** Number of bytes of the response body that are still sent. */
  readonly bytes: number;
  readonly target?: FaultTarget;
}

interface FaultOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly target?: FaultTarget;
}

/** Makes a sandbox fail on demand. */
class Faults {
  /** Delay of every response, in milliseconds. */
  latencyMs = 0;
  #held: Promise<void> | undefined;
  readonly #statuses: StatusFault[] = [];
  readonly #cuts: CutFault[] = [];

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

function take<T extends { readonly target?: FaultTarget }>(faults: T[], target: FaultTarget): T | undefined {
  const index = faults.findIndex((fault) => (fault.target ?? target) === target);
  return index === -1 ? undefined : faults.splice(index, 1)[0];
}

/** Applies the pending faults to a request. @returns whether a fault answered it */
async function applyFaults({ request, response, signal }: Exchange, faults: Faults): Promise<boolean> {
  const target = request.url?.startsWith('/results/') ? 'result' : 'operation';
  const fault = faults.takeStatus(target);
  const cut = faults.takeCut(target);
  if (faults.held) {
    await Promise.race([faults.held, once(signal, 'abort')]);
    signal.throwIfAborted();
  }
  if (faults.latencyMs > 0) await setTimeout(faults.latencyMs, undefined, { signal });
  if (cut) cutResponse(response, cut.bytes);
  if (!fault) return false;
  const {
    status,
    headers,
    body = new SandboxError(status, 'This fault was requested.', { code: 'fault' }).body,
  } = fault;
  if (typeof body === 'string') response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);
  else sendJson(response, status, body, headers);
  return true;
}

/** Sends at most `bytes` bytes of a response's body, then closes the connection. */
function cutResponse(response: ServerResponse, bytes: number): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  let left = bytes;
  /** Counts a chunk. @returns whether the limit was reached and the connection closed */
  const cut = (chunk: unknown): boolean => {
    const body = typeof chunk === 'string' ? Buffer.from(chunk) : chunk instanceof Uint8Array ? chunk : undefined;
    if (!body) return false;
    if (body.length <= left) {
      left -= body.length;
      return false;
    }
    if (left > 0) write(body.subarray(0, left));
    else response.flushHeaders();
    left = 0;
    response.socket?.destroySoon();
    return true;
  };
  response.write = (chunk: unknown, ...rest: readonly unknown[]): boolean => {
    if (cut(chunk)) return false;
    return Reflect.apply(write, response, [chunk, ...rest]);
  };
  response.end = (chunk?: unknown, ...rest: readonly unknown[]): ServerResponse => {
    if (cut(chunk)) return response;
    return Reflect.apply(end, response, [chunk, ...rest]);
  };
}
