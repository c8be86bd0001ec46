import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Area } from '../../operations/operations.ts';
import { createRequestId } from './createRequestId.ts';

/** One port for all areas, or one for each; 0 is any free one. */
export type Ports = number | Readonly<Record<Area, number>>;

export interface Hosts {
  readonly ports: Readonly<Record<Area, number>>;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** Answers a request to the host of some areas; never throws. */
export type Listener = (request: IncomingMessage, response: ServerResponse, areas: readonly Area[]) => void;

const areas: readonly Area[] = ['image', 'audio', 'video'];

/**
 * Listens on 127.0.0.1. Areas with the same port share one host.
 *
 * @throws the error of node:net when a port is taken; then none is open
 */
export async function openHosts(wanted: Ports, listener: Listener): Promise<Hosts> {
  const opened: Host[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((host) => host.close()));
  };
  try {
    for (const [port, served] of groupsOf(wanted)) opened.push(await openHost(port, served, listener));
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

function groupsOf(wanted: Ports): readonly (readonly [number, readonly Area[]])[] {
  if (typeof wanted === 'number') return [[wanted, areas]];
  const given = new Set(areas.map((area) => wanted[area]).filter((port) => port !== 0));
  return [
    ...areas.filter((area) => wanted[area] === 0).map((area) => [0, [area]] as const),
    ...[...given].map((port) => [port, areas.filter((area) => wanted[area] === port)] as const),
  ];
}

async function openHost(wanted: number, served: readonly Area[], listener: Listener): Promise<Host> {
  // Without a Host header the sandbox refuses in its own words.
  const server = createServer({ requireHostHeader: false });
  const serve = (request: IncomingMessage, response: ServerResponse): void => listener(request, response, served);
  server.on('request', serve);
  server.on('checkExpectation', serve);
  server.on('clientError', refuseGarbage);
  server.listen(wanted, '127.0.0.1');
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

/** What Node's parser does not take for HTTP. */
function refuseGarbage(_: Error, socket: Duplex): void {
  if (!socket.writable) return;
  const body = JSON.stringify({
    error: { message: 'This is no HTTP request.', type: 'invalid_request_error', param: null, code: 'invalid_http' },
  });
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nx-request-id: ${createRequestId()}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
