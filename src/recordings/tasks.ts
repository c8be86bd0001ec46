/** Recordings whose sound is copied. With `never`, the task only finds out whether there is any sound. */
type Copies = 'ofVideos' | 'always' | 'never';

/** Task of the worker thread; files are absolute paths. */
export type RecordingTask =
  /** Copies the sound of a recording into its own file. */
  | { readonly type: 'takeSound'; readonly file: string; readonly folder: string; readonly copies: Copies }
  /** Copies the sound into files of at most `partBytes` each. */
  | { readonly type: 'cut'; readonly file: string; readonly folder: string; readonly partBytes: number };

/** A file with the sound from `start` to `end`, in seconds of the recording. */
export interface SoundPart {
  readonly file: string;
  readonly bytes: number;
  readonly start: number;
  readonly end: number;
}

export type RecordingResult =
  | { readonly type: 'parts'; readonly parts: readonly SoundPart[] }
  /** The file has no picture, so it can be sent as it is. */
  | { readonly type: 'isSound' }
  /** The file has a picture but no sound. */
  | { readonly type: 'noSound' }
  /** The container or codec cannot be copied; `reason` is for the log. */
  | { readonly type: 'unreadable'; readonly reason: string };

/** Message from the worker. `progress` is sent only while reading advances; `share` is 0 to 1. */
export type RecordingMessage =
  | { readonly type: 'progress'; readonly share: number }
  | { readonly type: 'done'; readonly result: RecordingResult }
  | { readonly type: 'failed'; readonly reason: string };
