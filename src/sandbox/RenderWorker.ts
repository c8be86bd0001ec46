import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { UnreadablePicture } from '../images/codecs/pictureFile.ts';
import type { TaskInput, TaskMessage, TaskName, TaskOutput, TaskReply } from './renderTasks.ts';

/** A task that the worker has not completed yet. */
interface PendingTask {
  readonly message: TaskMessage;
  settle(reply: TaskReply): void;
}

export interface RenderWorkerOptions {
  /** How long an idle thread is kept, in milliseconds. Ending it frees its memory. */
  readonly idleMs?: number;
  /** Timeout for decoding a picture, in milliseconds. */
  readonly readingMs?: number;
}

/**
 * Limits of the JavaScript heap in MiB; pixels lie outside of it. V8 never returns the pages of its young generation, not
 * even when the thread ends, so keep it small.
 */
const heap = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 256 } as const;

/**
 * Decodes, paints and encodes on a worker thread, so that the serving thread (VS Code's extension host) is never blocked.
 * The thread starts with the first task and ends after an idle time.
 */
export class RenderWorker {
  readonly #options: Required<RenderWorkerOptions>;
  readonly #pending = new Map<number, PendingTask>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor(options: RenderWorkerOptions = {}) {
    this.#options = { idleMs: 5000, readingMs: 20_000, ...options };
  }

  /**
   * @throws the signal's reason when it aborts; UnreadablePicture if an input picture cannot be decoded; Error if the
   * task fails
   */
  async run<Name extends TaskName>(name: Name, input: TaskInput<Name>, signal: AbortSignal): Promise<TaskOutput<Name>> {
    signal.throwIfAborted();
    clearTimeout(this.#idle);
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<TaskReply>();
    const message: TaskMessage = { type: 'start', id, name, input };
    this.#pending.set(id, { message, settle: resolve });
    const cancel = (): void => {
      this.#worker?.postMessage({ type: 'cancel', id } satisfies TaskMessage);
      resolve({ id, type: 'failed', problem: 'The task was cancelled.' });
    };
    signal.addEventListener('abort', cancel, { once: true });
    // A file crafted to decode slowly must not block all other tasks.
    const limit =
      name === 'readPicture'
        ? setTimeout(() => this.#replaceWorker([id], 'takes too long to read'), this.#options.readingMs)
        : undefined;
    try {
      this.#startWorker().postMessage(message);
      return outputOf<Name>(await promise, signal);
    } finally {
      clearTimeout(limit);
      signal.removeEventListener('abort', cancel);
      this.#pending.delete(id);
      this.#scheduleClose();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    if (worker) this.#fail(worker, 'The render worker was closed.');
    await worker?.terminate();
  }

  #startWorker(): Worker {
    if (this.#worker) return this.#worker;
    // The worker's file lies beside this one: .ts in the sources, .js in the bundle.
    const file = new URL(`./sandboxWorker${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(file, { name: 'sandbox', resourceLimits: heap });
    // The open connection keeps the process alive while a task runs.
    worker.unref();
    worker.on('message', (reply: TaskReply) => this.#pending.get(reply.id)?.settle(reply));
    worker.on('error', (error) => {
      if (worker === this.#worker && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
        const reading = [...this.#pending.values()].filter(({ message }) => isReading(message));
        if (reading.length > 0)
          return this.#replaceWorker(
            reading.map(({ message }) => message.id),
            'takes too much memory to read',
          );
      }
      this.#fail(worker, String(error));
    });
    worker.on('exit', () => this.#fail(worker, 'The render worker exited.'));
    this.#worker = worker;
    return worker;
  }

  /** Fails all pending tasks of a worker that has ended. */
  #fail(worker: Worker, problem: string): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    for (const [id, { settle }] of this.#pending) settle({ id, type: 'failed', problem });
  }

  /** Terminates the worker, the only way to stop a decoder, and restarts all tasks but the unreadable ones on a new one. */
  #replaceWorker(unreadable: readonly number[], problem: string): void {
    const stopped = this.#worker;
    this.#worker = undefined;
    void stopped?.terminate();
    for (const id of unreadable) {
      this.#pending.get(id)?.settle({ id, type: 'unreadable', problem });
      this.#pending.delete(id);
    }
    for (const { message } of this.#pending.values()) this.#startWorker().postMessage(message);
  }

  #scheduleClose(): void {
    if (this.#pending.size > 0 || !this.#worker) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.close(), this.#options.idleMs);
    this.#idle.unref();
  }
}

function isReading(message: TaskMessage): boolean {
  return message.type === 'start' && message.name === 'readPicture';
}

function outputOf<Name extends TaskName>(reply: TaskReply, signal: AbortSignal): TaskOutput<Name> {
  signal.throwIfAborted();
  // The worker replies with the output of the task of this name.
  if (reply.type === 'done') return reply.output as TaskOutput<Name>;
  throw reply.type === 'unreadable' ? new UnreadablePicture('damaged', reply.problem) : new Error(reply.problem);
}
