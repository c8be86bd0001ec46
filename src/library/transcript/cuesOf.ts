import type { Segment } from '../../operations/Transcript.ts';
import type { Cue } from './Transcript.ts';
import { wrapLines } from './wrapLines.ts';

const linesInCue = 2;
/** Milliseconds. */
export const minCueMs = 100;

/**
 * Cues of at most two lines, in order, none above another and each at least a tenth of a second long, whatever times
 * the service gave. A long segment becomes several cues, each of a share of its time by the length of its text.
 *
 * @param showsSpeakers whether a new speaker's name is part of the text
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

/** The time of a segment, shared among its lines. */
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
    const longest = next - start >= minCueMs ? next : Number.POSITIVE_INFINITY;
    free = Math.min(longest, Math.max(cue.end, start + minCueMs));
    return { ...cue, start, end: free };
  });
}
