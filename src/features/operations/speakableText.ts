import { renderMarkdown } from './renderMarkdown.ts';
import { speakableHtml } from './speakableHtml.ts';
import { withoutExpressions } from './withoutExpressions.ts';

type Reader = (text: string) => string;

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
]);

/** The language ids whose markup {@link speakableText} takes away. */
export const speakableLanguages: readonly string[] = [...readers.keys()];

/**
 * What a person would read aloud of a text: without markup, code blocks, front matter, comments, scripts and web
 * addresses. Headings, list items and rows of a table stand on lines of their own and end with a pause; paragraphs are
 * separated by a blank line. A text in a language that is not in {@link speakableLanguages} stays as it is.
 *
 * @param languageId of VS Code
 */
export function speakableText(text: string, languageId: string): string {
  return (readers.get(languageId)?.(text) ?? text).trim();
}

/** Imports and exports of MDX, which go to the next blank line. */
function withoutModules(text: string): string {
  return text.replace(/(?<=^|\n[ \t]*\r?\n)(?:import|export)\b(?=[\s{*'"]).*(?:\n(?![ \t]*\r?\n).*)*/g, '');
}

/** Their braces pair with those of no text. */
function withoutScripts(text: string): string {
  return text.replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, '');
}
