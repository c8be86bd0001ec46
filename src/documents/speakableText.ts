import { Parser } from 'htmlparser2';
import MarkdownIt, {
  type MarkdownIt as Markdown,
  type StateBlock,
  type StateCore,
  type StateInline,
} from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import { speakableAsciidoc } from './asciidoc.ts';
import { frontMatterIn } from './frontMatter.ts';
import { type Language, languageOf } from './Language.ts';
import { codeSpansIn, withoutModules } from './markdown.ts';
import { replaceEnclosed } from './replaceEnclosed.ts';
import { speakableRestructuredText } from './restructuredText.ts';
import { isTranscript, SpokenLines, type SpokenParagraph, withPause } from './SpokenLines.ts';

/**
 * Removes expressions in braces, which MDX and Svelte mix with text: `{name}`, `{#if …}`, `{/* … *\/}`. Braces in code
 * spans, escaped and unclosed braces stay.
 */
function withoutExpressions(text: string): string {
  const spans = codeSpansIn(text, 0, text.length);
  let kept = '';
  let from = 0;
  let opened = 0;
  let depth = 0;
  let span = 0;
  for (const { 0: token, index } of text.matchAll(/\\[{}]|[{}]/g)) {
    while ((spans[span]?.end ?? text.length) <= index) span++;
    if ((spans[span]?.start ?? text.length) < index) continue;
    if (token === '{') {
      if (depth === 0) opened = index;
      depth++;
    } else if (token === '}' && depth > 0) {
      depth--;
      if (depth > 0) continue;
      // The attribute gets a value, so that the tag stays valid.
      kept += text.slice(from, opened) + (text[opened - 1] === '=' ? '""' : '');
      from = index + 1;
    }
  }
  return kept + text.slice(from);
}

/**
 * Renders Markdown as HTML: CommonMark with tables, strikethrough and footnotes, which come last and without links to
 * them, and without what common extensions add around the words.
 */
function renderMarkdown(text: string): string {
  const markdown = new MarkdownIt({ html: true }).use(footnotes).use(extensions);
  markdown.core.ruler.before('footnote_tail', 'growing', (state) => {
    state.tokens = GrowingArray.from(state.tokens);
  });
  markdown.renderer.rules.footnote_ref = () => '';
  markdown.renderer.rules.footnote_anchor = () => '';
  return markdown.render(withoutFrontMatter(text));
}

/** Is concatenated in place, because markdown-it-footnote concatenates all tokens anew for each footnote. */
class GrowingArray<T> extends Array<T> {
  override concat(...lists: (T | ConcatArray<T>)[]): T[] {
    for (const list of lists) {
      // One by one, because a call takes only so many arguments.
      if (Array.isArray(list)) for (const item of list) this.push(item as T);
      else this.push(list as T);
    }
    return this;
  }
}

/** Removes YAML between `---` or TOML between `+++`, but not text between two thematic breaks. */
function withoutFrontMatter(text: string): string {
  const matter = frontMatterIn(text);
  if (!matter) return text;
  const content = text.slice(matter.start, matter.end);
  const isData = content.trim() === '' || /^(?:#.*\r?\n)*(?:["']?[\p{L}\p{M}\p{N}_.-]+["']?\s*[:=]|\[)/u.test(content);
  return isData ? text.slice(matter.after) : text;
}

/** Makes markdown-it read containers, attributes, check boxes and the titles of alerts. */
function extensions(markdown: Markdown): void {
  markdown.block.ruler.before('fence', 'container', readContainer, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
  markdown.inline.ruler.before('backticks', 'attributes', readAttributes);
  markdown.core.ruler.after('block', 'labels', replaceLabels);
}

/** Reads a line `::: note Title`, `:::{.class}` or the closing `:::`. The title is a paragraph. */
function readContainer(state: StateBlock, startLine: number, _endLine: number, isSilent: boolean): boolean {
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
  if (!state.src.startsWith(':::', start)) return false;
  if (isSilent) return true;
  const line = state.src.slice(start, state.eMarks[startLine]);
  const title = line.replace(/^:+[ \t]*(?:\{[^}]*\}|[\w-]*)/, '').trim();
  const map: [number, number] = [startLine, startLine + 1];
  state.line = startLine + 1;
  if (title === '') return true;
  state.push('paragraph_open', 'p', 1).map = map;
  const inline = state.push('inline', '', 0);
  inline.content = title;
  inline.map = map;
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
  return true;
}

const attributes = /\{[#.][a-zA-Z][^{}\n]*\}/y;
/** These follow a link, an image or its text. */
const attributesOfLink = /\{[\w-]+=[^{}\n]*\}/y;

/** Skips `{#id .class key=value}` after headings, links and images. Code spans are read before. */
function readAttributes(state: StateInline, isSilent: boolean): boolean {
  const { src, pos } = state;
  if (src[pos] !== '{') return false;
  const pattern = src[pos - 1] === ')' || src[pos - 1] === ']' ? [attributes, attributesOfLink] : [attributes];
  for (const one of pattern) {
    one.lastIndex = pos;
    if (!one.test(src)) continue;
    // A token of its own ends the text before it, whose spaces go.
    if (!isSilent) {
      state.push('text', '', 0);
      const before = state.tokens.at(-2);
      if (before?.type === 'text') before.content = before.content.trimEnd();
    }
    state.pos = one.lastIndex;
    return true;
  }
  return false;
}

/** Removes the check boxes of task lists, and speaks the title of an alert or its kind: `> [!NOTE]`. */
function replaceLabels(state: StateCore): void {
  for (const [index, token] of state.tokens.entries()) {
    if (token.type !== 'inline') continue;
    const container = state.tokens[index - 2]?.type;
    if (container === 'list_item_open') token.content = token.content.replace(/^\[[ xX]\](?:[ \t]+|$)/, '');
    else if (container === 'blockquote_open') {
      token.content = token.content.replace(/^\[!([\w-]+)\][+-]?[ \t]*(.*)/, (_, kind: string, title: string) =>
        withPause(title.trim() || asTitle(kind)),
      );
    }
  }
}

function asTitle(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}

/** Elements that are not spoken. `head` is not listed: HTML may omit its end tag, and all text would be in it. */
const silent = words(
  'audio canvas datalist embed iframe math noembed noframes noscript object pre rp rt script select style svg',
  'template textarea title video',
);
const headings = words('h1 h2 h3 h4 h5 h6');
const pausing = words('caption dd dt figcaption legend li summary tr');
const groups = words('dl menu ol table ul');
const blocks = words(
  'address article aside blockquote body center details dialog div fieldset figure footer form header hgroup hr html',
  'main nav p search section tbody tfoot thead',
);
const inline = words(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q rb ruby s samp small span strike',
  'strong sub sup time tt u var wbr',
);

/** htmlparser2 takes longer for each element the deeper it lies. */
const maxDepth = 1000;

/**
 * Returns what a person reads aloud from HTML or an HTML fragment.
 *
 * @param speaksTemplates whether `<template>` contains the visible content, as in Vue
 * @throws Error when the elements are nested too deep
 */
function speakableHtml(html: string, speaksTemplates = false): readonly SpokenParagraph[] {
  const lines = new SpokenLines();
  // Open silent elements, with everything in them.
  let silence = 0;
  const open: boolean[] = [];
  let links = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const isSilent =
          isHidden(attributes) ||
          (silent.has(name) && !(speaksTemplates && name === 'template')) ||
          (name === 'a' && isTranscript(attributes.href ?? ''));
        open.push(isSilent);
        if (open.length > maxDepth) throw new Error(`its elements are nested more than ${maxDepth} deep`);
        if (isSilent) silence++;
        if (name === 'a') links++;
        const isRule = name === 'hr';
        if (silence === 0 ? isRule : silence === 1 && isSilent && endsLine(name)) lines.end();
        if (isRule || silence > 0) lines.pass();
        if (silence === 0 && name === 'img') lines.addImage(attributes.alt ?? '', links > 0);
        else if (silence === 0) begin(lines, name);
      },
      ontext(text) {
        if (silence === 0) lines.add(text);
      },
      oncomment(text) {
        if (silence > 0) return;
        const [, name, value = ''] = /^\s*(say|voice):(.*)$/s.exec(text) ?? [];
        if (name === 'say') lines.say(value);
        else if (name === 'voice') lines.speakWith(value);
      },
      onclosetag(name) {
        if (name === 'a') links--;
        if (open.pop()) silence--;
        else if (silence === 0) finish(lines, name);
      },
    },
    { recognizeSelfClosing: true },
  );
  parser.end(html);
  return lines.finish();
}

function endsLine(name: string): boolean {
  return name === 'pre' || blocks.has(name) || pausing.has(name) || headings.has(name);
}

function begin(lines: SpokenLines, name: string): void {
  if (name === 'br') lines.breakLine();
  else if (name === 'thead') lines.beginHead();
  else if (name === 'table') lines.beginTable();
  else if (name === 'tr') lines.beginRow();
  else if (name === 'td' || name === 'th') lines.beginCell();
  else if (groups.has(name)) lines.beginGroup();
  else if (headings.has(name)) lines.beginHeading();
  else if (pausing.has(name)) lines.beginPausing();
  else if (blocks.has(name)) lines.end();
  else if (!inline.has(name)) lines.add(' ');
}

function finish(lines: SpokenLines, name: string): void {
  if (name === 'td' || name === 'th') lines.endCell();
  else if (name === 'table') lines.endTable();
  else if (name === 'thead') lines.endHead();
  else if (groups.has(name)) lines.endGroup();
  else if (headings.has(name)) lines.endHeading();
  else if (pausing.has(name)) lines.endPausing();
  else if (blocks.has(name)) lines.end();
  else if (!inline.has(name) && name !== 'br' && name !== 'img') lines.add(' ');
}

function isHidden({ hidden, 'aria-hidden': ariaHidden }: Readonly<Record<string, string>>): boolean {
  return hidden !== undefined || ariaHidden === 'true';
}

function words(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.join(' ').split(' '));
}

type SpeechReader = (text: string) => readonly SpokenParagraph[];

const markdown: SpeechReader = (text) => speakableHtml(renderMarkdown(text));
const vue: SpeechReader = (text) => speakableHtml(withoutInterpolations(text), true);

const readers: ReadonlyMap<string, SpeechReader> = new Map([
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
/** Languages that VS Code may not know, so the file extension decides. Outside of VS Code, it always does. */
const byName: readonly Language[] = ['markdown', 'mdx', 'vue', 'svelte', 'asciidoc', 'restructuredtext'];

/** Language ids whose markup {@link speakableText} removes. */
export const speakableLanguages: readonly string[] = [...readers.keys()];

/**
 * Returns what a person reads aloud from a text: without markup, code blocks, front matter, comments, scripts and web
 * addresses. Headings, list items and table rows are lines that end with a pause; blank lines separate paragraphs. A
 * text in a language outside {@link speakableLanguages} is unchanged. markdown-it renders Markdown to HTML, and
 * htmlparser2 reads both.
 *
 * @param languageId VS Code's language id; empty outside of VS Code
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
function spokenParagraphs(text: string, languageId: string, path = ''): readonly SpokenParagraph[] {
  const read = readerOf(languageId, path);
  if (read) return read(text);
  return text
    .replaceAll('\r\n', '\n')
    .split(/\n[^\S\n]*\n/)
    .map((paragraph) => ({ text: paragraph.trim(), isHeading: false }))
    .filter((paragraph) => paragraph.text !== '');
}

function readerOf(languageId: string, path: string): SpeechReader | undefined {
  const named = languageOf(languageId, path);
  return readers.get(languageId === '' || byName.includes(named) ? named : languageId);
}

const endOfInterpolation = /\}\}/g;

/** Removes `{{ … }}`. */
function withoutInterpolations(text: string): string {
  return replaceEnclosed(text, /\{\{/g, ({ index }, find) => {
    const end = find(endOfInterpolation, index + 2);
    return end && { end: end.index + 2, text: '' };
  });
}

const endsOfScripts: Readonly<Record<string, RegExp>> = { script: /<\/script\s*>/gi, style: /<\/style\s*>/gi };

/** Removes scripts, whose braces would confuse {@link withoutExpressions}. */
function withoutScripts(text: string): string {
  return replaceEnclosed(text, /<(script|style)\b/gi, ({ 0: tag, 1: name = '', index }, find) => {
    const closing = endsOfScripts[name.toLowerCase()];
    const end = closing && find(closing, index + tag.length);
    return end && { end: end.index + end[0].length, text: '' };
  });
}

/**
 * Returns the blocks of a document that are spoken one by one, in document order: paragraphs, lists and tables, each
 * with the headings above it. They contain no markup, code, front matter or link addresses.
 *
 * @param languageId VS Code's language id; empty outside of VS Code
 * @param path the document's path, which decides if VS Code does not know its language
 */
export function spokenBlocks(text: string, languageId: string, path = ''): readonly SpokenBlock[] {
  const blocks: SpokenBlock[] = [];
  let headings = { text: '', say: '' };
  for (const { text: written, say = written, voice, isHeading } of spokenParagraphs(text, languageId, path)) {
    const whole = { text: headings.text + written, say: headings.say + say, ...(voice !== undefined && { voice }) };
    headings = isHeading ? { text: `${whole.text}\n\n`, say: `${whole.say}\n\n` } : { text: '', say: '' };
    if (!isHeading) blocks.push(blockOf(whole));
  }
  return headings.text === '' ? blocks : [...blocks, blockOf(headings)];
}

/** A block of a document. */
export interface SpokenBlock {
  readonly text: string;
  /** What is spoken instead of the text, as `<!-- say: … -->` behind it says. */
  readonly say?: string;
  /** The voice that speaks it, as `<!-- voice: … -->` behind it says. */
  readonly voice?: string;
}

function blockOf({ text, say = text, ...voice }: SpokenBlock): SpokenBlock {
  const [written, spoken] = [text.trimEnd(), say.trimEnd()];
  return written === spoken ? { text: written, ...voice } : { text: written, say: spoken, ...voice };
}
