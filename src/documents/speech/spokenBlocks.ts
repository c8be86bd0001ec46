import { spokenParagraphs } from './speakableText.ts';

/**
 * Returns the blocks of a document that are spoken one by one, in document order: paragraphs, lists and tables, each
 * with the headings above it. They contain no markup, code, front matter or link addresses.
 *
 * @param languageId VS Code's language id
 * @param path the document's path, which decides if VS Code does not know its language
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
