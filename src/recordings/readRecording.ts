// mediabunny (MPL-2.0, unmodified; 108 kB compressed) copies the sound packet by packet. It runs on a worker thread
// that is ended when the sound stops advancing, and keeps an index in memory: 155 MiB for an hour of video. It does not
// read MPEG program streams; mpegProgram.ts does.

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { RecordingMessage, RecordingResult, RecordingTask } from './tasks.ts';

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** How long the sound may fail to advance before the file counts as unreadable, in milliseconds. */
  readonly quietMs?: number;
  /** @param share 0 to 1 */
  onProgress?(share: number): void;
}

/** A packet of the largest file is read within this time on a slow network drive. */
const standardQuietMs = 20_000;
/** V8 keeps the pages of short-lived objects, so the young generation stays small. The index grows with the duration. */
const limits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 512 } as const;

/**
 * Reads a recording on a thread of its own. Damaged files can make the reader loop for ever, so the thread is ended when
 * the sound has not advanced for a while.
 *
 * @returns `unreadable` also for a file at which the reader failed or stood still
 * @throws the signal's reason
 */
export async function readRecording(
  task: RecordingTask,
  { signal, quietMs = standardQuietMs, onProgress }: ReadOptions,
): Promise<RecordingResult> {
  signal.throwIfAborted();
  // From the sources it is a .ts file, in a bundle a .js file, each beside this one.
  const file = new URL(`./recordingWorker${extname(import.meta.url)}`, import.meta.url);
  // What the reader prints of codecs that it does not know is for nobody.
  const worker = new Worker(file, { name: 'recording', workerData: task, resourceLimits: limits, stderr: true });
  const { promise, resolve, reject } = Promise.withResolvers<RecordingResult>();
  const unreadable = (reason: string) => resolve({ type: 'unreadable', reason });
  const standsStill = () => unreadable(`the sound has not advanced for ${quietMs} ms`);
  let deadline = setTimeout(standsStill, quietMs);
  const cancel = () => reject(signal.reason);
  signal.addEventListener('abort', cancel, { once: true });
  worker.on('message', (message: RecordingMessage) => {
    if (message.type === 'done') return resolve(message.result);
    if (message.type === 'failed') return unreadable(message.reason);
    clearTimeout(deadline);
    deadline = setTimeout(standsStill, quietMs);
    onProgress?.(message.share);
  });
  worker.on('error', (error) => unreadable(String(error)));
  worker.on('exit', () => unreadable('the worker thread ended'));
  try {
    return await promise;
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', cancel);
    await worker.terminate();
  }
}
