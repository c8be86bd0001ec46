import type { ServerResponse } from 'node:http';

/** Lets only so many bytes of a response's body out, then closes the connection. */
export function cutResponse(response: ServerResponse, bytes: number): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  let left = bytes;
  /** @returns whether the connection is closed now */
  const pass = (chunk: unknown): boolean => {
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
    if (pass(chunk)) return false;
    return Reflect.apply(write, response, [chunk, ...rest]);
  };
  response.end = (chunk?: unknown, ...rest: readonly unknown[]): ServerResponse => {
    if (pass(chunk)) return response;
    return Reflect.apply(end, response, [chunk, ...rest]);
  };
}
