import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpServer {
  readonly origin: string;
  /** Requests that came in so far. */
  readonly requests: readonly IncomingMessage[];
  /** Resolves with the next request that comes in. */
  next(): Promise<readonly [IncomingMessage, ServerResponse]>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A real HTTP server on a free port of 127.0.0.1 for answers that no honest service gives. */
export async function startHttpServer(listener: RequestListener = () => undefined): Promise<HttpServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    next: async () => (await once(server, 'request')) as [IncomingMessage, ServerResponse],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The whole body of a request. */
export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
