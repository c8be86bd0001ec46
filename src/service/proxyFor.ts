import { isIPv6 } from 'node:net';
import { isLoopback } from './isLoopback.ts';
import type { NetworkSettings } from './NetworkSettings.ts';

/** The address of the proxy on the way to a URL; undefined when it is reached directly. This machine always is. */
export function proxyFor(url: URL, { proxy, noProxy = [] }: NetworkSettings): string | undefined {
  if (!proxy || isLoopback(url.hostname)) return undefined;
  return noProxy.some((entry) => covers(entry.trim().toLowerCase(), url)) ? undefined : proxy;
}

/** As in VS Code: a name stands for all names below it, with or without a dot before it. */
function covers(entry: string, url: URL): boolean {
  const [, name = '', port] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(isIPv6(entry) ? `[${entry}]` : entry) ?? [];
  if (name === '*') return true;
  if (name === '' || (port !== undefined && Number(port) !== portOf(url))) return false;
  return `.${url.hostname}`.endsWith(`.${name}`);
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}
