import type { Dispatcher } from 'undici';
import { Agent } from 'undici';

/**
 * The connections of one client; destroy it when the client is done with.
 *
 * No connection is used twice: one that the service has just closed would leave the outcome of a paid request unknown.
 * The requests still do not say `connection: close`, since a service that refuses an upload early would then close
 * before its answer is read.
 */
export function createDispatcher(): Dispatcher {
  return new Agent({
    connect: { timeout: 20_000 },
    keepAliveTimeout: 1,
    keepAliveMaxTimeout: 1,
    // Taken off what a service offers in `keep-alive: timeout=…`, so nothing is left of it.
    keepAliveTimeoutThreshold: Number.MAX_SAFE_INTEGER,
  });
}
