import type { Language } from '../Language.ts';
import { languageOf } from '../Language.ts';
import { renderMarkdown } from './renderMarkdown.ts';
import type { SpokenParagraph } from './SpokenLines.ts';
import { speakableAsciidoc } from './speakableAsciidoc.ts';
import { speakableHtml } from './speakableHtml.ts';
import { speakableRestructuredText } from './speakableRestructuredText.ts';
import { withoutExpressions } from './withoutExpressions.ts';

type Reader = (text: string) => readonly SpokenParagraph[];

const markdown: Reader = (text) => speakableHtml(renderMarkdown(text));
const vue: Reader = (text) => speakableHtml(text.replace(/\{\{[\s\S]*?\}\}/g, ''), { speaksTemplates: true });

const readers: ReadonlyMap<string, Reader> = new Map([
  // `prompt` to `skill` are VS Code's own names for Markdown that is written for agents.
  ...['markdown', 'quarto', 'rmd', 'prompt', 'instructions', 'chatagent', 'skill'].map((id) => [id, markdown] as const),
  ['mdx', (text) => markdown(withoutModules(withoutExpressions(text)))],
  ['html', (text) => speakableHtml(text)],
  ['vue', vue],
  ['vue-html', vue],
  ['svelte', (text) => speakableHtml(withoutExpressions(withoutScripts(text)))],
  ['asciidoc', speakableAsciidoc],
  ['restructuredtext', speakableRestructuredText],
]);
/** Languages that VS Code does not know by itself: their documents are told by the file's name. */
const byName: readonly Language[] = ['markdown', 'mdx', 'vue', 'svelte', 'asciidoc', 'restructuredtext'];

/** The language ids whose markup {@link speakableText} takes away. */
export const speakableLanguages: readonly string[] = [...readers.keys()];

/**
 * What a person would read aloud of a text: without markup, code blocks, front matter, comments, scripts and web
 * addresses. Headings, list items and rows of a table stand on lines of their own and end with a pause; paragraphs are
 * separated by a blank line. A text in a language that is not in {@link speakableLanguages} stays as it is.
 *
 * @param languageId of VS Code
 * @param path of the document, which decides where VS Code does not know its language
 */
export function speakableText(text: string, languageId: string, path = ''): string {
  const read = readerOf(languageId, path);
  if (!read) return text.trim();
  return read(text)
    .map((paragraph) => paragraph.text)
    .join('\n\n')
    .trim();
}

/** The same as paragraphs; a text in an unknown language is cut at its blank lines. */
export function spokenParagraphs(text: string, languageId: string, path = ''): readonly SpokenParagraph[] {
  const read = readerOf(languageId, path);
  if (read) return read(text);
  return text
    .replaceAll('\r\n', '\n')
    .split(/\n[^\S\n]*\n/)
    .map((paragraph) => ({ text: paragraph.trim(), isHeading: false }))
    .filter((paragraph) => paragraph.text !== '');
}

function readerOf(languageId: string, path: string): Reader | undefined {
  const named = languageOf(languageId, path);
  return readers.get(byName.includes(named) ? named : languageId);
}

/** Imports and exports of MDX, which go to the next blank line. */
function withoutModules(text: string): string {
  return text.replace(/(?<=^|\n[ \t]*\r?\n)(?:import|export)\b(?=[\s{*'"]).*(?:\n(?![ \t]*\r?\n).*)*/g, '');
}

/** Their braces pair with those of no text. */
function withoutScripts(text: string): string {
  return text.replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, '');
}
