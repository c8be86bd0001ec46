import type { Segment } from '../../operations/Transcript.ts';
import { wrapLines } from './wrapLines.ts';

/** One subtitle. */
export interface Cue {
  /** Milliseconds from the start, as an integer. */
  readonly start: number;
  readonly end: number;
  /** Non-empty lines without markup. */
  readonly lines: readonly string[];
  readonly speaker?: string;
}

const linesInCue = 2;
export const minCueMs = 100;

/**
 * Converts segments to cues of at most two lines, in order, without overlaps and at least 0.1 s long, whatever times
 * the service sent. Splits a long segment into several cues, and its time in proportion to the text.
 *
 * @param showsSpeakers whether to put a new speaker's name into the text
 */
export function cuesOf(segments: readonly Segment[], showsSpeakers: boolean): readonly Cue[] {
  const ordered = segments
    .map((segment) => ({ ...segment, start: milliseconds(segment.start), end: milliseconds(segment.end) }))
    .sort((one, other) => one.start - other.start);
  let speaker: string | undefined;
  const cues = ordered.flatMap((segment) => {
    const isNew = segment.speaker !== undefined && segment.speaker !== speaker;
    speaker = segment.speaker;
    const words = segment.text.trim();
    const text = showsSpeakers && isNew && words !== '' ? `${segment.speaker}: ${words}` : words;
    return shared(segment, wrapLines(text));
  });
  return apart(cues);
}

function milliseconds(seconds: number): number {
  return Number.isFinite(seconds) ? Math.max(0, Math.round(seconds * 1000)) : 0;
}

/** Splits the time of a segment among its lines. */
function shared({ start, end, speaker }: Segment, lines: readonly string[]): readonly Cue[] {
  const length = (part: readonly string[]) => part.join(' ').length;
  const whole = Math.max(1, length(lines));
  const at = (line: number) => Math.round(start + Math.max(0, end - start) * (length(lines.slice(0, line)) / whole));
  const cues: Cue[] = [];
  for (let line = 0; line < lines.length; line += linesInCue) {
    const next = line + linesInCue;
    cues.push({
      start: at(line),
      end: next < lines.length ? at(next) : Math.max(start, end),
      lines: lines.slice(line, next),
      ...(speaker === undefined ? {} : { speaker }),
    });
  }
  return cues;
}

function apart(cues: readonly Cue[]): readonly Cue[] {
  let free = 0;
  return cues.map((cue, index) => {
    const start = Math.max(cue.start, free);
    const next = cues[index + 1]?.start ?? Number.POSITIVE_INFINITY;
    const maxEnd = next - start >= minCueMs ? next : Number.POSITIVE_INFINITY;
    free = Math.min(maxEnd, Math.max(cue.end, start + minCueMs));
    return { ...cue, start, end: free };
  });
}
