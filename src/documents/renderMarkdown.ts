import MarkdownIt, {
  type MarkdownIt as Markdown,
  type StateBlock,
  type StateCore,
  type StateInline,
} from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import { indentOf, matchAt, pushInline, startOf } from './blockLines.ts';
import { DefinitionLists } from './DefinitionLists.ts';
import {
  boxTitle,
  callout,
  colonBox,
  colonTitle,
  directiveOption,
  directiveTitle,
  fencedBox,
  hasContent,
  indentedBox,
  indentedTitle,
  isFormula,
} from './dialects.ts';
import { formula } from './formula.ts';
import { withPause } from './SpokenLines.ts';

/**
 * Renders Markdown as HTML: CommonMark with tables, strikethrough, footnotes, definition lists and boxes. Footnotes come
 * last and without links to them.
 */
export function renderMarkdown(text: string, hasIndentedCode: boolean): string {
  const markdown = new MarkdownIt({ html: true }).use(footnotes).use(extensions);
  if (!hasIndentedCode) markdown.disable('code');
  markdown.core.ruler.before('footnote_tail', 'growing', (state) => {
    state.tokens = GrowingArray.from(state.tokens);
  });
  markdown.renderer.rules.footnote_ref = () => '';
  markdown.renderer.rules.footnote_anchor = () => '';
  return markdown.render(text);
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

/** Makes markdown-it read boxes, definition lists, attributes, check boxes and the titles of alerts. */
function extensions(markdown: Markdown): void {
  const alt = ['paragraph', 'reference', 'blockquote', 'list'];
  markdown.block.ruler.before('fence', 'indentedBox', readIndentedBox, { alt });
  markdown.block.ruler.before('fence', 'colonBox', readColonBox, { alt });
  markdown.block.ruler.before('fence', 'fencedBox', readFencedBox, { alt });
  const definitions = new DefinitionLists();
  markdown.block.ruler.before('lheading', 'definitions', definitions.read, { alt: ['paragraph'] });
  markdown.inline.ruler.before('backticks', 'attributes', readAttributes);
  markdown.core.ruler.after('block', 'labels', replaceLabels);
}

/** Adds a title, which belongs to what stands below it like a heading. */
function pushTitle(state: StateBlock, title: string, line: number): void {
  if (title.trim() !== '') pushInline(state, 'h6', title.trim(), line);
}

/** Reads lines as the content of a box. @param indent columns in front of it */
function readInside(state: StateBlock, from: number, to: number, indent: number): void {
  const { blkIndent, lineMax } = state;
  state.push('box_open', 'div', 1);
  state.blkIndent = indent;
  state.lineMax = to;
  state.md.block.tokenize(state, from, to);
  state.blkIndent = blkIndent;
  state.lineMax = lineMax;
  state.push('box_close', 'div', -1);
}

/** Returns the first line from a line on that is not empty, or the end. */
function notEmptyFrom(state: StateBlock, line: number, end: number): number {
  let next = line;
  while (next < end && state.isEmpty(next)) next++;
  return next;
}

/** A box of MkDocs. Without a title in quotes, it is one only if it has content. */
function readIndentedBox(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  if (indentOf(state, startLine) >= 4) return false;
  const box = matchAt(state, indentedBox, startLine);
  if (!box) return false;
  const indent = (state.sCount[startLine] ?? 0) + 4;
  const isInside = (line: number) => line < endLine && (state.sCount[line] ?? 0) >= indent;
  if (!box[0].includes('"') && !isInside(notEmptyFrom(state, startLine + 1, endLine))) return false;
  if (isSilent) return true;
  let end = startLine + 1;
  for (let next = notEmptyFrom(state, end, endLine); isInside(next); next = notEmptyFrom(state, end, endLine)) {
    end = next + 1;
  }
  pushTitle(state, indentedTitle(box), startLine);
  readInside(state, startLine + 1, end, indent);
  state.line = end;
  return true;
}

/** Returns the line after the options of a directive of MyST. */
function afterOptions(state: StateBlock, line: number, end: number): number {
  let next = line;
  while (next < end && matchAt(state, directiveOption, next)) next++;
  return next;
}

/** Reads the line that opens or closes a box between colons, and skips a directive that has no text. */
function readColonBox(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  const box = matchAt(state, colonBox, startLine);
  if (!box) return false;
  if (isSilent) return true;
  const directive = /^[\w:-]+$/.exec(box[1] ?? '')?.[0];
  state.line = startLine + 1;
  if (directive === undefined || hasContent(directive)) {
    const rest = state.src.slice(startOf(state, startLine) + box[0].length, state.eMarks[startLine]);
    pushTitle(state, colonTitle(box, rest.trim()), startLine);
    if (directive !== undefined) state.line = afterOptions(state, state.line, endLine);
    return true;
  }
  const marks = /^:+/.exec(box[0])?.[0] ?? ':::';
  while (state.line < endLine && !state.src.startsWith(marks, startOf(state, state.line))) state.line++;
  state.line = Math.min(state.line + 1, endLine);
  pushCode(state, directive);
  return true;
}

/** Adds code, which is not spoken, or a formula. */
function pushCode(state: StateBlock, directive: string): void {
  const token = state.push('fence', 'code', 0);
  token.info = `{${directive}}`;
  token.content = '';
}

const fence = /(`{3,}|~{3,})[ \t]*/my;

/** Reads a directive of MyST between backticks whose content is text. */
function readFencedBox(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  const marks = indentOf(state, startLine) < 4 ? matchAt(state, fence, startLine) : undefined;
  if (!marks) return false;
  fencedBox.lastIndex = startOf(state, startLine) + marks[0].length;
  const [, directive = '', argument = ''] = fencedBox.exec(state.src) ?? [];
  if (!hasContent(directive)) return false;
  if (isSilent) return true;
  const [, run = ''] = marks;
  let end = startLine + 1;
  for (; end < endLine && !isClosing(state, end, run); end++) {
    if (!state.isEmpty(end) && (state.sCount[end] ?? 0) < state.blkIndent) break;
  }
  pushTitle(state, directiveTitle(directive, argument), startLine);
  readInside(state, afterOptions(state, startLine + 1, end), end, state.blkIndent);
  state.line = end < endLine && isClosing(state, end, run) ? end + 1 : end;
  return true;
}

function isClosing(state: StateBlock, line: number, run: string): boolean {
  const start = startOf(state, line);
  if (!state.src.startsWith(run, start)) return false;
  const marks = state.src.slice(start, state.eMarks[line]).trimEnd();
  return indentOf(state, line) < 4 && marks === run.charAt(0).repeat(marks.length);
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

/**
 * Removes the check boxes of task lists, speaks the title of an alert or its kind, `> [!NOTE]`, and says where a fence
 * has a formula.
 */
function replaceLabels(state: StateCore): void {
  for (const [index, token] of state.tokens.entries()) {
    if (token.type === 'fence' && isFormula(token.info)) {
      token.type = 'html_block';
      token.content = `<p>${formula}</p>`;
    }
    if (token.type !== 'inline') continue;
    const container = state.tokens[index - 2]?.type;
    if (container === 'list_item_open') token.content = token.content.replace(/^\[[ xX]\](?:[ \t]+|$)/, '');
    else if (container === 'blockquote_open') {
      token.content = token.content.replace(callout, (_, kind: string, title: string) =>
        withPause(boxTitle(kind, title)),
      );
    }
  }
}
