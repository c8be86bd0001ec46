import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OperationId } from '../operations/operations.ts';
import type { Faults } from './Faults.ts';
import type { RenderWorker } from './RenderWorker.ts';
import type { ResultStore } from './ResultStore.ts';
import type { FindVoice } from './speech/SystemVoice.ts';
import type { VideoStore } from './video/VideoStore.ts';

/** Runs `work` as soon as its queue allows, unless the signal has aborted by then. @throws the signal's reason */
export type Queue = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/** What all handlers of one sandbox share. */
export interface SandboxContext {
  readonly key: string;
  /** Ports of the sandbox's own hosts. */
  readonly ports: Set<number>;
  /** Maximum request body sizes, in bytes. */
  readonly maxBytes: { readonly json: number; readonly upload: number };
  readonly results: ResultStore;
  /** Folder for temporary files: uploads being read, speech being sent. */
  readonly folder: string;
  readonly videos: VideoStore;
  readonly renderWorker: RenderWorker;
  /** Width and height of generated images, in pixels. */
  readonly imageSize: number;
  /** Timeout for fetching an image from a URL, in milliseconds. */
  readonly imageFetchMs: number;
  /** Allows one picture at a time: a large one takes hundreds of megabytes while it is decoded. */
  readonly readingQueue: Queue;
  readonly pictureQueue: Queue;
  readonly videoQueue: Queue;
  readonly speechQueue: Queue;
  readonly findVoice: FindVoice;
  readonly videoSeconds: number;
  /** Minimum time that a video takes, in milliseconds. */
  readonly videoWaitMs: number;
  readonly faults: Faults;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Counts a valid request, which a real service would bill. */
  readonly accept: (id: OperationId) => void;
}

/** One HTTP request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Origin that the client used; result URLs start with it. */
  readonly origin: string;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}
