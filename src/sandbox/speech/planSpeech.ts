/** One spoken word with the lengths of its tone and of the rest after it, in seconds. */
export interface SpokenWord {
  readonly text: string;
  readonly tone: number;
  readonly rest: number;
}

const minToneSeconds = 0.09;
const tonePerLetter = 0.045;
const maxToneSeconds = 1.2;
const rests: readonly (readonly [RegExp, number])[] = [
  [/[.!?…。！？\n]/u, 0.38],
  [/[,;:–—、，]/u, 0.2],
];
const minRestSeconds = 0.06;

/** Splits a text in any script into words with lengths. A text without words becomes one short tone. */
export function planSpeech(text: string): readonly SpokenWord[] {
  const words: { text: string; tone: number; rest: number }[] = [];
  for (const { segment, isWordLike } of new Intl.Segmenter('und', { granularity: 'word' }).segment(text)) {
    const last = words.at(-1);
    if (isWordLike) {
      const tone = Math.min(maxToneSeconds, minToneSeconds + tonePerLetter * segment.length);
      words.push({ text: segment, tone, rest: minRestSeconds });
    } else if (last) {
      last.rest = Math.max(last.rest, restOf(segment));
    }
  }
  return words.length > 0 ? words : [{ text, tone: 0.3, rest: minRestSeconds }];
}

function restOf(between: string): number {
  return rests.find(([marks]) => marks.test(between))?.[1] ?? minRestSeconds;
}

/** Returns the total length, in seconds. */
export function lengthOf(words: readonly SpokenWord[]): number {
  return words.reduce((sum, { tone, rest }) => sum + tone + rest, 0);
}
