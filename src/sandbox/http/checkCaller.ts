import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SandboxError } from './SandboxError.ts';

/**
 * Rejects what no honest local client sends. Another Host means DNS rebinding; an Origin or another site means a web
 * page.
 *
 * @returns the origin that the client used
 * @throws SandboxError 403
 */
export function checkCaller(request: IncomingMessage): string {
  const { host, origin, 'sec-fetch-site': site } = request.headers;
  const port = request.socket.localPort;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) {
    throw new SandboxError(403, `The sandbox answers requests to 127.0.0.1:${port} only.`, { code: 'wrong_host' });
  }
  if (origin !== undefined || site === 'cross-site' || site === 'same-site') {
    throw new SandboxError(403, 'The sandbox does not answer requests from web pages.', { code: 'wrong_origin' });
  }
  return `http://${host}`;
}

/** @throws SandboxError 401 unless the Authorization header is the key itself */
export function checkKey(request: IncomingMessage, key: string): void {
  const given = request.headers.authorization;
  if (given !== undefined && timingSafeEqual(digest(given), digest(key))) return;
  throw new SandboxError(
    401,
    given === undefined
      ? 'The API key is missing. Send it in the Authorization header.'
      : 'The API key is wrong. The Authorization header must be the key itself, without a scheme such as Bearer.',
    { code: 'invalid_api_key' },
  );
}

/** Returns a hash, because timingSafeEqual needs equal lengths. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
