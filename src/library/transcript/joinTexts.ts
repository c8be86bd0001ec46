/** Scripts that write words without spaces, as the content of a character class. */
export const blanklessScripts = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script=${script}}`)
  .join('');
const inner = new RegExp(`[${blanklessScripts}。、，！？：；「」]`, 'u');

/** Joins pieces of speech, with a space between them unless their script has none. */
export function joinTexts(texts: readonly string[]): string {
  return texts
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .filter((text) => text !== '')
    .reduce((whole, text) => {
      const isTogether = inner.test(whole.slice(-1)) && inner.test(text.charAt(0));
      return whole === '' ? text : `${whole}${isTogether ? '' : ' '}${text}`;
    }, '');
}
