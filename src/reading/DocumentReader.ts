import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as l10n from '@vscode/l10n';
import type { Language } from '../documents/Language.ts';
import type { MediaReference } from '../documents/MediaReference.ts';
import { MediaError } from '../operations/MediaError.ts';

/** A document above this length is read only when a person or a program asks for it, in characters. */
export const maxUnaskedLength = 1_000_000;

/** Task of the worker thread. */
export type ReadingTask =
  | { readonly type: 'blocks' | 'text'; readonly text: string; readonly languageId: string; readonly path: string }
  | { readonly type: 'references'; readonly text: string; readonly language: Language };

export type ReadingReply =
  | { readonly type: 'done'; readonly result: unknown }
  | { readonly type: 'failed'; readonly reason: string };

export interface ReaderOptions {
  /** Maximum duration of reading one document, in milliseconds. */
  readonly deadlineMs?: number;
  /** How long an idle thread is kept, in milliseconds. */
  readonly idleMs?: number;
}

/** V8 never returns the pages of its young generation, so keep it small. 1 MB of dense markup needs 180 MB. */
const limits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 1024 } as const;

/**
 * Reads documents on a worker thread, because whoever wrote a document also decides how long reading it takes. At the
 * deadline the thread is terminated. The thread starts with the first document, reads one at a time, and ends after an
 * idle time, so a reader needs no disposal.
 *
 * All its methods throw MediaError `invalidInput` when reading took too long or failed.
 */
export class DocumentReader {
  readonly #deadlineMs: number;
  readonly #idleMs: number;
  /** Hashes of the tasks that took too long, which would take as long again with each lens and hover. */
  readonly #slow = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({ deadlineMs = 10_000, idleMs = 10_000 }: ReaderOptions = {}) {
    this.#deadlineMs = deadlineMs;
    this.#idleMs = idleMs;
  }

  /** Returns what `spokenBlocks` of the documents does. */
  spokenBlocks(text: string, languageId: string, path = ''): Promise<readonly string[]> {
    return this.#read({ type: 'blocks', text, languageId, path }) as Promise<readonly string[]>;
  }

  /** Returns what `speakableText` of the documents does. */
  speakableText(text: string, languageId: string, path = ''): Promise<string> {
    return this.#read({ type: 'text', text, languageId, path }) as Promise<string>;
  }

  /** Returns what `findReferences` of the documents does. */
  findReferences(text: string, language: Language): Promise<readonly MediaReference[]> {
    return this.#read({ type: 'references', text, language }) as Promise<readonly MediaReference[]>;
  }

  #read(task: ReadingTask): Promise<unknown> {
    const read = this.#turn.then(() => {
      if (this.#slow.size > 0 && this.#slow.has(hashOf(task))) throw tooSlow();
      return this.#next(task);
    });
    this.#turn = read.catch(() => undefined);
    return read;
  }

  async #next(task: ReadingTask): Promise<unknown> {
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    worker.ref();
    worker.postMessage(task);
    const deadline = AbortSignal.timeout(this.#deadlineMs);
    const answered = new AbortController();
    const until = { signal: AbortSignal.any([deadline, answered.signal]) };
    const ended = once(worker, 'exit', until).then(() => Promise.reject(new Error('the worker thread ended')));
    try {
      const [reply] = (await Promise.race([once(worker, 'message', until), ended])) as [ReadingReply];
      if (reply.type === 'failed') throw unreadable(reply.reason);
      return reply.result;
    } catch (error) {
      if (error instanceof MediaError) throw error;
      this.#worker = undefined;
      void worker.terminate();
      if (!deadline.aborted) throw unreadable(String(error));
      this.#slow.add(hashOf(task));
      throw tooSlow();
    } finally {
      answered.abort();
      worker.unref();
      this.#idle = setTimeout(() => this.#close(), this.#idleMs).unref();
    }
  }

  #close(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  #start(): Worker {
    // The worker lies beside this file: as .ts in the sources, as .js in the bundle.
    const file = new URL(`./documentWorker${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(file, { name: 'documents', resourceLimits: limits });
    // An error after the deadline is irrelevant and must not end the process.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }
}

function hashOf(task: ReadingTask): string {
  return createHash('sha256').update(JSON.stringify(task)).digest('base64');
}

function tooSlow(): MediaError {
  const sentence = l10n.t('Reading the document took too long and was stopped. Simplify its markup, or split it.');
  return new MediaError('invalidInput', sentence, { field: 'document' });
}

function unreadable(reason: string): MediaError {
  return new MediaError('invalidInput', l10n.t('The document could not be read: {0}', reason), { field: 'document' });
}
