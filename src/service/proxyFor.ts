import { isIPv6 } from 'node:net';
import { isLoopback } from './ServiceConfiguration.ts';

/** How to reach the network, from the editor's settings and the environment variables. */
export interface NetworkSettings {
  /** Proxy address as entered. */
  readonly proxy?: string | undefined;
  /** Hosts that bypass the proxy: `example.com` including subdomains, `example.com:8443`, or `*`. */
  readonly noProxy?: readonly string[] | undefined;
  /** The whole `Proxy-Authorization` header; defaults to the user and password in the proxy address. */
  readonly proxyAuthorization?: string | undefined;
  /** False to accept any certificate from the proxy itself. Hosts' certificates are always verified. */
  readonly proxyStrictSSL?: boolean | undefined;
  /** Whether to trust the operating system's certificate authorities in addition to Node's. */
  readonly systemCertificates?: boolean | undefined;
}

/** Returns the proxy address for a URL; undefined for a direct connection, which loopback hosts always get. */
export function proxyFor(url: URL, { proxy, noProxy = [] }: NetworkSettings): string | undefined {
  if (!proxy || isLoopback(url.hostname)) return undefined;
  return noProxy.some((entry) => covers(entry.trim().toLowerCase(), url)) ? undefined : proxy;
}

/** As in VS Code, a name includes its subdomains, with or without a leading dot. */
function covers(entry: string, url: URL): boolean {
  const [, name = '', port] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(isIPv6(entry) ? `[${entry}]` : entry) ?? [];
  if (name === '*') return true;
  if (name === '' || (port !== undefined && Number(port) !== portOf(url))) return false;
  return `.${url.hostname}`.endsWith(`.${name}`);
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}
