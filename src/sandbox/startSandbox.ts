import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import { lookupOutside } from '../foreign/privateAddress.ts';
import { type Area, type OperationId, operationIds } from '../operations/operations.ts';
import { createRequestId, type Disobedience, type Intercept, type SandboxContext } from './Exchange.ts';
import { RenderWorker } from './RenderWorker.ts';
import { ResultStore } from './ResultStore.ts';
import { serveRequest } from './serveRequest.ts';
import { type FindVoice, findSystemVoice, type SystemVoice } from './speech/SystemVoice.ts';
import { VideoStore } from './video/VideoStore.ts';

export interface SandboxOptions {
  /** Folder for the records that remixes need after a restart. Nothing outlives the sandbox if not given. */
  readonly storage?: string;
  /** API key; random if not given. */
  readonly key?: string;
  /** One port for all areas, or one for each; 0 means any free port. Three free ports if not given. */
  readonly ports?: Ports;
  /** Lifetime of a result's URL, in milliseconds; an hour if not given. */
  readonly resultLifetimeMs?: number;
  /** Maximum size of a JSON body, in bytes; 64 MiB if not given. */
  readonly maxJsonBytes?: number;
  /** Maximum size of an upload, in bytes; 64 MiB if not given. */
  readonly maxUploadBytes?: number;
  /** Width and height of generated images, in pixels; 1024 if not given. */
  readonly imageSize?: number;
  /** Timeout for fetching an input image from a URL, in milliseconds; 20 seconds if not given. */
  readonly imageFetchMs?: number;
  /** Resolves the names of image URLs; `lookupOutside`, which refuses private addresses, if not given. */
  readonly lookup?: LookupFunction;
  /** Duration of generated videos; 3 if not given. */
  readonly videoSeconds?: number;
  /** Minimum time that a video takes, in milliseconds, so that progress is visible; 3 seconds if not given. */
  readonly videoWaitMs?: number;
  /** Finds the voice, called once; the system's voice if not given. Without a voice, speech is a tone per word. */
  readonly findVoice?: FindVoice;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now?: () => number;
  /** Whether to serve SDKs made for OpenAI: one port, `Bearer`, unknown fields ignored, and videos as jobs. */
  readonly openai?: boolean;
  /** What results differ in from what was asked for. */
  readonly disobeys?: Disobedience;
  /** Called before each request is served; tests make requests fail with it. */
  readonly intercept?: Intercept;
}

/** A running sandbox. */
export interface Sandbox {
  readonly imageBaseUrl: string;
  readonly audioBaseUrl: string;
  readonly videoBaseUrl: string;
  readonly key: string;
  /** Number of accepted requests per operation; a real service would bill each. */
  readonly counts: Readonly<Record<OperationId, number>>;
  /** Closes every connection and removes the temporary files. */
  stop(): Promise<void>;
}

const mebibyte = 2 ** 20;
const hour = 3_600_000;
const freePorts: Ports = { image: 0, audio: 0, video: 0 };

/**
 * Starts a server of the media API on 127.0.0.1.
 *
 * @throws the node:net error if a port is taken, the node:fs error if the storage folder cannot be written
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { key = randomBytes(24).toString('base64url'), now = Date.now, storage } = options;
  const workFolder = await createWorkFolder(storage);
  const folder = workFolder.path;
  const counts = noCounts();
  const results = new ResultStore({ folder, now, lifetimeMs: options.resultLifetimeMs ?? hour });
  let voice: Promise<SystemVoice | undefined> | undefined;
  const stopping = new AbortController();
  const working = new Set<Promise<void>>();
  const inBackground = (task: Promise<void>): void => {
    const tracked = task.finally(() => working.delete(tracked));
    working.add(tracked);
  };
  const context: SandboxContext = {
    key,
    now,
    folder,
    ports: new Set(),
    maxBytes: { json: options.maxJsonBytes ?? 64 * mebibyte, upload: options.maxUploadBytes ?? 64 * mebibyte },
    results,
    keyed: new Map(),
    intercept: options.intercept,
    isLenient: options.openai === true,
    disobeys: options.disobeys ?? {},
    videoJobs: new Map(),
    stopping: stopping.signal,
    inBackground,
    videos: new VideoStore(join(storage ?? folder, 'videos')),
    renderWorker: new RenderWorker(),
    imageSize: options.imageSize ?? 1024,
    imageFetchMs: options.imageFetchMs ?? 20_000,
    lookup: options.lookup ?? lookupOutside,
    readingQueue: pLimit(1),
    pictureQueue: pLimit(2),
    videoQueue: pLimit(1),
    speechQueue: pLimit(2),
    findVoice: () => {
      voice ??= (options.findVoice ?? findSystemVoice)();
      return voice;
    },
    videoSeconds: options.videoSeconds ?? 3,
    videoWaitMs: options.videoWaitMs ?? 3000,
    accept: (id) => {
      counts[id]++;
    },
  };
  const listener: Listener = (request, response, areas) => {
    inBackground(serveRequest(request, response, areas, context));
  };
  const stop = async (hosts?: Hosts): Promise<void> => {
    await hosts?.close();
    stopping.abort();
    await Promise.all(working);
    results.close();
    await context.renderWorker.close();
    await workFolder[Symbol.asyncDispose]();
  };
  try {
    const hosts = await openHosts(options.ports ?? (options.openai ? 0 : freePorts), listener);
    for (const area of ['image', 'audio', 'video'] as const) context.ports.add(hosts.ports[area]);
    return {
      imageBaseUrl: `http://127.0.0.1:${hosts.ports.image}`,
      audioBaseUrl: `http://127.0.0.1:${hosts.ports.audio}`,
      videoBaseUrl: `http://127.0.0.1:${hosts.ports.video}`,
      key,
      counts,
      stop: () => stop(hosts),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function noCounts(): Record<OperationId, number> {
  return Object.fromEntries(operationIds.map((id) => [id, 0])) as Record<OperationId, number>;
}

const folderPrefix = 'sandbox-';
const day = 86_400_000;

/**
 * Creates a folder for one run's results and uploads. Disposing it removes the folder.
 *
 * @param storage parent folder, where folders of crashed runs are removed; the system's temporary folder if not given
 * @param heartbeat interval of updating the folder's modification time, in milliseconds
 */
export async function createWorkFolder(
  storage: string | undefined,
  heartbeat = day / 24,
): Promise<AsyncDisposable & { readonly path: string }> {
  if (storage !== undefined) {
    await mkdir(storage, { recursive: true });
    await sweepWorkFolders(storage);
  }
  const path = await mkdtemp(join(storage ?? tmpdir(), folderPrefix));
  const beating = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, heartbeat).unref();
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      clearInterval(beating);
      await removeFolder(path);
    },
  };
}

/** Removes the folders of runs without a heartbeat for a day. */
async function sweepWorkFolders(storage: string): Promise<void> {
  for (const name of await readdir(storage)) {
    const path = join(storage, name);
    if (name.startsWith(folderPrefix) && (await stat(path)).mtimeMs < Date.now() - day) {
      await removeFolder(path);
    }
  }
}

/** Removes a folder; one that another program holds is left for the next run. */
async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
}

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

/**
 * Serves the sandbox until the signal aborts. Prints one line of JSON first.
 *
 * @param args `--port`, `--storage`, `--key` and `--openai`
 * @returns the exit code
 * @throws Error for wrong arguments, a taken port or a folder that cannot be written
 */
export async function serveSandbox(
  args: readonly string[],
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<number> {
  const { port, storage, key, openai } = readCommandLine(args);
  const sandbox = await startSandbox({ ports: port, storage, key, openai });
  const { imageBaseUrl, audioBaseUrl, videoBaseUrl } = sandbox;
  const forSdks = openai ? { baseURL: `${imageBaseUrl}/v1` } : {};
  print(JSON.stringify({ imageBaseUrl, audioBaseUrl, videoBaseUrl, key: sandbox.key, ...forSdks }));
  if (!signal.aborted) await once(signal, 'abort');
  await sandbox.stop();
  return 0;
}

function readCommandLine(args: readonly string[]): {
  readonly port: number | undefined;
  readonly storage: string | undefined;
  readonly key: string | undefined;
  readonly openai: boolean;
} {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string' },
      storage: { type: 'string' },
      key: { type: 'string' },
      openai: { type: 'boolean', default: false },
    },
  });
  const { port, storage, key, openai } = values;
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536)) {
    throw new Error(`--port takes a number from 0 to 65535, not "${port}".`);
  }
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    throw new Error(
      '--key takes ASCII letters, digits and symbols without spaces, because it is sent in an HTTP header.',
    );
  }
  if (storage === '') throw new Error('--storage takes the path of a folder.');
  return { port: port === undefined ? undefined : Number(port), storage, key, openai };
}
