import { frontMatterIn } from '../documents/frontMatter.ts';
import { type Language, languages } from '../documents/Language.ts';
import {
  escapeAsciidoc,
  escapeHtml,
  escapeLatex,
  escapeMarkdown,
  escapeMdx,
  escapePage,
  escapeRestructuredText,
  unescapeMarkdown,
} from '../foreign/escape.ts';
import { type PlainText, plainLine, plainRow, plainText } from '../foreign/plainText.ts';
import { type Paragraph, paragraphsOf, segmentsIn } from './formatTranscript.ts';
import type { Cue } from './subtitles.ts';
import { withoutTimeHeaders } from './timeHeaders.ts';

/** Returns a comment on one line, invisible to readers; in brackets in a language without comments. */
export function commentIn(language: Language, text: string): string {
  // Remove what would end a comment in one of the languages.
  const harmless = plainLine(text)
    .replace(/-{2,}/g, '-')
    .replace(/\*\//g, '*')
    .replace(/[<>{}]/g, '');
  const [before, after] = languages[language].comment ?? ['[', ']'];
  return before + harmless + after;
}

/** The time before a turn, as the setting `transcript.times` has it written. */
const turnTime = /^\[(?:\d+:)?\d\d:\d\d\](?:\([^()\s]*\))? /;

/**
 * Reads the words of a saved transcript in any format.
 *
 * @param extension without the dot
 * @param cues the times of the recording. In plain text their speakers are the names before a colon that nobody says.
 */
export function readTranscriptFile(
  extension: string,
  file: string,
  cues: readonly Pick<Cue, 'speaker'>[] = [],
): readonly Paragraph[] {
  const text = plainText(file);
  if (extension === 'srt' || extension === 'vtt') {
    return paragraphsOf(segmentsIn({ text, subtitles: extension }));
  }
  if (extension !== 'md') {
    const speakers = new Set<string | undefined>(cues.map(({ speaker }) => speaker));
    const begins = (line: string) => turnTime.test(line) || plainTurn(line, speakers).speaker !== undefined;
    const said = withoutTimeHeaders(text, (name) => {
      speakers.add(plainLine(name));
      return `${plainLine(name)}: `;
    });
    return blocksOf(said, begins).map((block) => plainTurn(block.replace(turnTime, ''), speakers));
  }
  const begins = (line: string) => markedName.test(line.replace(turnTime, ''));
  const said = withoutTimeHeaders(text.slice(frontMatterIn(text)?.after ?? 0), (name) => `**${name}:** `);
  const [first, ...others] = blocksOf(said, begins);
  if (first === undefined) return [];
  // The first block may be the link to the recording.
  const blocks = /^\[(?:\\.|[^\]\\])*\]\([^()\s]+\)$/.test(first) ? others : [first, ...others];
  return blocks.flatMap((whole) => {
    const block = whole.replace(turnTime, '');
    const [start = '', speaker] = markedName.exec(block) ?? [];
    const words = unescapeMarkdown(withoutMarkup(block.slice(start.length)));
    if (words === '') return [];
    return speaker === undefined ? { text: words } : { speaker: plainRow(unescapeMarkdown(speaker)), text: words };
  });
}

/** The speaker of a turn in Markdown. */
const markedName = /^\*\*((?:\\.|[^*\\])+):\*\* /;

/** Removes Markdown that a person added. Spoken text that looks like Markdown is escaped. */
function withoutMarkup(markdown: string): string {
  const lines = markdown
    .replace(/<!--[^<>]*-->/g, '')
    .replace(/(?<!\\)<br\s*\/?>/gi, '\n')
    .replace(/(!?)(?<!\\)\[((?:\\.|[^[\]\\])*)\]\((?:[^()\n]|\([^()\n]*\))*\)/g, (_, image: string, text: string) =>
      image ? '' : text,
    )
    .replace(/^(?:[ \t]*(?:#{1,6}|[-+*>])(?:[ \t]|$))+/gm, '')
    .replace(/^(?:-{3,}|\*{3,}|_{3,}|={3,}|```[^`\n]*|~~~[^\n]*)$/gm, '')
    .replace(/(?<!\\)<\/?[a-z][a-z\d]*(?:\s[^<>]*)?>/gi, '')
    .replace(/(?<!\\)`/g, '');
  // What is bold may be in italics as well.
  return withoutEmphasis(withoutEmphasis(lines)).trim();
}

function withoutEmphasis(markdown: string): string {
  return markdown
    .replace(/(?<!\\)(\*{1,3}|~~)(?=\S)((?:\\.|[^*~\\])+)(?<=\S)\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}\\])(_{1,3})(?=\S)((?:\\.|[^_\\])+)(?<=\S)\1(?![\p{L}\p{N}])/gu, '$2');
}

function plainTurn(block: string, speakers: ReadonlySet<string | undefined>): Paragraph {
  const end = block.indexOf(': ');
  const speaker = plainLine(block.slice(0, Math.max(0, end)));
  return speakers.has(speaker) ? { speaker, text: plainText(block.slice(end + 2)) } : { text: plainText(block) };
}

/** Splits a text into its paragraphs. A turn begins one also on the next line, as other programs write it. */
function blocksOf(text: string, beginsTurn: (line: string) => boolean): readonly string[] {
  const blocks: string[] = [''];
  for (const line of text.split('\n')) {
    if (line.trim() === '' || beginsTurn(line)) blocks.push('');
    blocks.push(`${blocks.pop()}\n${line}`);
  }
  return blocks.map((block) => block.trim()).filter((block) => block !== '');
}

/** Returns a transcript as text for a document. */
export function transcriptIn(language: Language, paragraphs: readonly Paragraph[]): string {
  return paragraphs.map((paragraph) => paragraphIn(language, paragraph)).join('\n\n');
}

function paragraphIn(language: Language, { speaker, text }: Paragraph): string {
  const { escaped, bold, paragraph = (words: string) => words } = styles[language];
  return paragraph(
    speaker === undefined ? escaped(text) : `${bold(escaped(plainRow(`${speaker}:`)))} ${escaped(text)}`,
  );
}

interface Style {
  escaped(text: PlainText): string;
  bold(escaped: string): string;
  paragraph?(words: string): string;
}

const asItIs: Style = { escaped: (text) => text, bold: (text) => text };
const bold: Style['bold'] = (text) => `**${text}**`;
const markup: Style = {
  escaped: escapeHtml,
  bold: (text) => `<strong>${text}</strong>`,
  paragraph: (words) => `<p>${words}</p>`,
};
const styles: Readonly<Record<Language, Style>> = {
  markdown: { escaped: escapeMarkdown, bold },
  mdx: { escaped: escapeMdx, bold },
  html: { ...markup, escaped: escapePage },
  jsx: markup,
  vue: markup,
  svelte: markup,
  astro: markup,
  latex: { escaped: escapeLatex, bold: (text) => `\\textbf{${text}}` },
  asciidoc: { escaped: escapeAsciidoc, bold: (text) => `*${text}*` },
  restructuredtext: { escaped: escapeRestructuredText, bold },
  script: asItIs,
  css: asItIs,
  scss: asItIs,
  gdscript: asItIs,
  dart: asItIs,
  other: asItIs,
};

/** Languages that a transcript can be inserted into as text. */
export const textLanguages = (Object.keys(styles) as readonly Language[]).filter(
  (language) => styles[language] !== asItIs,
);
