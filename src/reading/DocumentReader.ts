import { createHash } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import pLimit from 'p-limit';
import type { Language } from '../documents/Language.ts';
import type { MediaReference } from '../documents/MediaReference.ts';
import type { SpokenBlock } from '../documents/speakableText.ts';
import { MediaError } from '../operations/MediaError.ts';
import { ThreadError, WorkerThreads } from '../workers/WorkerThreads.ts';

/** A document above this length is read only when a person or a program asks for it, in characters. */
export const maxUnaskedLength = 1_000_000;

/** Task of the worker thread. */
export type ReadingTask =
  | {
      readonly type: 'blocks' | 'text' | 'omitted';
      readonly text: string;
      readonly languageId: string;
      readonly path: string;
    }
  | { readonly type: 'references'; readonly text: string; readonly language: Language };

/** 1 MB of dense markup needs 180 MB. */
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
  readonly #threads: WorkerThreads<ReadingTask, unknown>;
  readonly #turn = pLimit(1);
  /** Hashes of the tasks that took too long, which would take as long again with each lens and hover. */
  readonly #slow = new Set<string>();

  constructor({
    deadlineMs = 10_000,
    idleMs = 10_000,
  }: {
    /** Maximum duration of reading one document, in milliseconds. */
    readonly deadlineMs?: number;
    /** How long an idle thread is kept, in milliseconds. */
    readonly idleMs?: number;
  } = {}) {
    this.#deadlineMs = deadlineMs;
    this.#threads = new WorkerThreads({ beside: import.meta.url, file: 'documentWorker', limits, idleMs });
  }

  /** Returns what `spokenBlocks` of the documents does. */
  spokenBlocks(text: string, languageId: string, path = ''): Promise<readonly SpokenBlock[]> {
    return this.#read({ type: 'blocks', text, languageId, path }) as Promise<readonly SpokenBlock[]>;
  }

  /** Returns what `speakableText` of the documents does. */
  speakableText(text: string, languageId: string, path: string): Promise<string> {
    return this.#read({ type: 'text', text, languageId, path }) as Promise<string>;
  }

  /** Returns what `omittedPlaces` of the documents does. */
  omittedPlaces(text: string, languageId: string, path: string): Promise<number> {
    return this.#read({ type: 'omitted', text, languageId, path }) as Promise<number>;
  }

  /** Returns what `findReferences` of the documents does. */
  findReferences(text: string, language: Language): Promise<readonly MediaReference[]> {
    return this.#read({ type: 'references', text, language }) as Promise<readonly MediaReference[]>;
  }

  #read(task: ReadingTask): Promise<unknown> {
    return this.#turn(async () => {
      if (this.#slow.size > 0 && this.#slow.has(hashOf(task))) throw tooSlow();
      try {
        return await this.#threads.run(task, { deadlineMs: this.#deadlineMs });
      } catch (error) {
        if (!(error instanceof ThreadError)) throw error;
        if (error.reason !== 'tooSlow') throw unreadable(error.message);
        this.#slow.add(hashOf(task));
        throw tooSlow();
      }
    });
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
