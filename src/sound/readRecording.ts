import { fstat } from 'node:fs';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { ThreadError, WorkerThreads } from '../workers/WorkerThreads.ts';
import type { Clock } from './Clock.ts';

/** Recordings whose sound is copied. With `never`, the task only finds out whether there is any sound. */
type Copies = 'ofVideos' | 'always' | 'never';

interface Task {
  /** Absolute path. */
  readonly file: string;
  /** Descriptor of the file, if it is open already; threads share them. It must stay open until the task ends. */
  readonly fd?: number;
  /** Absolute path of the folder for new files. */
  readonly folder: string;
  /** The sound track to copy, from 1; default: the best one. */
  readonly track?: number;
}

/** Task of the worker thread. */
export type RecordingTask =
  /** Copies the sound of a recording into its own file. */
  | (Task & { readonly type: 'takeSound'; readonly copies: Copies })
  /** Copies the sound into files of at most `partBytes` each. */
  | (Task & { readonly type: 'cut'; readonly partBytes: number })
  /** Finds the sound tracks that may be meant. */
  | (Pick<Task, 'file' | 'fd'> & { readonly type: 'tracks' })
  /** Finds out how long the sound is, without believing its header. */
  | (Pick<Task, 'file' | 'fd'> & { readonly type: 'measure' })
  /** Reads the length of a recording or video, what its sound is, and the size of its picture. */
  | (Pick<Task, 'file' | 'fd'> & { readonly type: 'examine' })
  /** Measures the loudness of a recording of `seconds` for a waveform. */
  | (Pick<Task, 'file' | 'fd'> & { readonly type: 'peaks'; readonly seconds: number });

/** A file with the sound from `start` to `end`, in seconds as the file of the recording counts. */
export interface SoundPart {
  readonly file: string;
  readonly bytes: number;
  readonly start: number;
  readonly end: number;
  /** How long this file is heard. */
  readonly seconds: number;
  /** From the time of this file to that of the recording as it plays. */
  readonly clock: Clock;
}

/** A recording without sound, or one that cannot be read or copied; that `reason` is for the log. */
type NoSound = { readonly type: 'noSound' } | { readonly type: 'unreadable'; readonly reason: string };

/** `isSound`: the file has no picture and one sound track, so it can be sent as it is. */
export type CopiedSound =
  | {
      readonly type: 'parts';
      readonly parts: readonly SoundPart[];
      /** Seconds that the recording says to have, but has lost. */
      readonly missing?: number;
      /** Number of sound tracks, of which the first was taken because there is no choice. */
      readonly firstOf?: number;
    }
  | { readonly type: 'isSound' }
  | NoSound;

/** A sound track, as a recording describes it. */
export interface TrackFacts {
  /** Its place among the sound tracks, from 1. */
  readonly number: number;
  /** A code of ISO 639 or a tag of BCP 47. */
  readonly language?: string;
  readonly name?: string;
  readonly seconds?: number;
}

/** What a recording says about its sound. */
export interface SoundFacts {
  /** A name for people. */
  readonly codec: string;
  readonly seconds: number;
  readonly channels: number;
  readonly sampleRate: number;
}

/** What each task returns. */
export interface RecordingResults {
  readonly takeSound: CopiedSound;
  readonly cut: CopiedSound;
  /** The tracks that may be meant, the best first; none if there is only one sound track, or no fitting one. */
  readonly tracks:
    | { readonly type: 'tracks'; readonly count: number; readonly tracks: readonly TrackFacts[] }
    | NoSound;
  readonly measure: { readonly type: 'measured'; readonly seconds: number; readonly isUpperBound: boolean } | NoSound;
  readonly examine:
    | {
        readonly type: 'examined';
        readonly seconds: number;
        /** Undefined without sound. */
        readonly sound: SoundFacts | undefined;
        /** In pixels, turned as it is shown; undefined without a picture. */
        readonly size: { readonly width: number; readonly height: number } | undefined;
      }
    | NoSound;
  /** Loudness in percent, at even distances from the start to the end. */
  readonly peaks: { readonly type: 'peaks'; readonly peaks: readonly number[] } | NoSound;
}

export type RecordingResult = RecordingResults[RecordingTask['type']];

// mediabunny (MPL-2.0, unmodified; 108 kB compressed) copies the sound packet by packet. It runs on a worker thread
// that is ended when the sound stops advancing, and keeps an index in memory: 155 MiB for an hour of video. It does not
// read MPEG program streams; copySound.ts does.

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Milliseconds without progress after which the file counts as unreadable. */
  readonly quietMs?: number;
  /** @param share 0 to 1 */
  readonly onProgress?: (share: number) => void;
}

/** Enough to read a packet of the largest file from a slow network drive. */
const defaultQuietMs = 20_000;

/** Threads that read recordings, each one recording at a time. The index of the reader grows with the duration. */
const threads = new WorkerThreads<RecordingTask, RecordingResult>({
  beside: import.meta.url,
  file: 'recordingWorker',
  limits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 512 },
  idleMs: 10_000,
});

/**
 * Reads a recording on a worker thread. A damaged file can make the reader loop forever, so the thread is terminated
 * after some time without progress.
 *
 * @returns `unreadable` also when the reader failed or made no progress
 * @throws the signal's reason
 */
export async function readRecording<Given extends RecordingTask>(
  task: Given,
  { signal, quietMs = defaultQuietMs, onProgress }: ReadOptions,
): Promise<RecordingResults[Given['type']] | NoSound> {
  try {
    // The worker answers each type of task with its own type of result.
    return (await threads.run(task, { signal, quietMs, onProgress })) as RecordingResults[Given['type']];
  } catch (error) {
    if (error instanceof ThreadError) return { type: 'unreadable', reason: error.message };
    throw error;
  }
}

/**
 * Bytes per second of speech in a compressed format. Speech at a lower rate is rare, and no such format takes more than
 * ten times as many.
 */
export const speechBytesPerSecond = 4000;

/** A file that is not measured in this time counts by its size. In milliseconds without progress. */
const measuringQuietMs = 5000;

/** What a recording counts as. */
export interface RecordingLength {
  /** In hundredths, and more than 0. */
  readonly minutes: number;
  /** Set if the minutes are an upper bound. */
  readonly minutesAtMost?: true;
}

/**
 * Returns how many minutes a recording counts as. A header that claims much less than the bytes can hold is not believed:
 * then the bytes give an upper bound.
 *
 * @param fd descriptor of the file, if it is open already
 * @throws errors of node:fs
 */
export async function recordingMinutes(file: string, fd?: number): Promise<RecordingLength> {
  const { size } = await (fd === undefined ? stat(file) : promisify(fstat)(fd));
  const options = { signal: new AbortController().signal, quietMs: measuringQuietMs };
  const result = await readRecording({ type: 'measure', file, fd }, options);
  const bySize = { seconds: size / speechBytesPerSecond, isUpperBound: true };
  const { seconds, isUpperBound } = result.type === 'measured' ? result : bySize;
  // Whole milliseconds first, so that 66 s are not 1.11 minutes.
  const minutes = Math.max(1, Math.ceil(Math.round(seconds * 1000) / 600)) / 100;
  return { minutes, ...(isUpperBound ? { minutesAtMost: true } : {}) };
}
