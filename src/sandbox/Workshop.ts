import type { OperationId } from '../operations/operations.ts';
import type { Queue } from './limitConcurrency.ts';
import type { ResultStore } from './ResultStore.ts';
import type { FindVoice } from './speech/SystemVoice.ts';
import type { VideoStore } from './video/VideoStore.ts';

/** What the operations work with. */
export interface Workshop {
  readonly key: string;
  /** Of a body, in bytes. */
  readonly limits: { readonly json: number; readonly upload: number };
  readonly results: ResultStore;
  /** For uploads while they are looked at, and for speech until it is sent. */
  readonly folder: string;
  readonly videos: VideoStore;
  readonly pictureQueue: Queue;
  readonly videoQueue: Queue;
  readonly speechQueue: Queue;
  readonly findVoice: FindVoice;
  readonly videoSeconds: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Counts a request that is right and would be paid. */
  readonly accept: (id: OperationId) => void;
}
