import { Parser } from 'htmlparser2';
import { speakableAsciidoc } from './asciidoc.ts';
import { componentTitle } from './dialects.ts';
import { frontMatterIn } from './frontMatter.ts';
import { type Language, languageOf } from './Language.ts';
import { codeSpansIn, shownMarkdown, withoutModules } from './markdown.ts';
import { renderMarkdown } from './renderMarkdown.ts';
import { replaceEnclosed } from './replaceEnclosed.ts';
import { speakableRestructuredText } from './restructuredText.ts';
import { isTranscript, SpokenLines, type SpokenParagraph } from './SpokenLines.ts';

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

/** Removes YAML between `---` or TOML between `+++`, but not text between two thematic breaks. */
function withoutFrontMatter(text: string): string {
  const matter = frontMatterIn(text);
  if (!matter) return text;
  const content = text.slice(matter.start, matter.end);
  const isData = content.trim() === '' || /^(?:#.*\r?\n)*(?:["']?[\p{L}\p{M}\p{N}_.-]+["']?\s*[:=]|\[)/u.test(content);
  return isData ? text.slice(matter.after) : text;
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

/** Silent elements in whose place readers see something. */
const seen = words('canvas embed iframe math object pre svg');

/**
 * Returns what a person reads aloud from HTML or an HTML fragment.
 *
 * @throws Error when the elements are nested too deep
 */
function speakableHtml(
  html: string,
  {
    speaksTemplates = false,
    hasComponents = false,
    places = 0,
  }: {
    /** Whether `<template>` contains the visible content, as in Vue. */
    readonly speaksTemplates?: boolean;
    /** Whether elements that HTML does not know may be boxes with a title. */
    readonly hasComponents?: boolean;
    /** Places that were left out or changed before. */
    readonly places?: number;
  } = {},
): Speech {
  const lines = new SpokenLines();
  let omitted = places;
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
        if (isSilent && silence === 0 && seen.has(name)) omitted++;
        if (isSilent) silence++;
        if (name === 'a') links++;
        const isRule = name === 'hr';
        if (silence === 0 ? isRule : silence === 1 && isSilent && endsLine(name)) lines.end();
        if (isRule || silence > 0) lines.pass();
        if (silence === 0 && name === 'img') lines.addImage(attributes.alt ?? '', links > 0);
        else if (silence === 0) begin(lines, name);
        if (silence === 0 && hasComponents) addTitle(lines, name, attributes);
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
  return { paragraphs: lines.finish(), omitted };
}

/** Adds the title of a component: `<TabItem label="Linux">`, `<Note>`. Elements of HTML are none, unless they say so. */
function addTitle(lines: SpokenLines, name: string, attributes: Readonly<Record<string, string>>): void {
  const isOfHtml = blocks.has(name) || pausing.has(name) || inline.has(name);
  if (isOfHtml && (name !== 'aside' || (attributes.type ?? attributes.title) === undefined)) return;
  const title = componentTitle(name, attributes);
  if (title === '') return;
  lines.beginHeading();
  lines.add(title);
  lines.endHeading();
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

interface Speech {
  readonly paragraphs: readonly SpokenParagraph[];
  /** Number of places, such as code and formulas, where readers see what is not spoken, or not as it stands. */
  readonly omitted: number;
}

type SpeechReader = (text: string) => Speech;

function speakableMarkdown(written: string, isMdx: boolean): Speech {
  const { text, places } = shownMarkdown(written, isMdx);
  return speakableHtml(renderMarkdown(text, !isMdx), { hasComponents: true, places });
}

const markdown: SpeechReader = (text) => speakableMarkdown(withoutFrontMatter(text), false);
const vue: SpeechReader = (text) => speakableHtml(withoutInterpolations(text), { speaksTemplates: true });

const readers: ReadonlyMap<string, SpeechReader> = new Map([
  // `prompt` to `skill` are VS Code's language ids for Markdown written for agents.
  ...['markdown', 'quarto', 'rmd', 'prompt', 'instructions', 'chatagent', 'skill'].map((id) => [id, markdown] as const),
  // Front matter goes first: a brace in it is text, and imports may follow it directly.
  ['mdx', (text) => speakableMarkdown(withoutModules(withoutExpressions(withoutFrontMatter(text))), true)],
  ['html', (text) => speakableHtml(text)],
  ['vue', vue],
  ['vue-html', vue],
  ['svelte', (text) => speakableHtml(withoutExpressions(withoutScripts(text)))],
  ['asciidoc', (text) => ({ paragraphs: speakableAsciidoc(text), omitted: 0 })],
  ['restructuredtext', (text) => ({ paragraphs: speakableRestructuredText(text), omitted: 0 })],
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
    .paragraphs.map((paragraph) => paragraph.text)
    .join('\n\n')
    .trim();
}

/** Like {@link speakableText}, as paragraphs. A text in an unknown language is split at blank lines. */
function spokenParagraphs(text: string, languageId: string, path = ''): readonly SpokenParagraph[] {
  const read = readerOf(languageId, path);
  if (read) return read(text).paragraphs;
  return text
    .replaceAll('\r\n', '\n')
    .split(/\n[^\S\n]*\n/)
    .map((paragraph) => ({ text: paragraph.trim(), isHeading: false }))
    .filter((paragraph) => paragraph.text !== '');
}

/**
 * Returns at how many places readers see something that is not spoken, or not as it stands: code, formulas, drawings and
 * embedded files. Counted in Markdown and HTML.
 */
export function omittedPlaces(text: string, languageId: string, path = ''): number {
  return readerOf(languageId, path)?.(text).omitted ?? 0;
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
