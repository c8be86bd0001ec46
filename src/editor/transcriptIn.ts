import { escapeAsciidoc } from '../documents/asciidoc.ts';
import type { Language } from '../documents/Language.ts';
import { escapeLatex } from '../documents/latex.ts';
import type { Paragraph } from '../library/formatTranscript.ts';
import { escapeMarkdown, paragraphsOf, segmentsIn } from '../library/formatTranscript.ts';

/** Languages that a transcript can be inserted into as text. */
export const textLanguages: readonly Language[] = [
  'markdown',
  'mdx',
  'html',
  'jsx',
  'vue',
  'svelte',
  'astro',
  'latex',
  'asciidoc',
  'restructuredtext',
];

/** Returns a comment on one line, invisible to readers; in brackets in a language without comments. */
export function commentIn(language: Language, text: string): string {
  // Remove what would end a comment in one of the languages.
  const harmless = text
    .replace(/\s+/g, ' ')
    .replace(/-{2,}/g, '-')
    .replace(/\*\//g, '*')
    .replace(/[<>{}]/g, '');
  switch (language) {
    case 'markdown':
    case 'html':
    case 'vue':
    case 'svelte':
    case 'astro':
      return `<!-- ${harmless} -->`;
    case 'mdx':
    case 'jsx':
      return `{/* ${harmless} */}`;
    case 'latex':
      return `% ${harmless}`;
    case 'asciidoc':
      return `// ${harmless}`;
    case 'restructuredtext':
      return `.. ${harmless}`;
    default:
      return `[${harmless}]`;
  }
}

/** Whether comments must start a line and extend to its end. */
export function needsOwnLine(language: Language): boolean {
  return language === 'latex' || language === 'asciidoc' || language === 'restructuredtext';
}

/**
 * Reads the words of a saved transcript in any format.
 *
 * @param extension without the dot
 */
export function readTranscriptFile(extension: string, file: string): readonly Paragraph[] {
  const text = file.replace(/\r\n?/g, '\n');
  if (extension === 'srt' || extension === 'vtt') {
    return paragraphsOf(segmentsIn({ text, subtitles: extension }));
  }
  if (extension !== 'md') return blocksOf(text).map((block) => ({ text: block }));
  const [first, ...others] = blocksOf(text.replace(/^---\n[\s\S]*?\n---\n/, ''));
  if (first === undefined) return [];
  // The first block may be the link to the recording.
  const blocks = /^\[(?:\\.|[^\]\\])*\]\([^()\s]+\)$/.test(first) ? others : [first, ...others];
  return blocks.map((block) => {
    const [start = '', speaker] = /^\*\*((?:\\.|[^*\\])+):\*\* /.exec(block) ?? [];
    const words = withoutEscapes(block.slice(start.length));
    return speaker === undefined ? { text: words } : { speaker: withoutEscapes(speaker), text: words };
  });
}

function blocksOf(text: string): readonly string[] {
  return text
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter((block) => block !== '');
}

function withoutEscapes(markdown: string): string {
  return markdown.replace(/\\([!-/:-@[-`{-~])/g, '$1');
}

/** Returns a transcript as text for a document. */
export function transcriptIn(language: Language, paragraphs: readonly Paragraph[]): string {
  return paragraphs.map((paragraph) => paragraphIn(language, paragraph)).join('\n\n');
}

function paragraphIn(language: Language, { speaker, text }: Paragraph): string {
  const [escaped, bold] = styles[language] ?? plain;
  const words = speaker === undefined ? escaped(text) : `${bold(escaped(`${speaker}:`))} ${escaped(text)}`;
  return styles[language] === markup ? `<p>${words}</p>` : words;
}

type Style = readonly [escaped: (text: string) => string, bold: (escaped: string) => string];

const plain: Style = [(text) => text, (text) => text];
const stars: Style[1] = (text) => `**${text}**`;
const markup: Style = [escapeMarkup, (text) => `<strong>${text}</strong>`];
const styles: Partial<Readonly<Record<Language, Style>>> = {
  markdown: [escapeMarkdown, stars],
  mdx: [escapeMdx, stars],
  html: markup,
  jsx: markup,
  vue: markup,
  svelte: markup,
  astro: markup,
  latex: [escapeLatex, (text) => `\\textbf{${text}}`],
  asciidoc: [escapeAsciidoc, (text) => `*${text}*`],
  restructuredtext: [escapeRestructuredText, stars],
};

/** A line that begins with `import` or `export` would be JavaScript. */
function escapeMdx(text: string): string {
  return escapeMarkdown(text)
    .replace(/(?<!\\)[{<]/g, '\\$&')
    .replace(/^(?:import|export)\b/gm, (word) => `&#${word.charCodeAt(0)};${word.slice(1)}`);
}

function escapeRestructuredText(text: string): string {
  return (
    text
      .replace(/^[ \t]+/gm, '')
      .replace(/[\\*`|]|_(?!\w)|(?<=:):$/gm, '\\$&')
      // Lists, directives, comments, fields, tests and rules.
      .replace(
        /^(?:[-+•‣⁃](?=\s|$)|\(?(?:\d+|[a-z]|[ivxlcdm]+|#)[.)](?=\s|$)|\.\.(?=\s|$)|>>>|:(?=[^:\s])|([!-/:-@[-`{-~])\1{2,}$)/gim,
        '\\$&',
      )
  );
}

/** Also escapes braces, which begin expressions in most of these languages. */
function escapeMarkup(text: string): string {
  return text.replace(/[&<>{}]/g, (character) => `&#${character.charCodeAt(0)};`);
}
