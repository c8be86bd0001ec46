import type { OperationId } from '../operations/operations.ts';
import type { Faults } from './Faults.ts';
import type { Queue } from './limitConcurrency.ts';
import type { ResultStore } from './ResultStore.ts';
import type { Studio } from './Studio.ts';
import type { FindVoice } from './speech/SystemVoice.ts';
import type { VideoStore } from './video/VideoStore.ts';

/** What the operations work with. */
export interface Workshop {
  readonly key: string;
  /** Of the sandbox's own hosts. */
  readonly ports: Set<number>;
  /** Of a body, in bytes. */
  readonly limits: { readonly json: number; readonly upload: number };
  readonly results: ResultStore;
  /** For uploads while they are looked at, and for speech until it is sent. */
  readonly folder: string;
  readonly videos: VideoStore;
  readonly studio: Studio;
  /** Width and height, in pixels. */
  readonly imageSize: number;
  /** How long an image behind a URL may take to come, in milliseconds. */
  readonly imageFetchMs: number;
  /** One at a time: a large picture takes hundreds of megabytes while it is read. */
  readonly readingQueue: Queue;
  readonly pictureQueue: Queue;
  readonly videoQueue: Queue;
  readonly speechQueue: Queue;
  readonly findVoice: FindVoice;
  readonly videoSeconds: number;
  /** How long a video takes at least, in milliseconds. */
  readonly videoWaitMs: number;
  readonly faults: Faults;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Counts a request that is right and would be paid. */
  readonly accept: (id: OperationId) => void;
}
