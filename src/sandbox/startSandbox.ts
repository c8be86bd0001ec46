import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { OperationId } from '../operations/operations.ts';
import { operationIds } from '../operations/operations.ts';
import { createWorkFolder } from './createWorkFolder.ts';
import { limitConcurrency } from './limitConcurrency.ts';
import { ResultStore } from './ResultStore.ts';
import { routes } from './routes.ts';
import { serveRequest } from './serveRequest.ts';
import { VideoStore } from './video/VideoStore.ts';
import type { Workshop } from './Workshop.ts';

export interface SandboxOptions {
  /** Folder that keeps what remixing needs over a restart; without it nothing outlives the sandbox. */
  readonly storage?: string | undefined;
  /** Else a random one. */
  readonly key?: string | undefined;
  /** Else a free one. */
  readonly port?: number | undefined;
  /** How long a result's URL works, in milliseconds; an hour if not given. */
  readonly resultLifetimeMs?: number | undefined;
  /** Largest JSON body, in bytes; 64 MiB if not given. */
  readonly maxJsonBytes?: number | undefined;
  /** Largest upload, in bytes; 64 MiB if not given. */
  readonly maxUploadBytes?: number | undefined;
  /** The clock, in milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

/** A running sandbox. */
export interface Sandbox {
  readonly imageBaseUrl: string;
  readonly audioBaseUrl: string;
  readonly videoBaseUrl: string;
  readonly key: string;
  /** Requests accepted so far: each would have been paid. */
  readonly counts: Readonly<Record<OperationId, number>>;
  /** Closes every connection and removes the temporary files. */
  stop(): Promise<void>;
}

const mebibyte = 2 ** 20;
const hour = 3_600_000;

/**
 * Serves the media API on 127.0.0.1.
 *
 * @throws the error of node:net when the port is taken, of node:fs when the storage cannot be written
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { key = randomBytes(24).toString('base64url'), now = Date.now, storage } = options;
  const folder = await createWorkFolder(storage);
  const counts = noCounts();
  const workshop: Workshop = {
    key,
    now,
    folder,
    limits: { json: options.maxJsonBytes ?? 64 * mebibyte, upload: options.maxUploadBytes ?? 64 * mebibyte },
    results: new ResultStore({ folder, now, lifetimeMs: options.resultLifetimeMs ?? hour }),
    videos: new VideoStore(join(storage ?? folder, 'videos')),
    pictureQueue: limitConcurrency(2),
    videoQueue: limitConcurrency(1),
    accept: (id) => {
      counts[id]++;
    },
  };
  const server = createServer((request, response) => {
    void serveRequest(request, response, routes, workshop);
  });
  server.on('clientError', refuseGarbage);
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    imageBaseUrl: baseUrl,
    audioBaseUrl: baseUrl,
    videoBaseUrl: baseUrl,
    key,
    counts,
    async stop() {
      if (server.listening) {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await closed;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function noCounts(): Record<OperationId, number> {
  return Object.fromEntries(operationIds.map((id) => [id, 0])) as Record<OperationId, number>;
}

/** What Node's parser does not take for HTTP. */
function refuseGarbage(_: Error, socket: Duplex): void {
  if (!socket.writable) return;
  const body = JSON.stringify({
    error: { message: 'This is no HTTP request.', type: 'invalid_request_error', param: null, code: 'invalid_http' },
  });
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
