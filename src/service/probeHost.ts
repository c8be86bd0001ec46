import type { Dispatcher } from 'undici';
import { request as httpRequest } from 'undici';
import { drop } from './arrival.ts';
import { withoutCost } from './withoutCost.ts';

/**
 * Checks whether a host answers at all. Sends no key, and nothing is billed.
 *
 * @returns the HTTP status of the answer, whatever it is
 * @throws MediaError `network`, `tls`, `proxy`, `timeout` or `cancelled`
 */
export function probeHost(url: URL, dispatcher: Dispatcher, signal?: AbortSignal): Promise<number> {
  return withoutCost(url, signal, async (deadline) => {
    const response = await httpRequest(url, { headers: { accept: '*/*' }, dispatcher, signal: deadline });
    drop(response);
    return response.statusCode;
  });
}
