import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Area } from '../../operations/operations.ts';
import { createRequestId } from './sendJson.ts';

/** One port for all areas, or one for each; 0 means any free port. */
export type Ports = number | Readonly<Record<Area, number>>;

export interface Hosts {
  readonly ports: Readonly<Record<Area, number>>;
  /** Stops listening and closes every connection. */
  close(): Promise<void>;
}

/** Answers a request to a host that serves these areas; never throws. */
export type Listener = (request: IncomingMessage, response: ServerResponse, areas: readonly Area[]) => void;

const areas: readonly Area[] = ['image', 'audio', 'video'];

/**
 * Listens on 127.0.0.1. Areas with the same port share one host.
 *
 * @throws the node:net error if a port is taken; then no host is open
 */
export async function openHosts(requested: Ports, listener: Listener): Promise<Hosts> {
  const opened: Host[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((host) => host.close()));
  };
  try {
    for (const [port, served] of groupByPort(requested)) opened.push(await openHost(port, served, listener));
  } catch (error) {
    await close();
    throw error;
  }
  const portOf = (area: Area): number => opened.find((host) => host.areas.includes(area))?.port ?? 0;
  return { ports: { image: portOf('image'), audio: portOf('audio'), video: portOf('video') }, close };
}

interface Host {
  readonly areas: readonly Area[];
  readonly port: number;
  close(): Promise<void>;
}

function groupByPort(requested: Ports): readonly (readonly [number, readonly Area[]])[] {
  if (typeof requested === 'number') return [[requested, areas]];
  const given = new Set(areas.map((area) => requested[area]).filter((port) => port !== 0));
  return [
    ...areas.filter((area) => requested[area] === 0).map((area) => [0, [area]] as const),
    ...[...given].map((port) => [port, areas.filter((area) => requested[area] === port)] as const),
  ];
}

async function openHost(requested: number, served: readonly Area[], listener: Listener): Promise<Host> {
  // checkCaller rejects a missing Host header with a JSON body.
  const server = createServer({ requireHostHeader: false });
  const serve = (request: IncomingMessage, response: ServerResponse): void => listener(request, response, served);
  server.on('request', serve);
  server.on('checkExpectation', serve);
  server.on('clientError', rejectInvalidHttp);
  server.listen(requested, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    areas: served,
    port: typeof address === 'object' && address ? address.port : 0,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Answers bytes that Node's parser does not accept as HTTP. */
function rejectInvalidHttp(_: Error, socket: Duplex): void {
  if (!socket.writable) return;
  const body = JSON.stringify({
    error: {
      message: 'This is not a valid HTTP request.',
      type: 'invalid_request_error',
      param: null,
      code: 'invalid_http',
    },
  });
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nx-request-id: ${createRequestId()}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
