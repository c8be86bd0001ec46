import pLimit from 'p-limit';
import { UnreadablePicture } from '../images/codecs/pictureFile.ts';
import { ThreadError, WorkerThreads } from '../workers/WorkerThreads.ts';
import type { RenderResult, RenderTask, TaskInput, TaskName, TaskOutput } from './sandboxWorker.ts';

/**
 * Decodes, paints and encodes on worker threads, so that the serving thread (VS Code's extension host) is never blocked.
 * There are two, so that pictures need not wait for a video.
 */
export class RenderWorker {
  readonly #threads: WorkerThreads<RenderTask, RenderResult>;
  readonly #turn = pLimit(2);
  readonly #readingMs: number;
  #closing = new AbortController();

  constructor({
    idleMs = 5000,
    readingMs = 20_000,
  }: {
    /** How long an idle thread is kept, in milliseconds. Ending it frees its memory. */
    readonly idleMs?: number;
    /** Timeout for decoding a picture, in milliseconds. */
    readonly readingMs?: number;
  } = {}) {
    const limits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 256 };
    this.#threads = new WorkerThreads({ beside: import.meta.url, file: 'sandboxWorker', limits, idleMs });
    this.#readingMs = readingMs;
  }

  /**
   * @throws the signal's reason when it aborts; UnreadablePicture if an input picture cannot be decoded; Error if the
   * task fails
   */
  async run<Name extends TaskName>(name: Name, input: TaskInput<Name>, signal: AbortSignal): Promise<TaskOutput<Name>> {
    const stopping = AbortSignal.any([signal, this.#closing.signal]);
    const isReading = name === 'readPicture';
    // A file crafted to decode slowly must not block all other tasks.
    const limits = { signal: stopping, deadlineMs: isReading ? this.#readingMs : undefined };
    const result = await this.#turn(() => this.#threads.run({ name, input }, limits)).catch((error: unknown) => {
      const problem = isReading && error instanceof ThreadError ? unreadableProblems[error.reason] : undefined;
      throw problem === undefined ? error : new UnreadablePicture('damaged', problem);
    });
    if (result.type === 'unreadable') throw new UnreadablePicture('damaged', result.problem);
    // The worker replies with the output of the task of this name.
    return result.output as TaskOutput<Name>;
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The render worker was closed.'));
    this.#closing = new AbortController();
    await this.#threads.close();
  }
}

const unreadableProblems: Partial<Readonly<Record<ThreadError['reason'], string>>> = {
  tooSlow: 'takes too long to read',
  tooMuchMemory: 'takes too much memory to read',
};
