import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';

export interface ProxyOptions {
  /** Local port for each `name:port`; other hosts get 502. */
  readonly routes?: Readonly<Record<string, number>>;
  /** Required credentials, `user:password`. */
  readonly credentials?: string;
  /** Certificate of a proxy that is reached through TLS. */
  readonly certificate?: ServerOptions;
}

export interface ProxyServer {
  readonly port: number;
  readonly url: string;
  /** Requested tunnels (`CONNECT media.test:443`) and URLs (`GET http://…`). */
  readonly asked: readonly IncomingMessage[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a proxy on a free port of 127.0.0.1: CONNECT for https, full URLs for http, Basic authentication. */
export async function startProxyServer(options: ProxyOptions = {}): Promise<ProxyServer> {
  const { routes = {}, certificate } = options;
  const asked: IncomingMessage[] = [];
  const sockets = new Set<Duplex>();
  const server: Server = certificate ? createSecureServer(certificate) : createServer();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    asked.push(request);
    const port = routes[request.url ?? ''];
    socket.on('error', () => undefined);
    if (!isAllowed(request, options)) socket.end('HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic\r\n\r\n');
    else if (port === undefined) socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    else sockets.add(tunnel(socket, head, port));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    asked.push(request);
    const { host, pathname, search } = new URL(request.url ?? '');
    const port = routes[host.includes(':') ? host : `${host}:80`];
    if (!isAllowed(request, options)) response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end('who are you');
    else if (port === undefined) response.writeHead(502).end();
    else forward(request, response, { port, path: pathname + search });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function isAllowed({ headers }: IncomingMessage, { credentials }: ProxyOptions): boolean {
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  return wanted === undefined || headers['proxy-authorization'] === wanted;
}

function tunnel(socket: Duplex, head: Buffer, port: number): Socket {
  const target = connect(port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    target.write(head);
    target.pipe(socket).pipe(target);
  });
  target.on('error', () => socket.destroy());
  socket.on('close', () => target.destroy());
  return target;
}

function forward(incoming: IncomingMessage, answer: ServerResponse, to: { port: number; path: string }): void {
  const { 'proxy-authorization': _, ...headers } = incoming.headers;
  const outgoing = httpRequest({ host: '127.0.0.1', agent: false, method: incoming.method, headers, ...to });
  outgoing.on('response', (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers);
    // Also breaks off where the answer does.
    pipeline(response, answer, () => undefined);
  });
  outgoing.on('error', () => answer.destroy());
  incoming.pipe(outgoing);
}
