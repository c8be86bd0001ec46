import * as l10n from '@vscode/l10n';
import type { Dispatcher } from 'undici';
import { buildConnector, Pool, ProxyAgent } from 'undici';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { errorFromFailure } from './errorFromFailure.ts';
import type { NetworkSettings } from './NetworkSettings.ts';
import { redact } from './redact.ts';

/** Options of undici that the ways with and without a proxy share. */
export interface ConnectionOptions {
  /** For pools. */
  readonly once: Pool.Options;
  /** For connectors to what speaks TLS. */
  readonly tls: buildConnector.BuildOptions;
  /** Longest time for a connection, in milliseconds. */
  readonly timeout: number;
}

/**
 * Connections to one origin through a proxy: a tunnel for https, the whole URL in the request for http.
 *
 * @throws MediaError `proxy` when the proxy's address is none
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
    // Until its answer to CONNECT; what goes through the tunnel has its own limits.
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

/** What goes wrong before a tunnel stands is the proxy's matter, and certainly before anything is sent. */
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

/** The error for a proxy's own answer. */
export function proxyRefusal(status: number, name = l10n.t('The proxy')): MediaError {
  const sentence =
    status === 407
      ? l10n.t(
          '{0} asks who you are (407). Nothing was sent. Put user and password into the proxy\'s address, http://user:password@…, or set "http.proxyAuthorization".',
          name,
        )
      : withAdvice(l10n.t('{0} does not pass the connection on ({1}). Nothing was sent.', name, status));
  return new MediaError('proxy', sentence, { status });
}

function connectTo(proxy: URL, options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) => {
    // undici would ask the proxy for a certificate of the host.
    connect({ ...target, servername: '' }, (...[failure, socket]) => {
      if (failure === null) callback(null, socket);
      else callback(connectError(failure, proxy), null);
    });
  };
}

function connectError(failure: Error, proxy: URL): MediaError {
  const { kind, message, mayBeBilled } = errorFromFailure(failure, l10n.t('the proxy {0}', proxy.host));
  // Whatever it looks like from outside: the request waits for this connection.
  if (mayBeBilled) return noTunnel(failure, proxy.host);
  return new MediaError(kind === 'tls' ? 'tls' : 'proxy', withAdvice(message), { cause: failure });
}

function noTunnel(failure: unknown, host: string): MediaError {
  const reason = redact(reasonOf(failure));
  const sentence = l10n.t('The proxy {0} opens no connection: {1}. Nothing was sent.', host, reason);
  return new MediaError('proxy', withAdvice(sentence), { cause: failure });
}

function withAdvice(sentence: string): string {
  return `${sentence} ${l10n.t('Check the setting "http.proxy" or the variables HTTPS_PROXY and HTTP_PROXY.')}`;
}

function parseProxy(address: string): URL {
  // Many write the address without its scheme.
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`);
  if (url && /^https?:$/.test(url.protocol)) return url;
  const sentence = l10n.t(
    'The address of the proxy cannot be used: it must look like http://proxy.example.com:3128. Nothing was sent.',
  );
  throw new MediaError('proxy', withAdvice(sentence));
}

function authorizationIn({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined;
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`;
}

/** A password with a bare percent sign stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
