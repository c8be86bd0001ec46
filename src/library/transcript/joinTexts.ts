/** For character classes: scripts whose words stand together without blanks. */
export const blanklessScripts = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script=${script}}`)
  .join('');
const inner = new RegExp(`[${blanklessScripts}。、，！？：；「」]`, 'u');

/** Pieces of speech one after the other, with a blank between them where their script has one. */
export function joinTexts(texts: readonly string[]): string {
  return texts
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .filter((text) => text !== '')
    .reduce((whole, text) => {
      const isTogether = inner.test(whole.slice(-1)) && inner.test(text.charAt(0));
      return whole === '' ? text : `${whole}${isTogether ? '' : ' '}${text}`;
    }, '');
}
