/** What a service recognised in a recording. */
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
