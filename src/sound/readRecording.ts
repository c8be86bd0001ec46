import { fstat } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

/** Recordings whose sound is copied. With `never`, the task only finds out whether there is any sound. */
type Copies = 'ofVideos' | 'always' | 'never';

interface Task {
  /** Absolute path. */
  readonly file: string;
  /** Descriptor of the file, if it is open already; threads share them. It must stay open until the task ends. */
  readonly fd?: number;
  /** Absolute path of the folder for new files. */
  readonly folder: string;
}

/** Task of the worker thread. */
export type RecordingTask =
  /** Copies the sound of a recording into its own file. */
  | (Task & { readonly type: 'takeSound'; readonly copies: Copies })
  /** Copies the sound into files of at most `partBytes` each. */
  | (Task & { readonly type: 'cut'; readonly partBytes: number })
  /** Finds out how long the sound is. */
  | (Omit<Task, 'folder'> & { readonly type: 'measure' });

/** A file with the sound from `start` to `end`, in seconds of the recording. */
export interface SoundPart {
  readonly file: string;
  readonly bytes: number;
  readonly start: number;
  readonly end: number;
}

export type RecordingResult =
  | { readonly type: 'parts'; readonly parts: readonly SoundPart[] }
  /** The file has no picture, so it can be sent as it is; or it was measured, then in `seconds`. */
  | { readonly type: 'isSound'; readonly seconds?: number }
  /** The file has a picture but no sound. */
  | { readonly type: 'noSound' }
  /** The container or codec cannot be copied; `reason` is for the log. */
  | { readonly type: 'unreadable'; readonly reason: string };

/** Message from the worker. `progress` is sent only while reading advances; `share` is 0 to 1. */
export type RecordingMessage =
  | { readonly type: 'progress'; readonly share: number }
  | { readonly type: 'done'; readonly result: RecordingResult }
  | { readonly type: 'failed'; readonly reason: string };

// mediabunny (MPL-2.0, unmodified; 108 kB compressed) copies the sound packet by packet. It runs on a worker thread
// that is ended when the sound stops advancing, and keeps an index in memory: 155 MiB for an hour of video. It does not
// read MPEG program streams; mpegProgram.ts does.

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Milliseconds without progress after which the file counts as unreadable. */
  readonly quietMs?: number;
  /** @param share 0 to 1 */
  onProgress?(share: number): void;
}

/** Enough to read a packet of the largest file from a slow network drive. */
const defaultQuietMs = 20_000;
/** How long to wait for the thread to end, in milliseconds. It cannot end while a drive does not respond. */
const endingMs = 2000;
/** V8 never returns the pages of its young generation, so keep it small. The index grows with the duration. */
const limits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 512 } as const;

/**
 * Reads a recording on its own thread. A damaged file can make the reader loop forever, so the thread is terminated
 * after some time without progress.
 *
 * @returns `unreadable` also when the reader failed or made no progress
 * @throws the signal's reason
 */
export async function readRecording(
  task: RecordingTask,
  { signal, quietMs = defaultQuietMs, onProgress }: ReadOptions,
): Promise<RecordingResult> {
  signal.throwIfAborted();
  // The worker is beside this file: .ts in the sources, .js in a bundle.
  const file = new URL(`./recordingWorker${extname(import.meta.url)}`, import.meta.url);
  // `stderr: true` hides what the reader prints about unknown codecs.
  const worker = new Worker(file, { name: 'recording', workerData: task, resourceLimits: limits, stderr: true });
  const { promise, resolve, reject } = Promise.withResolvers<RecordingResult>();
  const unreadable = (reason: string) => resolve({ type: 'unreadable', reason });
  const giveUp = () => unreadable(`no progress for ${quietMs} ms`);
  let deadline = setTimeout(giveUp, quietMs);
  const cancel = () => reject(signal.reason);
  signal.addEventListener('abort', cancel, { once: true });
  worker.on('message', (message: RecordingMessage) => {
    if (message.type === 'done') return resolve(message.result);
    if (message.type === 'failed') return unreadable(message.reason);
    clearTimeout(deadline);
    deadline = setTimeout(giveUp, quietMs);
    onProgress?.(message.share);
  });
  worker.on('error', (error) => unreadable(String(error)));
  worker.on('exit', () => unreadable('the worker thread ended'));
  try {
    return await promise;
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', cancel);
    await Promise.race([worker.terminate(), sleep(endingMs, undefined, { ref: false })]);
  }
}

/**
 * Bytes per second of speech in a compressed format. Speech at a lower rate is rare, and no such format takes more than
 * ten times as many.
 */
export const speechBytesPerSecond = 4000;

/** A file that is not measured in this time counts by its size. In milliseconds without progress. */
const measuringQuietMs = 5000;

/**
 * Returns how many minutes a recording counts as, in hundredths and more than 0. A header that claims much less than the
 * bytes can hold is not believed.
 *
 * @param fd descriptor of the file, if it is open already
 * @throws errors of node:fs
 */
export async function recordingMinutes(file: string, fd?: number): Promise<number> {
  const { size } = await (fd === undefined ? stat(file) : promisify(fstat)(fd));
  const options = { signal: new AbortController().signal, quietMs: measuringQuietMs };
  const result = await readRecording({ type: 'measure', file, ...(fd === undefined ? {} : { fd }) }, options);
  const measured = result.type === 'isSound' ? result.seconds : undefined;
  const seconds = measured ?? size / speechBytesPerSecond;
  // Whole milliseconds first, so that 66 s are not 1.11 minutes.
  return Math.max(1, Math.ceil(Math.round(seconds * 1000) / 600)) / 100;
}
