// undici 7, not 8: the bundle is a third smaller, and it installs on Node 20 without warnings. VS Code's proxy support
// does not reach it, so every request names its dispatcher; undici's global dispatcher belongs to the editor.

import tls from 'node:tls';
import type { buildConnector } from 'undici';
import { Agent, Dispatcher, Pool } from 'undici';
import type { NetworkSettings } from './NetworkSettings.ts';
import { isPrivateAddress, lookupOutside, PrivateAddressError } from './privateAddress.ts';
import { proxyFor } from './proxyFor.ts';
import { throughProxy } from './throughProxy.ts';

/** Longest time for a connection, in milliseconds. */
const timeout = 20_000;

/**
 * No connection is used twice: one that the service has just closed would leave the outcome of a paid request unknown.
 * The requests still do not say `connection: close`, since a service that refuses an upload early would then close
 * before its answer is read.
 */
const once: Pool.Options = {
  keepAliveTimeout: 1,
  keepAliveMaxTimeout: 1,
  // Taken off what a service offers in `keep-alive: timeout=…`, so nothing is left of it.
  keepAliveTimeoutThreshold: Number.MAX_SAFE_INTEGER,
};

/** The connections of one client; destroy it when the client is done with. */
export function createDispatcher(network: NetworkSettings = {}): ServiceDispatcher {
  return new ServiceDispatcher(network);
}

/** Connections to the service, wherever it is. */
export class ServiceDispatcher extends Dispatcher {
  /** Connections to result URLs: to no private address, which fails with a PrivateAddressError. */
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

/** Fails as a connection does, so that the body of a request is closed as well. */
function failing(origin: URL, error: Error): Dispatcher {
  return new Pool(origin, { connect: (_, callback) => callback(error, null) });
}

/** What makes a certificate trusted; read at the first connection that needs it, which takes about 50 ms. */
function trustOf({ systemCertificates }: NetworkSettings): () => buildConnector.BuildOptions {
  let trust: buildConnector.BuildOptions | undefined;
  return () => {
    trust ??= systemCertificates === true ? withSystemCertificates() : {};
    return trust;
  };
}

/** One context for all connections: to read hundreds of certificates again for each would take 10 ms. */
function withSystemCertificates(): buildConnector.BuildOptions {
  // Node has it since 22.15. `default` holds those of NODE_EXTRA_CA_CERTS too.
  if (typeof tls.getCACertificates !== 'function') return {};
  const ca = [...new Set([...tls.getCACertificates('default'), ...tls.getCACertificates('system')])];
  return { secureContext: tls.createSecureContext({ ca }) };
}
