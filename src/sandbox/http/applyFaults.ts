import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Faults, FaultTarget } from '../Faults.ts';
import type { Exchange } from '../SandboxContext.ts';
import { SandboxError } from './SandboxError.ts';
import { sendJson } from './sendJson.ts';

/** Applies the pending faults to a request. @returns whether a fault answered it */
export async function applyFaults(
  { response, signal }: Exchange,
  faults: Faults,
  target: FaultTarget,
): Promise<boolean> {
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
