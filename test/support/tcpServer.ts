import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export interface TcpServer {
  readonly port: number;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a TCP server on a free port of 127.0.0.1, for responses that are not HTTP. */
export async function startTcpServer(listener: (socket: Socket) => void): Promise<TcpServer> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    listener(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
