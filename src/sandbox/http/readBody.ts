import type { IncomingMessage } from 'node:http';
import { SandboxError } from './SandboxError.ts';

/** @throws SandboxError 413 as soon as the body is known to be over `limit` bytes */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  checkLength(request, limit);
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop must not close the connection: the refusal still has to go out.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) throw tooLarge(limit);
  }
  return Buffer.concat(chunks);
}

/** @throws SandboxError 413 when the request says that it is over `limit` bytes */
export function checkLength(request: IncomingMessage, limit: number): void {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
}

export function tooLarge(limit: number): SandboxError {
  return new SandboxError(413, `The body is larger than the sandbox takes: ${limit} bytes.`, {
    code: 'request_too_large',
  });
}
