import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SandboxError } from './SandboxError.ts';

/**
 * Refuses what no honest client on this machine sends: another Host means a name that was pointed at 127.0.0.1, an
 * Origin or another site means a web page.
 *
 * @returns the origin that the client used
 */
export function checkCaller(request: IncomingMessage): string {
  const { host, origin, 'sec-fetch-site': site } = request.headers;
  const port = request.socket.localPort;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) {
    throw new SandboxError(403, `The sandbox answers to 127.0.0.1:${port} only.`, { code: 'wrong_host' });
  }
  if (origin !== undefined || site === 'cross-site' || site === 'same-site') {
    throw new SandboxError(403, 'The sandbox does not answer web pages.', { code: 'wrong_origin' });
  }
  return `http://${host}`;
}

/** @throws SandboxError 401 unless Authorization is the raw key */
export function checkKey(request: IncomingMessage, key: string): void {
  const given = request.headers.authorization;
  if (given !== undefined && timingSafeEqual(digest(given), digest(key))) return;
  throw new SandboxError(
    401,
    given === undefined
      ? 'The key is missing: send it in the header Authorization.'
      : 'The key is wrong: Authorization must be the key itself, without a word before it.',
    { code: 'invalid_api_key' },
  );
}

/** Equal lengths, as timingSafeEqual wants them. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
