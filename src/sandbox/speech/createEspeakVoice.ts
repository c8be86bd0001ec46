import type { SystemVoice } from './SystemVoice.ts';

const wordsPerMinute = 165;

/** Of scripts that tell a language, or at least how to read the letters. */
const languages: readonly (readonly [string, RegExp])[] = [
  ['en', /\p{Script=Latin}/gu],
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['cmn', /\p{Script=Han}/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
];

/** Linux: espeak-ng, in the language of most letters' script. See `man espeak-ng`. */
export function createEspeakVoice(path: string): SystemVoice {
  return {
    name: 'espeak-ng',
    program: ({ text, textFile, soundFile, speed }) => ({
      path,
      // -b 1 is UTF-8.
      arguments: [
        ...['-b', '1', '-v', languageOf(text), '-s', String(Math.round(wordsPerMinute * speed))],
        ...['-f', textFile, '-w', soundFile],
      ],
    }),
  };
}

function languageOf(text: string): string {
  let [best, most] = ['en', 0];
  for (const [language, letters] of languages) {
    const count = text.match(letters)?.length ?? 0;
    if (count > most) [best, most] = [language, count];
  }
  // Japanese has more Han letters than others in many a sentence; Chinese has none of the others.
  return best === 'cmn' && /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? 'ja' : best;
}
