import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { OperationId } from '../operations/operations.ts';
import { operationIds } from '../operations/operations.ts';
import { createWorkFolder } from './createWorkFolder.ts';
import { createRequestId } from './http/createRequestId.ts';
import { limitConcurrency } from './limitConcurrency.ts';
import { ResultStore } from './ResultStore.ts';
import { routes } from './routes.ts';
import { serveRequest } from './serveRequest.ts';
import { findSystemVoice } from './speech/findSystemVoice.ts';
import type { FindVoice, SystemVoice } from './speech/SystemVoice.ts';
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
  /** How long its videos are; 3 if not given. */
  readonly videoSeconds?: number | undefined;
  /** Finds whose voice speaks, once; the system's if not given. Where it finds none, there is a tone per word. */
  readonly findVoice?: FindVoice | undefined;
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
  let voice: Promise<SystemVoice | undefined> | undefined;
  const workshop: Workshop = {
    key,
    now,
    folder,
    limits: { json: options.maxJsonBytes ?? 64 * mebibyte, upload: options.maxUploadBytes ?? 64 * mebibyte },
    results: new ResultStore({ folder, now, lifetimeMs: options.resultLifetimeMs ?? hour }),
    videos: new VideoStore(join(storage ?? folder, 'videos')),
    pictureQueue: limitConcurrency(2),
    videoQueue: limitConcurrency(1),
    speechQueue: limitConcurrency(2),
    findVoice: () => {
      voice ??= (options.findVoice ?? findSystemVoice)();
      return voice;
    },
    videoSeconds: options.videoSeconds ?? 3,
    accept: (id) => {
      counts[id]++;
    },
  };
  const working = new Set<Promise<void>>();
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const work = serveRequest(request, response, routes, workshop).finally(() => working.delete(work));
    working.add(work);
  };
  // Without a Host header the sandbox refuses in its own words.
  const server = createServer({ requireHostHeader: false }, serve);
  server.on('checkExpectation', serve);
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
      await Promise.all(working);
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
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nx-request-id: ${createRequestId()}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
