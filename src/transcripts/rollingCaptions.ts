/** A cue of a file as it is written there. Times are in milliseconds. */
export interface WrittenCue {
  readonly start: number;
  readonly end: number;
  /** Lines that show something, with their markup. */
  readonly lines: readonly string[];
}

/** More lines are never on the screen while captions roll. */
const maxRows = 4;
/** Nobody says a line in such a time: it is shown while the next one is awaited. In milliseconds. */
const blink = 100;
/** Fewer cues that overlap may be of two who speak at once. */
const minOverlaps = 3;

/**
 * Removes what rolling captions show again, as those that YouTube makes: each line moves up and is repeated in the next
 * cue. It stays where it appeared first. Elsewhere a line that is said twice is kept.
 *
 * @param textOf returns what a line shows
 */
export function withoutRepeats(cues: readonly WrittenCue[], textOf: (line: string) => string): readonly WrittenCue[] {
  const shown = cues.map(({ lines }) => lines.map(textOf));
  const repeats = shown.map((texts, index) => repeatedIn(shown[index - 1] ?? [], texts));
  const rolls = repeats.filter((count, index) => count > 0 && count < (shown[index]?.length ?? 0)).length;
  const isRolling = rolls > 0 && repeats.filter((count) => count > 0).length * 2 >= cues.length - 1;
  return cues.flatMap((cue, index) => {
    const count = repeats[index] ?? 0;
    const isBlink = cue.end - cue.start <= blink && count === cue.lines.length;
    const lines = isRolling || isBlink ? cue.lines.slice(count) : cue.lines;
    return lines.length > 0 ? [{ ...cue, lines }] : [];
  });
}

/** Returns how many of the first lines are the last ones of the cue before. */
function repeatedIn(before: readonly string[], texts: readonly string[]): number {
  for (let count = Math.min(before.length, texts.length, maxRows); count > 0; count--) {
    if (before.slice(-count).every((text, index) => text === texts[index])) return count;
  }
  return 0;
}

/** Ends each cue with the next one where most stay on the screen while the next line is spoken. */
export function oneAfterAnother(cues: readonly WrittenCue[]): readonly WrittenCue[] {
  const overlaps = ({ start, end }: WrittenCue, next: WrittenCue | undefined): next is WrittenCue =>
    next !== undefined && next.start > start && next.start < end;
  const count = cues.filter((cue, index) => overlaps(cue, cues[index + 1])).length;
  if (count < minOverlaps || count * 2 < cues.length - 1) return cues;
  return cues.map((cue, index) => {
    const next = cues[index + 1];
    return overlaps(cue, next) ? { ...cue, end: next.start } : cue;
  });
}
