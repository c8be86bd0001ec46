import { spokenParagraphs } from './speakableText.ts';

/**
 * The texts that are spoken one by one, in the order of the document: its paragraphs, lists and tables, each with the
 * headings above it. Markup, code, front matter and the addresses of links are in none of them.
 *
 * @param languageId of VS Code
 * @param path of the document, which decides where VS Code does not know its language
 */
export function spokenBlocks(text: string, languageId: string, path = ''): readonly string[] {
  const blocks: string[] = [];
  let headings = '';
  for (const paragraph of spokenParagraphs(text, languageId, path)) {
    const whole = headings + paragraph.text;
    headings = paragraph.isHeading ? `${whole}\n\n` : '';
    if (!paragraph.isHeading) blocks.push(whole);
  }
  return headings === '' ? blocks : [...blocks, headings.trimEnd()];
}
