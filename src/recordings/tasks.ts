/** Whose sound is copied; `never`: it is only told whether there is any. */
type Copies = 'ofVideos' | 'always' | 'never';

/** What the worker thread is asked for; files are absolute paths. */
export type RecordingTask =
  /** Copies the sound of a recording into a file of its own. */
  | { readonly type: 'takeSound'; readonly file: string; readonly folder: string; readonly copies: Copies }
  /** Copies the sound into files of at most `partBytes` each. */
  | { readonly type: 'cut'; readonly file: string; readonly folder: string; readonly partBytes: number };

/** A file that holds the sound from `start` to `end`, in seconds of the recording. */
export interface SoundPart {
  readonly file: string;
  readonly bytes: number;
  readonly start: number;
  readonly end: number;
}

export type RecordingResult =
  | { readonly type: 'parts'; readonly parts: readonly SoundPart[] }
  /** There is no picture in it, so the file is its sound. */
  | { readonly type: 'isSound' }
  /** There is a picture and no sound. */
  | { readonly type: 'noSound' }
  /** Its container or codec is not one that can be copied; `reason` is for the log. */
  | { readonly type: 'unreadable'; readonly reason: string };

/** From the worker. `progress` comes only while the sound advances; `share` is 0 to 1. */
export type RecordingMessage =
  | { readonly type: 'progress'; readonly share: number }
  | { readonly type: 'done'; readonly result: RecordingResult }
  | { readonly type: 'failed'; readonly reason: string };
