import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface HttpServer {
  readonly origin: string;
  readonly port: number;
  /** Requests received so far. */
  readonly requests: readonly IncomingMessage[];
  /** Resolves with the next request. */
  next(): Promise<readonly [IncomingMessage, ServerResponse]>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts an HTTP server on a free port of 127.0.0.1, for any response; with a certificate it serves https. */
export async function startHttpServer(
  listener: RequestListener = () => undefined,
  certificate?: ServerOptions,
): Promise<HttpServer> {
  const requests: IncomingMessage[] = [];
  const record: RequestListener = (request, response) => {
    requests.push(request);
    listener(request, response);
  };
  const server = certificate ? createSecureServer(certificate, record) : createServer(record);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    requests,
    next: async () => (await once(server, 'request')) as [IncomingMessage, ServerResponse],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Reads the whole body of a request. */
export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
