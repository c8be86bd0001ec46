import * as l10n from '@vscode/l10n';
import type { Dispatcher } from 'undici';
import { buildConnector, Pool, ProxyAgent } from 'undici';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { errorFromFailure } from './errorFromFailure.ts';
import type { NetworkSettings } from './proxyFor.ts';
import { redact } from './redact.ts';

/** undici options that connections with and without a proxy share. */
export interface ConnectionOptions {
  /** Pool options that make each connection used once. */
  readonly once: Pool.Options;
  /** Options of TLS connections. */
  readonly tls: buildConnector.BuildOptions;
  /** Connect timeout in milliseconds. */
  readonly timeout: number;
}

/**
 * Creates connections to one origin through a proxy: a tunnel for https, absolute request URLs for http.
 *
 * @throws MediaError `proxy` when the proxy's address is not valid
 */
export function throughProxy(
  origin: URL,
  address: string,
  network: NetworkSettings,
  { once, tls, timeout }: ConnectionOptions,
): Dispatcher {
  const proxy = parseProxy(address);
  const authorization = network.proxyAuthorization || authorizationIn(proxy);
  const options: Pool.Options = {
    ...once,
    connect: connectTo(proxy, { ...tls, rejectUnauthorized: network.proxyStrictSSL !== false }),
    // Limits the answer to CONNECT only; requests through the tunnel have their own timeouts.
    headersTimeout: timeout,
  };
  if (origin.protocol === 'http:') {
    const headers = { host: origin.host, ...(authorization ? { 'proxy-authorization': authorization } : {}) };
    return new Pool(proxy.origin, options).compose(
      (dispatch) => (request, handler) =>
        dispatch(
          { ...request, path: origin.origin + request.path, headers: { ...request.headers, ...headers } },
          handler,
        ),
    );
  }
  return new ProxyAgent({
    ...once,
    uri: proxy.origin,
    ...(authorization ? { token: authorization } : {}),
    requestTls: tls,
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

/** Decodes percent-encoding; returns text that is not encoded correctly unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
