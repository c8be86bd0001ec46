import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';

/**
 * Why a task has no result.
 * - `tooSlow`: its deadline passed, or it reported no progress for too long
 * - `tooMuchMemory`: the heap of its thread was full
 * - `ended`: its thread ended
 * - `failed`: the task threw; the message is that of its error
 */
export class ThreadError extends Error {
  readonly reason: 'tooSlow' | 'tooMuchMemory' | 'ended' | 'failed';

  constructor(reason: ThreadError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface ThreadSettings {
  /** Address of the module that lies beside the worker's file. */
  readonly beside: string;
  /** Name of the worker's file, without extension. The file calls `answerTasks`. */
  readonly file: string;
  /**
   * Limits of the heap. Array buffers and WebAssembly lie outside of it. V8 never returns the pages of its young
   * generation, not even when the thread ends, so keep it small.
   */
  readonly limits: ResourceLimits;
  /** How long an idle thread is kept, in milliseconds. Default: a thread ends after its task. */
  readonly idleMs?: number;
}

export interface TaskLimits {
  /** Ends the task; the call rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Maximum duration in milliseconds, including the start of a thread. */
  readonly deadlineMs?: number;
  /** Maximum time without progress, in milliseconds, not including the start of a thread. */
  readonly quietMs?: number;
  /** @param share 0 to 1 */
  readonly onProgress?: (share: number) => void;
}

type WorkerMessage<Result> =
  | { readonly type: 'started' }
  | { readonly type: 'progress'; readonly share: number }
  | { readonly type: 'done'; readonly result: Result }
  | { readonly type: 'failed'; readonly reason: string };

/** How long to wait for a thread to end, in milliseconds. It cannot end while a drive does not respond. */
const endingMs = 2000;

/**
 * Worker threads for tasks that may take long, forever, or too much memory. Each thread performs one task at a time, and
 * terminating it is the only way to stop a task. A thread starts when a task needs it and ends after an idle time, so
 * nobody needs to dispose of it.
 */
export class WorkerThreads<Task, Result> {
  readonly #settings: ThreadSettings;
  readonly #all = new Set<Worker>();
  readonly #idle = new Map<Worker, NodeJS.Timeout>();

  constructor(settings: ThreadSettings) {
    this.#settings = settings;
  }

  /**
   * Performs a task on an idle thread, or on a new one. When it settles, no thread works on the task any more.
   *
   * @throws ThreadError; the signal's reason
   */
  async run(task: Task, { signal, deadlineMs, quietMs, onProgress }: TaskLimits = {}): Promise<Result> {
    signal?.throwIfAborted();
    const thread = this.#takeIdle() ?? this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const stopAfter = (ms: number | undefined, message: string) =>
      ms === undefined ? undefined : setTimeout(() => reject(new ThreadError('tooSlow', message)), ms);
    let quiet: NodeJS.Timeout | undefined;
    const deadline = stopAfter(deadlineMs, `no result after ${deadlineMs} ms`);
    const cancel = () => reject(signal?.reason);
    signal?.addEventListener('abort', cancel, { once: true });
    let isReusable = false;
    const take = (message: WorkerMessage<Result>) => {
      if (message.type === 'started') {
        // Not before: on a busy computer a thread needs seconds to start, and every file would count as unreadable.
        quiet = stopAfter(quietMs, `no progress for ${quietMs} ms`);
        return;
      }
      if (message.type === 'progress') {
        quiet?.refresh();
        onProgress?.(message.share);
        return;
      }
      isReusable = this.#settings.idleMs !== undefined;
      if (message.type === 'done') resolve(message.result);
      else reject(new ThreadError('failed', message.reason));
    };
    const fail = (error: Error) => {
      const isFull = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      reject(new ThreadError(isFull ? 'tooMuchMemory' : 'ended', String(error)));
    };
    const end = () => reject(new ThreadError('ended', 'the worker thread ended'));
    thread.on('message', take).on('error', fail).on('exit', end);
    try {
      thread.postMessage(task);
      return await promise;
    } finally {
      clearTimeout(quiet);
      clearTimeout(deadline);
      signal?.removeEventListener('abort', cancel);
      thread.off('message', take).off('error', fail).off('exit', end);
      if (isReusable && this.#all.has(thread)) this.#keep(thread);
      else await endOf(thread);
    }
  }

  /** Ends all threads. Their tasks reject; later ones start new threads. */
  async close(): Promise<void> {
    await Promise.all([...this.#all].map(endOf));
  }

  #start(): Worker {
    const { beside, file, limits } = this.#settings;
    // The file is .ts in the sources and .js in a bundle.
    const url = new URL(`./${file}${extname(beside)}`, beside);
    const thread = new Worker(url, { name: file, resourceLimits: limits, stderr: true });
    // Libraries print about what they cannot read.
    thread.stderr.resume();
    // An error after its task is irrelevant and must not end the process.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      this.#all.delete(thread);
      clearTimeout(this.#idle.get(thread));
      this.#idle.delete(thread);
    });
    this.#all.add(thread);
    return thread;
  }

  #takeIdle(): Worker | undefined {
    const [found] = this.#idle;
    if (!found) return undefined;
    const [thread, timer] = found;
    clearTimeout(timer);
    this.#idle.delete(thread);
    thread.ref();
    return thread;
  }

  #keep(thread: Worker): void {
    thread.unref();
    this.#idle.set(
      thread,
      setTimeout(() => {
        this.#idle.delete(thread);
        void thread.terminate();
      }, this.#settings.idleMs).unref(),
    );
  }
}

async function endOf(thread: Worker): Promise<void> {
  await Promise.race([thread.terminate(), sleep(endingMs, undefined, { ref: false })]);
}

/**
 * Answers the tasks that `WorkerThreads` posts to this thread, one at a time.
 *
 * @param perform resets the quiet time of the task with each report of progress
 * @param transfersOf returns what a result gives away instead of copying it
 */
export function answerTasks<Task, Result>(
  perform: (task: Task, onProgress: (share: number) => void) => Promise<Result> | Result,
  transfersOf: (result: Result) => readonly Transferable[] = () => [],
): void {
  const post = (message: WorkerMessage<Result>, transfers: readonly Transferable[] = []) =>
    parentPort?.postMessage(message, transfers);
  parentPort?.on('message', async (task: Task) => {
    post({ type: 'started' });
    try {
      const result = await perform(task, (share) => post({ type: 'progress', share }));
      post({ type: 'done', result }, transfersOf(result));
    } catch (error) {
      post({ type: 'failed', reason: error instanceof Error ? error.message : String(error) });
    }
  });
}
