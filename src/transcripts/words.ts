/** A word of a text. */
export interface Word {
  /** Without case, apostrophes and compatibility forms, so that the same words are equal. */
  readonly key: string;
  /** Offset of the first character in the text. */
  readonly from: number;
  /** Offset after the last character. */
  readonly to: number;
}

/** Scripts that write words without spaces, as the content of a character class. */
export const blanklessScripts: string = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script=${script}}`)
  .join('');

const letter = `(?:(?![${blanklessScripts}])[\\p{L}\\p{N}])\\p{M}*`;
/** In a script without spaces each character is a word, because no two programs divide such a text alike. */
const word = new RegExp(`[${blanklessScripts}]\\p{M}*|${letter}(?:['’]?${letter})*`, 'gu');

const inner = `(?![${blanklessScripts}])[\\p{L}\\p{N}\\p{M}]`;
const between = new RegExp(`\\p{M}|(?<=${inner})${inner}`, 'uy');

/** Whether a place in a text is inside a word: not where one may begin or end. */
export function isInWord(text: string, at: number): boolean {
  between.lastIndex = at;
  return between.test(text);
}

/** Returns the words of a text, in order. */
export function wordsIn(text: string): readonly Word[] {
  return Array.from(text.matchAll(word), ({ 0: found, index }) => ({
    key: keyOf(found),
    from: index,
    to: index + found.length,
  }));
}

function keyOf(found: string): string {
  // Most words need nothing else, and the other steps take longer.
  if (/^[a-z\u4e00-\u9fff]+$/.test(found)) return found;
  return found.normalize('NFKC').toLowerCase().replace(/['’]/g, '');
}
