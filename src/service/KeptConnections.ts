import type { Socket } from 'node:net';
import { tidyHead } from './readableHead.ts';
import { buildConnector, Client, Dispatcher } from './undici.ts';

/** Some gateways send more than the 16 KiB that Node allows; the answer may be paid for. */
const maxHeaderSize = 64 * 1024;

/**
 * Longest time in milliseconds that a connection waits for its next request: less than any service keeps one. By default
 * gunicorn does for 2 s, Node, Apache and uvicorn for 5, Tomcat and Puma for 20, AWS and nginx for 60 and 75, Caddy for 300,
 * as their documentation says; `timeout http-keep-alive` of HAProxy may be 1 s, of which a slow round trip is left.
 */
const maxIdle = 500;

/**
 * Connections to one origin, each for one request at a time. When the service closes a connection while a paid request is
 * on its way, nobody knows whether it is billed, so a connection gets another request only if
 *
 * - the answer before was whole and 2xx: a service that refuses or answers early may not read the rest, and closes;
 * - the service announced for how long it keeps it, or has kept another for {@link maxIdle}, and since then closed none
 *   earlier;
 * - it has waited for less than that, and a turn of the event loop found neither its end nor a byte.
 *
 * What remains is a close that is on its way in that moment: the service is shut down within one round trip. The outcome of
 * a paid request is then unknown, as after any lost connection; a GET is sent once more. HTTP/1.1 only: when an HTTP/2
 * server begins to shut down, undici 7 drops the answers that it still sends (findings/undici-http2-goaway.sh).
 *
 * Requests do not send `connection: close`: a service that refuses an upload early would then close the connection before
 * its answer is read.
 */
export class KeptConnections extends Dispatcher {
  readonly #origin: URL | string;
  readonly #connect: buildConnector.connector;
  readonly #adapt: (request: Dispatcher.DispatchOptions) => Dispatcher.DispatchOptions;
  readonly #all = new Set<KeptConnection>();
  /** In the order in which they became idle. */
  readonly #idle = new Set<KeptConnection>();
  /** Whether the service kept the last idle connection as long as we did; undefined until then. */
  #keeps: boolean | undefined;
  /** The last TLS session: undici's connector knows it only until the garbage is collected (findings/undici-tls-session.sh). */
  readonly #sessions: Buffer[] = [];

  /** @param adapt returns what is sent for a request */
  constructor(
    origin: URL | string,
    { connect }: Pick<Client.Options, 'connect'>,
    adapt: (request: Dispatcher.DispatchOptions) => Dispatcher.DispatchOptions = (request) => request,
  ) {
    super();
    this.#origin = origin;
    this.#connect = typeof connect === 'function' ? connect : buildConnector({ ...connect });
    this.#adapt = adapt;
  }

  override dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const kept = this.#takeIdle();
    if (!kept) this.#send(this.#open(), request, handler);
    // undici waits for the end of this turn, in which sockets may have been read long ago; after another, all were read.
    else setImmediate(() => this.#send(kept, request, handler));
    return true;
  }

  override async destroy(): Promise<void> {
    await Promise.all([...this.#all].map(({ client }) => client.destroy()));
  }

  /** Returns the connection that was used last, so that the others end when fewer are needed. */
  #takeIdle(): KeptConnection | undefined {
    for (const connection of [...this.#idle].reverse()) {
      if (!(this.#keeps ?? connection.isAnnounced)) continue;
      this.#idle.delete(connection);
      // undici's timer stands still while the computer sleeps.
      const idle = Date.now() - connection.idleSince;
      if (idle >= 0 && idle < maxIdle) return connection;
      this.#close(connection);
    }
    return undefined;
  }

  #open(): KeptConnection {
    const client = new Client(this.#origin, {
      maxHeaderSize,
      keepAliveTimeout: maxIdle,
      keepAliveMaxTimeout: maxIdle,
      // Subtracted from what the service announces.
      keepAliveTimeoutThreshold: 1000,
      connect: (options, callback) =>
        this.#connect(options, (...result) => {
          const [, socket] = result;
          if (socket) {
            connection.socket = socket;
            connection.isUsed = false;
            socket.on('session', (session: Buffer) => {
              this.#sessions[0] = session;
            });
          }
          callback(...result);
        }),
    });
    const connection: KeptConnection = { client, socket: undefined, isUsed: false, isAnnounced: false, idleSince: 0 };
    this.#all.add(connection);
    client.on('disconnect', (_origin, _clients, error) => {
      if (!this.#idle.delete(connection)) return;
      if (error.message === 'socket idle timeout') this.#keeps = true;
      // With this code, undici closed it as the answer demanded.
      else if (error.code !== 'UND_ERR_INFO') this.#keeps = false;
      this.#close(connection);
    });
    return connection;
  }

  /** Where a kept socket ends before the request is written, undici opens another one; after some errors, we do. */
  #send(connection: KeptConnection, request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const { client } = connection;
    let isKept = connection.isUsed;
    let isWritten = false;
    let isAborted = false;
    let status = 0;
    client.dispatch(this.#adapt(request), {
      onConnect: (abort) => {
        isWritten = true;
        isKept = connection.isUsed;
        connection.isUsed = true;
        if (connection.socket) tidyHead(connection.socket);
        handler.onConnect?.((reason) => {
          isAborted = true;
          abort(reason);
        });
      },
      onHeaders: (code, headers, ...rest) => {
        status = code;
        connection.isAnnounced = announcesTime(headers);
        return handler.onHeaders?.(code, headers, ...rest) ?? true;
      },
      onData: (chunk) => handler.onData?.(chunk) ?? true,
      onComplete: (trailers) => {
        // Before the answer is handed over, whose reader may send the next request.
        const isSent = connection.socket?.writableLength === 0;
        if (status >= 200 && status < 300 && isSent) this.#keep(connection);
        else this.#close(connection);
        handler.onComplete?.(trailers);
      },
      onError: (error) => {
        const isHarmless = !isWritten || (request.method === 'GET' && status === 0);
        const isRepeated = isKept && isHarmless && !isAborted && !client.destroyed;
        // Also after an abort, for which undici would connect again.
        client.destroy(null, () => this.#all.delete(connection));
        if (isRepeated) this.#send(this.#open(), request, handler);
        else handler.onError?.(error);
      },
    });
  }

  #keep(connection: KeptConnection): void {
    connection.idleSince = Date.now();
    this.#idle.add(connection);
  }

  /** Closes a connection as soon as its request has ended. */
  #close(connection: KeptConnection): void {
    connection.client.close(() => this.#all.delete(connection));
  }
}

interface KeptConnection {
  readonly client: Client;
  socket: Socket | undefined;
  /** Whether the socket has had a request. */
  isUsed: boolean;
  /** Whether the last answer said for how long the service keeps the connection. */
  isAnnounced: boolean;
  /** From `Date.now()`. */
  idleSince: number;
}

/** @param headers names and values in turn */
function announcesTime(headers: readonly Buffer[]): boolean {
  const name = headers.findIndex((text, index) => index % 2 === 0 && /^keep-alive$/i.test(String(text)));
  return name >= 0 && /timeout=\d/i.test(String(headers[name + 1]));
}
