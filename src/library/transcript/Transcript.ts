/** The part of a transcription answer that is saved. */
export interface Transcript {
  /** The text, or the subtitle file if `subtitles` is set. */
  readonly text: string;
  readonly subtitles: 'srt' | 'vtt' | undefined;
  readonly language: string | undefined;
  /** Duration in seconds. */
  readonly duration: number | undefined;
  readonly segments: readonly Segment[];
}

export interface Segment {
  /** Seconds from the start of the recording. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly speaker?: string;
}

/** One subtitle. */
export interface Cue {
  /** Milliseconds from the start, as an integer. */
  readonly start: number;
  readonly end: number;
  /** Non-empty lines without markup. */
  readonly lines: readonly string[];
  readonly speaker?: string;
}
