// undici 7, not 8: the bundle is a third smaller, and it installs on Node 20 without warnings. VS Code's proxy support
// does not reach it, so every request names its dispatcher; undici's global dispatcher belongs to the editor.

import tls from 'node:tls';
import type { buildConnector } from 'undici';
import { Agent, Dispatcher, Pool } from 'undici';
import { isPrivateAddress, lookupOutside, PrivateAddressError } from './privateAddress.ts';
import type { NetworkSettings } from './proxyFor.ts';
import { proxyFor } from './proxyFor.ts';
import { throughProxy } from './throughProxy.ts';

/** Connect timeout in milliseconds. */
const timeout = 20_000;

/**
 * Each connection is used once: if the service closed a reused one, the outcome of a paid request would be unknown.
 * Requests still do not send `connection: close`: a service that refuses an upload early would then close the connection
 * before its answer is read.
 */
const once: Pool.Options = {
  keepAliveTimeout: 1,
  keepAliveMaxTimeout: 1,
  // Subtracted from the service's `keep-alive: timeout=…`, so nothing is left of it.
  keepAliveTimeoutThreshold: Number.MAX_SAFE_INTEGER,
};

/** Creates the connections of one client. Destroy them with the client. */
export function createDispatcher(network: NetworkSettings = {}): ServiceDispatcher {
  return new ServiceDispatcher(network);
}

/** Connections to the service, at any address. */
export class ServiceDispatcher extends Dispatcher {
  /** Connections to result URLs. A private address fails with a PrivateAddressError. */
  readonly results: Dispatcher;
  readonly #service: Dispatcher;

  constructor(network: NetworkSettings) {
    super();
    const trust = trustOf(network);
    this.#service = new Agent({ factory: (origin) => connectionsTo(new URL(origin), network, trust) });
    this.results = new Agent({
      factory: (origin) => {
        const url = new URL(origin);
        if (isPrivateAddress(url.hostname)) return failing(url, new PrivateAddressError(url.host));
        return connectionsTo(url, network, trust, { lookup: lookupOutside });
      },
    });
  }

  override dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return this.#service.dispatch(request, handler);
  }

  override async destroy(): Promise<void> {
    await Promise.all([this.#service.destroy(), this.results.destroy()]);
  }
}

function connectionsTo(
  origin: URL,
  network: NetworkSettings,
  trust: () => buildConnector.BuildOptions,
  direct: buildConnector.BuildOptions = {},
): Dispatcher {
  const proxy = proxyFor(origin, network);
  const isSecure = origin.protocol === 'https:' || proxy !== undefined;
  const secure = { timeout, ...(isSecure ? trust() : {}) };
  if (proxy === undefined) return new Pool(origin, { ...once, connect: { ...secure, ...direct } });
  try {
    return throughProxy(origin, proxy, network, { once, tls: secure, timeout });
  } catch (error) {
    return failing(origin, error as Error);
  }
}

/** Returns a dispatcher that fails to connect, so that undici also closes the request's body. */
function failing(origin: URL, error: Error): Dispatcher {
  return new Pool(origin, { connect: (_, callback) => callback(error, null) });
}

/** Returns the trusted certificates. Reads them at the first connection that needs them, which takes about 50 ms. */
function trustOf({ systemCertificates }: NetworkSettings): () => buildConnector.BuildOptions {
  let trust: buildConnector.BuildOptions | undefined;
  return () => {
    trust ??= systemCertificates === true ? withSystemCertificates() : {};
    return trust;
  };
}

/** Creates one context for all connections: parsing hundreds of certificates takes 10 ms. */
function withSystemCertificates(): buildConnector.BuildOptions {
  // Available since Node 22.15. `default` includes NODE_EXTRA_CA_CERTS.
  if (typeof tls.getCACertificates !== 'function') return {};
  const ca = [...new Set([...tls.getCACertificates('default'), ...tls.getCACertificates('system')])];
  return { secureContext: tls.createSecureContext({ ca }) };
}
