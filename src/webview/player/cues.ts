import type { PlayerCue } from '../protocol/player.ts';

/** Where sentences begin, in milliseconds and in order: at the first cue, and after each cue that ends one. */
export function sentenceStarts(cues: readonly PlayerCue[]): readonly number[] {
  const isEnd = (text: string) => /[.!?…。！？]["'”’»)\]]*$/.test(text.trimEnd().slice(-20));
  return cues.filter((_, index) => index === 0 || isEnd(cues[index - 1]?.text ?? '')).map(({ start }) => start);
}

/** Returns the index of the cue that is heard at a time, or of the one before it; -1 before the first. */
export function cueAt(cues: readonly PlayerCue[], milliseconds: number): number {
  let low = 0;
  let high = cues.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cues[middle]?.start ?? 0) <= milliseconds) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Returns where a longer file of the same recording plays on. The cues that both have may begin at slightly other times.
 *
 * @param milliseconds where the file before it is
 * @param isHeard whether that has been heard to its end
 */
export function placeIn(
  before: readonly PlayerCue[],
  after: readonly PlayerCue[],
  milliseconds: number,
  isHeard: boolean,
): number {
  const next = after[before.length];
  if (isHeard && next) return next.start;
  const index = cueAt(before, milliseconds);
  const [old, same] = [before[index], after[index]];
  return old && same ? same.start + milliseconds - old.start : milliseconds;
}

/** How far behind the start of a sentence *Previous Sentence* still goes to the one before it. */
const restartMs = 1000;

/** Returns where the previous or the next sentence begins; undefined when there is none. */
export function sentenceFrom(starts: readonly number[], now: number, direction: -1 | 1): number | undefined {
  if (direction > 0) return starts.find((start) => start > now);
  return starts.findLast((start) => start < now - restartMs) ?? starts[0];
}

/** Returns the indexes of the cues that contain all words of a search, in any case. */
export function findCues(cues: readonly PlayerCue[], search: string): readonly number[] {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const found: number[] = [];
  for (const [index, { text, speaker = '' }] of cues.entries()) {
    const whole = `${speaker} ${text}`.toLocaleLowerCase();
    if (words.every((word) => whole.includes(word))) found.push(index);
  }
  return found;
}

/**
 * Returns the row of the list that the Tab key comes to. It is always one of those that are drawn, since the others
 * cannot take the focus.
 *
 * @param wanted rows in the order of preference
 * @param first index of the first row that is drawn
 * @param last index after the last row that is drawn
 * @param visible index of the first row that is visible
 */
export function tabStopOf(
  wanted: readonly (number | undefined)[],
  first: number,
  last: number,
  visible: number,
): number {
  const isDrawn = (row: number | undefined) => row !== undefined && first <= row && row < last;
  return wanted.find(isDrawn) ?? Math.min(visible, last - 1);
}

/**
 * Returns the rows of the list to draw, in order. The one that has the focus is among them wherever it is, because the
 * focus would go with it.
 *
 * @param first index of the first row to draw
 * @param last index after the last row to draw
 * @param rows how many there are
 */
export function drawnRows(first: number, last: number, focused: number | undefined, rows: number): readonly number[] {
  const drawn = Array.from({ length: last - first }, (_, offset) => first + offset);
  if (focused === undefined || focused >= rows) return drawn;
  if (focused < first) return [focused, ...drawn];
  return focused < last ? drawn : [...drawn, focused];
}
