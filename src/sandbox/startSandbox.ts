import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { OperationId } from '../operations/operations.ts';
import { operationIds } from '../operations/operations.ts';
import { createWorkFolder } from './createWorkFolder.ts';
import { Faults } from './Faults.ts';
import type { Hosts, Listener, Ports } from './http/openHosts.ts';
import { openHosts } from './http/openHosts.ts';
import { limitConcurrency } from './limitConcurrency.ts';
import { ResultStore } from './ResultStore.ts';
import { Studio } from './Studio.ts';
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
  /** One port for all three hosts, or one for each; 0 is any free one. Three free ones if not given. */
  readonly ports?: Ports | undefined;
  /** How long a result's URL works, in milliseconds; an hour if not given. */
  readonly resultLifetimeMs?: number | undefined;
  /** Largest JSON body, in bytes; 64 MiB if not given. */
  readonly maxJsonBytes?: number | undefined;
  /** Largest upload, in bytes; 64 MiB if not given. */
  readonly maxUploadBytes?: number | undefined;
  /** Width and height of its images, in pixels; 1024 if not given. */
  readonly imageSize?: number | undefined;
  /** How long an input image behind a URL may take to come, in milliseconds; 20 seconds if not given. */
  readonly imageFetchMs?: number | undefined;
  /** How long its videos are; 3 if not given. */
  readonly videoSeconds?: number | undefined;
  /** How long a video takes at least, in milliseconds, so that waiting can be seen; 3 seconds if not given. */
  readonly videoWaitMs?: number | undefined;
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
  readonly faults: Faults;
  /** Closes every connection and removes the temporary files. */
  stop(): Promise<void>;
}

const mebibyte = 2 ** 20;
const hour = 3_600_000;
const freePorts: Ports = { image: 0, audio: 0, video: 0 };

/**
 * Serves the media API on 127.0.0.1.
 *
 * @throws the error of node:net when the port is taken, of node:fs when the storage cannot be written
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { key = randomBytes(24).toString('base64url'), now = Date.now, storage } = options;
  const workFolder = await createWorkFolder(storage);
  const folder = workFolder.path;
  const counts = noCounts();
  const results = new ResultStore({ folder, now, lifetimeMs: options.resultLifetimeMs ?? hour });
  let voice: Promise<SystemVoice | undefined> | undefined;
  const workshop: Workshop = {
    key,
    now,
    folder,
    ports: new Set(),
    limits: { json: options.maxJsonBytes ?? 64 * mebibyte, upload: options.maxUploadBytes ?? 64 * mebibyte },
    results,
    faults: new Faults(() => results.expireAll()),
    videos: new VideoStore(join(storage ?? folder, 'videos')),
    studio: new Studio(),
    imageSize: options.imageSize ?? 1024,
    imageFetchMs: options.imageFetchMs ?? 20_000,
    readingQueue: limitConcurrency(1),
    pictureQueue: limitConcurrency(2),
    videoQueue: limitConcurrency(1),
    speechQueue: limitConcurrency(2),
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
    const work = serveRequest(request, response, areas, workshop).finally(() => working.delete(work));
    working.add(work);
  };
  const stop = async (hosts?: Hosts): Promise<void> => {
    await hosts?.close();
    await Promise.all(working);
    results.close();
    await workshop.studio.close();
    await workFolder[Symbol.asyncDispose]();
  };
  try {
    const hosts = await openHosts(options.ports ?? freePorts, listener);
    for (const area of ['image', 'audio', 'video'] as const) workshop.ports.add(hosts.ports[area]);
    return {
      imageBaseUrl: `http://127.0.0.1:${hosts.ports.image}`,
      audioBaseUrl: `http://127.0.0.1:${hosts.ports.audio}`,
      videoBaseUrl: `http://127.0.0.1:${hosts.ports.video}`,
      key,
      counts,
      faults: workshop.faults,
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
