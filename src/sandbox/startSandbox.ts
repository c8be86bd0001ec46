import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pLimit from 'p-limit';
import type { OperationId } from '../operations/operations.ts';
import { operationIds } from '../operations/operations.ts';
import { createWorkFolder } from './createWorkFolder.ts';
import { Faults } from './Faults.ts';
import type { Hosts, Listener, Ports } from './http/openHosts.ts';
import { openHosts } from './http/openHosts.ts';
import { RenderWorker } from './RenderWorker.ts';
import { ResultStore } from './ResultStore.ts';
import type { Queue, SandboxContext } from './SandboxContext.ts';
import { serveRequest } from './serveRequest.ts';
import { findSystemVoice } from './speech/findSystemVoice.ts';
import type { FindVoice, SystemVoice } from './speech/SystemVoice.ts';
import { VideoStore } from './video/VideoStore.ts';

export interface SandboxOptions {
  /** Folder for the records that remixes need after a restart. Nothing outlives the sandbox if not given. */
  readonly storage?: string | undefined;
  /** API key; random if not given. */
  readonly key?: string | undefined;
  /** One port for all areas, or one for each; 0 means any free port. Three free ports if not given. */
  readonly ports?: Ports | undefined;
  /** Lifetime of a result's URL, in milliseconds; an hour if not given. */
  readonly resultLifetimeMs?: number | undefined;
  /** Maximum size of a JSON body, in bytes; 64 MiB if not given. */
  readonly maxJsonBytes?: number | undefined;
  /** Maximum size of an upload, in bytes; 64 MiB if not given. */
  readonly maxUploadBytes?: number | undefined;
  /** Width and height of generated images, in pixels; 1024 if not given. */
  readonly imageSize?: number | undefined;
  /** Timeout for fetching an input image from a URL, in milliseconds; 20 seconds if not given. */
  readonly imageFetchMs?: number | undefined;
  /** Duration of generated videos; 3 if not given. */
  readonly videoSeconds?: number | undefined;
  /** Minimum time that a video takes, in milliseconds, so that progress is visible; 3 seconds if not given. */
  readonly videoWaitMs?: number | undefined;
  /** Finds the voice, called once; the system's voice if not given. Without a voice, speech is a tone per word. */
  readonly findVoice?: FindVoice | undefined;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

/** A running sandbox. */
export interface Sandbox {
  readonly imageBaseUrl: string;
  readonly audioBaseUrl: string;
  readonly videoBaseUrl: string;
  readonly key: string;
  /** Number of accepted requests per operation; a real service would bill each. */
  readonly counts: Readonly<Record<OperationId, number>>;
  readonly faults: Faults;
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
  const context: SandboxContext = {
    key,
    now,
    folder,
    ports: new Set(),
    maxBytes: { json: options.maxJsonBytes ?? 64 * mebibyte, upload: options.maxUploadBytes ?? 64 * mebibyte },
    results,
    faults: new Faults(() => results.expireAll()),
    videos: new VideoStore(join(storage ?? folder, 'videos')),
    renderWorker: new RenderWorker(),
    imageSize: options.imageSize ?? 1024,
    imageFetchMs: options.imageFetchMs ?? 20_000,
    readingQueue: createQueue(1),
    pictureQueue: createQueue(2),
    videoQueue: createQueue(1),
    speechQueue: createQueue(2),
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
  const working = new Set<Promise<void>>();
  const listener: Listener = (request, response, areas) => {
    const work = serveRequest(request, response, areas, context).finally(() => working.delete(work));
    working.add(work);
  };
  const stop = async (hosts?: Hosts): Promise<void> => {
    await hosts?.close();
    await Promise.all(working);
    results.close();
    await context.renderWorker.close();
    await workFolder[Symbol.asyncDispose]();
  };
  try {
    const hosts = await openHosts(options.ports ?? freePorts, listener);
    for (const area of ['image', 'audio', 'video'] as const) context.ports.add(hosts.ports[area]);
    return {
      imageBaseUrl: `http://127.0.0.1:${hosts.ports.image}`,
      audioBaseUrl: `http://127.0.0.1:${hosts.ports.audio}`,
      videoBaseUrl: `http://127.0.0.1:${hosts.ports.video}`,
      key,
      counts,
      faults: context.faults,
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

/** Limits how many pieces of work run at a time. */
function createQueue(concurrency: number): Queue {
  const limit = pLimit(concurrency);
  return (signal, work) =>
    limit(() => {
      signal.throwIfAborted();
      return work();
    });
}
