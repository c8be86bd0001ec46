/** What a service wrote down of a recording: the part of its answer that goes into files. */
export interface Transcript {
  /** The text, or the subtitle file itself where `subtitles` is set. */
  readonly text: string;
  readonly subtitles: 'srt' | 'vtt' | undefined;
  readonly language: string | undefined;
  /** Seconds. */
  readonly duration: number | undefined;
  readonly segments: readonly Segment[];
}

export interface Segment {
  /** Seconds from the beginning. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly speaker?: string;
}
