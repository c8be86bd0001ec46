import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TimedWord } from '../../src/transcripts/alignWords.ts';
import { wordsIn } from '../../src/transcripts/words.ts';

/** Words by their frequency in speech: a few make half of it, and most occur rarely. */
const common = 'the of and to a in is that it was for on are with as his they be at one have this from or had by'.split(
  ' ',
);

/** Returns numbers from 0 to 1 that are the same in each run. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Returns speech of 150 words a minute, with pauses between sentences. */
export function spokenWords(minutes: number, seed = 1): readonly TimedWord[] {
  const random = randomNumbers(seed);
  let start = 0;
  return Array.from({ length: minutes * 150 }, (_, index) => {
    const isCommon = random() < 0.5;
    const key = isCommon
      ? (common[Math.floor(random() * common.length)] ?? 'the')
      : `w${Math.floor(random() ** 3 * 8000).toString(36)}`;
    const word = { key, start, end: start + 200 + Math.floor(random() * 150) };
    start = word.end + (index % 14 === 13 ? 600 : 60);
    return word;
  });
}

const root = join(import.meta.dirname, '../..');

/** Returns the words of our documents as speech of 150 words a minute: they repeat themselves as people do. */
export function spokenProse(minutes: number): readonly TimedWord[] {
  const texts = globSync(['*.md', 'docs/*.md'], { cwd: root }).sort();
  const words = texts.flatMap((name) => wordsIn(readFileSync(join(root, name), 'utf8')));
  return words.slice(0, minutes * 150).map(({ key }, index) => ({ key, start: index * 400, end: index * 400 + 340 }));
}
