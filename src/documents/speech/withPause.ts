const pause = /[\p{Terminal_Punctuation}…—–][\p{Pe}\p{Pf}\p{Pi}"']*$/u;
const fullStops: readonly (readonly [lastLetter: RegExp, fullStop: string])[] = [
  [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][\p{P}\s]*$/u, '。'],
  [/\p{Script=Devanagari}[\p{P}\s]*$/u, '।'],
];

/** Ends a line with a full stop of its script, unless its last character already makes a speaker pause. */
export function withPause(line: string): string {
  if (line === '' || pause.test(line)) return line;
  return line + (fullStops.find(([lastLetter]) => lastLetter.test(line))?.[1] ?? '.');
}
