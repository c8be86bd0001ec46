import { isIPv6 } from 'node:net';
import tls from 'node:tls';
import * as l10n from '@vscode/l10n';
import { decoded } from '../files/canonicalRoot.ts';
import { isPrivateAddress, lookupOutside, notingLookup, PrivateAddressError } from '../foreign/privateAddress.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { errorFromFailure, redact } from './errors.ts';
import { KeptConnections } from './KeptConnections.ts';
import { isLoopback } from './ServiceConfiguration.ts';
import { Agent, buildConnector, type Client, Dispatcher, Pool, ProxyAgent } from './undici.ts';

// undici 7, not 8: the bundle is a third smaller, and it installs on Node 20 without warnings. VS Code's proxy support
// does not reach it, so every request names its dispatcher; undici's global dispatcher belongs to the editor.

/** Connect timeout in milliseconds. */
const timeout = 20_000;

/** Creates the connections of one client. Destroy them with the client. */
export function createDispatcher(network: NetworkSettings = {}): ServiceDispatcher {
  return new ServiceDispatcher(network);
}

/** Connections to the service, at any address. */
export class ServiceDispatcher extends Dispatcher {
  /** Connections to result URLs. A private address fails with a PrivateAddressError. */
  readonly results: Dispatcher;
  readonly #service: Dispatcher;
  readonly #noted = new Map<string, boolean>();

  constructor(network: NetworkSettings) {
    super();
    const trust = trustOf(network);
    const lookup = notingLookup(this.#noted);
    this.#service = new Agent({ factory: (origin) => connectionsTo(new URL(origin), network, trust, { lookup }) });
    this.results = new Agent({
      factory: (origin) => {
        const url = new URL(origin);
        if (isPrivateAddress(url.hostname)) return failing(url, new PrivateAddressError(url.host));
        return connectionsTo(url, network, trust, { lookup: lookupOutside });
      },
    });
  }

  /** Whether a service was reached by its name, and that has had only private addresses. */
  isPrivateName({ hostname }: URL): boolean {
    return this.#noted.get(hostname) ?? false;
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
  if (proxy === undefined) return new KeptConnections(origin, { connect: { ...secure, ...direct } });
  try {
    return throughProxy(origin, proxy, network, secure);
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

/** How to reach the network, from the editor's settings and the environment variables. */
export interface NetworkSettings {
  /** Proxy address as entered. */
  readonly proxy?: string;
  /** Hosts that bypass the proxy: `example.com` including subdomains, `example.com:8443`, or `*`. */
  readonly noProxy?: readonly string[];
  /** The whole `Proxy-Authorization` header; defaults to the user and password in the proxy address. */
  readonly proxyAuthorization?: string;
  /** False to accept any certificate from the proxy itself. Hosts' certificates are always verified. */
  readonly proxyStrictSSL?: boolean;
  /** Whether to trust the operating system's certificate authorities in addition to Node's. */
  readonly systemCertificates?: boolean;
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

/**
 * Creates connections to one origin through a proxy: a tunnel for https, absolute request URLs for http.
 *
 * @param secure options of TLS connections
 * @throws MediaError `proxy` when the proxy's address is not valid
 */
function throughProxy(
  origin: URL,
  address: string,
  network: NetworkSettings,
  secure: buildConnector.BuildOptions,
): Dispatcher {
  const proxy = parseProxy(address);
  const authorization = network.proxyAuthorization || authorizationIn(proxy);
  const options: Client.Options = {
    connect: connectTo(proxy, { ...secure, rejectUnauthorized: network.proxyStrictSSL !== false }),
    // Limits the answer to CONNECT only; requests through the tunnel have their own timeouts.
    headersTimeout: timeout,
  };
  if (origin.protocol === 'http:') {
    const headers = { host: origin.host, ...(authorization ? { 'proxy-authorization': authorization } : {}) };
    return new KeptConnections(proxy.origin, options, (request) => ({
      ...request,
      path: origin.origin + request.path,
      headers: { ...request.headers, ...headers },
    }));
  }
  return new ProxyAgent({
    uri: proxy.origin,
    ...(authorization ? { token: authorization } : {}),
    requestTls: secure,
    factory: (target, own) => new KeptConnections(target, own),
    clientFactory: (url) => new TunnelPool(url, options),
  });
}

/** Reports failures before the tunnel is open as errors of the proxy: nothing was sent yet. */
class TunnelPool extends Pool {
  readonly #host: string;

  constructor(url: URL, options: Pool.Options) {
    super(url, options);
    this.#host = url.host;
  }

  override async connect(options: Omit<Dispatcher.ConnectOptions, 'origin'>): Promise<Dispatcher.ConnectData> {
    const data = await super.connect(options).catch((failure: unknown) => {
      throw failure instanceof MediaError ? failure : noTunnel(failure, this.#host);
    });
    if (data.statusCode === 200) return data;
    data.socket.on('error', () => undefined).destroy();
    throw proxyRefusal(data.statusCode, l10n.t('The proxy {0}', this.#host));
  }
}

/** Returns the error for an error status of the proxy itself. */
export function proxyRefusal(status: number, name = l10n.t('The proxy')): MediaError {
  const sentence =
    status === 407
      ? l10n.t(
          '{0} requires a user name and password (407). Nothing was sent. Add them to the proxy address (http://user:password@…), or set "http.proxyAuthorization".',
          name,
        )
      : withAdvice(l10n.t('{0} refused to open the connection ({1}). Nothing was sent.', name, status));
  return new MediaError('proxy', sentence, { status });
}

function connectTo(proxy: URL, options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) => {
    // Otherwise undici would expect the host's certificate from the proxy.
    connect({ ...target, servername: '' }, (...[failure, socket]) => {
      if (failure === null) callback(null, socket);
      else callback(connectError(failure, proxy), null);
    });
  };
}

function connectError(failure: Error, proxy: URL): MediaError {
  const { kind, message, mayBeBilled } = errorFromFailure(failure, l10n.t('the proxy {0}', proxy.host));
  // Nothing is billed whatever the failure looks like: the request was still waiting for this connection.
  if (mayBeBilled) return noTunnel(failure, proxy.host);
  return new MediaError(kind === 'tls' ? 'tls' : 'proxy', withAdvice(message), { cause: failure });
}

function noTunnel(failure: unknown, host: string): MediaError {
  const reason = redact(reasonOf(failure));
  const sentence = l10n.t('The proxy {0} did not open a connection: {1}. Nothing was sent.', host, reason);
  return new MediaError('proxy', withAdvice(sentence), { cause: failure });
}

function withAdvice(sentence: string): string {
  return `${sentence} ${l10n.t('Check the setting "http.proxy" or the variables HTTPS_PROXY and HTTP_PROXY.')}`;
}

function parseProxy(address: string): URL {
  // The address is often entered without its scheme.
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`);
  if (url && /^https?:$/.test(url.protocol)) return url;
  const sentence = l10n.t(
    'The proxy address is not valid: it must look like http://proxy.example.com:3128. Nothing was sent.',
  );
  throw new MediaError('proxy', withAdvice(sentence));
}

function authorizationIn({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined;
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`;
}
