/** Lines of text that are shown for a while. */
export interface Cue {
  /** Milliseconds from the beginning, whole. */
  readonly start: number;
  readonly end: number;
  /** Without markup, none empty. */
  readonly lines: readonly string[];
  readonly speaker?: string;
}
