import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { UnreadablePicture } from '../images/codecs/UnreadablePicture.ts';
import type { TaskInput, TaskMessage, TaskName, TaskOutput, TaskReply } from './studio/tasks.ts';

/** A task that the worker has not answered yet. */
interface Open {
  readonly message: TaskMessage;
  settle(reply: TaskReply): void;
}

export interface StudioOptions {
  /** How long an idle worker is kept, in milliseconds; its memory goes with it. */
  readonly idleMs?: number;
  /** How long a picture may take to be read, in milliseconds. */
  readonly readingMs?: number;
}

/** V8 does not give back the pages of short-lived objects, not even when their thread has ended: few shall do. */
const youngMebibytes = 4;

/**
 * Does the heavy work on a thread of its own, so that the thread that serves, in VS Code the extension host's, is never
 * held up. The thread starts with the first task and ends some time after the last.
 */
export class Studio {
  readonly #options: Required<StudioOptions>;
  readonly #open = new Map<number, Open>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor(options: StudioOptions = {}) {
    this.#options = { idleMs: 5000, readingMs: 20_000, ...options };
  }

  /**
   * @throws the signal's reason when it aborts; UnreadablePicture when a picture given cannot be read; Error when the
   * work failed
   */
  async run<Name extends TaskName>(name: Name, input: TaskInput<Name>, signal: AbortSignal): Promise<TaskOutput<Name>> {
    signal.throwIfAborted();
    clearTimeout(this.#idle);
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<TaskReply>();
    const message: TaskMessage = { type: 'start', id, name, input };
    this.#open.set(id, { message, settle: resolve });
    const cancel = (): void => {
      this.#worker?.postMessage({ type: 'cancel', id } satisfies TaskMessage);
      resolve({ id, type: 'failed', problem: 'It is no longer wanted.' });
    };
    signal.addEventListener('abort', cancel, { once: true });
    // A file made to be slow must not hold up everyone else's work for good.
    const limit = name === 'readPicture' ? setTimeout(() => this.#giveUp(id), this.#options.readingMs) : undefined;
    try {
      this.#work().postMessage(message);
      return outputOf<Name>(await promise, signal);
    } finally {
      clearTimeout(limit);
      signal.removeEventListener('abort', cancel);
      this.#open.delete(id);
      this.#rest();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    if (worker) this.#fail(worker, 'The worker thread was ended.');
    await worker?.terminate();
  }

  #work(): Worker {
    if (this.#worker) return this.#worker;
    // From the sources it is a .ts file, in a bundle a .js file, each beside this one.
    const file = new URL(`./sandboxWorker${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(file, { name: 'sandbox', resourceLimits: { maxYoungGenerationSizeMb: youngMebibytes } });
    // Whoever waits for a task is kept alive by the connection.
    worker.unref();
    worker.on('message', (reply: TaskReply) => this.#open.get(reply.id)?.settle(reply));
    worker.on('error', (error) => this.#fail(worker, String(error)));
    worker.on('exit', () => this.#fail(worker, 'The worker thread ended.'));
    this.#worker = worker;
    return worker;
  }

  /** All that it had to do is lost with a worker. */
  #fail(worker: Worker, problem: string): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    for (const [id, { settle }] of this.#open) settle({ id, type: 'failed', problem });
  }

  /** Ends the worker, the only way to stop a decoder, and starts everything else again on a new one. */
  #giveUp(id: number): void {
    const slow = this.#worker;
    this.#worker = undefined;
    void slow?.terminate();
    this.#open.get(id)?.settle({ id, type: 'unreadable', problem: 'takes too long to read' });
    this.#open.delete(id);
    for (const { message } of this.#open.values()) this.#work().postMessage(message);
  }

  #rest(): void {
    if (this.#open.size > 0 || !this.#worker) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.close(), this.#options.idleMs);
    this.#idle.unref();
  }
}

function outputOf<Name extends TaskName>(reply: TaskReply, signal: AbortSignal): TaskOutput<Name> {
  signal.throwIfAborted();
  // The worker answers with what the task of this name made.
  if (reply.type === 'done') return reply.output as TaskOutput<Name>;
  throw reply.type === 'unreadable' ? new UnreadablePicture('damaged', reply.problem) : new Error(reply.problem);
}
