import type { Language } from '../Language.ts';
import { languageOf } from '../Language.ts';
import { renderMarkdown, withoutFrontMatter } from './renderMarkdown.ts';
import type { SpokenParagraph } from './SpokenLines.ts';
import { speakableAsciidoc } from './speakableAsciidoc.ts';
import { speakableHtml } from './speakableHtml.ts';
import { speakableRestructuredText } from './speakableRestructuredText.ts';
import { withoutExpressions } from './withoutExpressions.ts';

type Reader = (text: string) => readonly SpokenParagraph[];

const markdown: Reader = (text) => speakableHtml(renderMarkdown(text));
const vue: Reader = (text) => speakableHtml(text.replace(/\{\{[\s\S]*?\}\}/g, ''), { speaksTemplates: true });

const readers: ReadonlyMap<string, Reader> = new Map([
  // `prompt` to `skill` are VS Code's language ids for Markdown written for agents.
  ...['markdown', 'quarto', 'rmd', 'prompt', 'instructions', 'chatagent', 'skill'].map((id) => [id, markdown] as const),
  // Front matter goes first: a brace in it is text, and imports may follow it directly.
  ['mdx', (text) => markdown(withoutModules(withoutExpressions(withoutFrontMatter(text))))],
  ['html', (text) => speakableHtml(text)],
  ['vue', vue],
  ['vue-html', vue],
  ['svelte', (text) => speakableHtml(withoutExpressions(withoutScripts(text)))],
  ['asciidoc', speakableAsciidoc],
  ['restructuredtext', speakableRestructuredText],
]);
/** Languages that VS Code may not know, so the file extension decides. */
const byName: readonly Language[] = ['markdown', 'mdx', 'vue', 'svelte', 'asciidoc', 'restructuredtext'];

/** Language ids whose markup {@link speakableText} removes. */
export const speakableLanguages: readonly string[] = [...readers.keys()];

/**
 * Returns what a person reads aloud from a text: without markup, code blocks, front matter, comments, scripts and web
 * addresses. Headings, list items and table rows are lines that end with a pause; blank lines separate paragraphs. A
 * text in a language outside {@link speakableLanguages} is unchanged. markdown-it renders Markdown to HTML, and
 * htmlparser2 reads both.
 *
 * @param languageId VS Code's language id
 * @param path the document's path, which decides if VS Code does not know its language
 */
export function speakableText(text: string, languageId: string, path = ''): string {
  const read = readerOf(languageId, path);
  if (!read) return text.trim();
  return read(text)
    .map((paragraph) => paragraph.text)
    .join('\n\n')
    .trim();
}

/** Like {@link speakableText}, as paragraphs. A text in an unknown language is split at blank lines. */
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

/** Removes imports and exports of MDX, which end at the next blank line. */
function withoutModules(text: string): string {
  return text.replace(/(?<=^|\n[ \t]*\r?\n)(?:import|export)\b(?=[\s{*'"]).*(?:\n(?![ \t]*\r?\n).*)*/g, '');
}

/** Removes scripts, whose braces would confuse {@link withoutExpressions}. */
function withoutScripts(text: string): string {
  return text.replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, '');
}
