import { withoutEntities } from './characterReferences.ts';
import { colonDirective, directiveOption, fencedBox, hasContent, indentedBox } from './dialects.ts';
import { Findings, type LineRange, linesOf, Mask } from './Findings.ts';
import { findPassages, withoutPassages } from './findPassages.ts';
import { frontMatterIn } from './frontMatter.ts';
import type { TextRange } from './MediaReference.ts';
import { hideTemplates } from './templates.ts';
import { findInScript, findInTags } from './web.ts';

/** Keys whose value is a picture in one of the site generators, and keys below them that hold its address. */
const pictureKeys = ['image', 'cover', 'heroImage'];
const addressKeys = ['image', 'src', 'path', 'url'];
const altKeys = ['alt', 'imageAlt', 'coverAlt', 'heroImageAlt'];

interface FrontMatterEntry {
  readonly key: string;
  /** Nearest less indented key above, or the TOML table. */
  readonly parent: string;
  readonly value: (TextRange & { readonly text: string }) | undefined;
}

/**
 * Finds pictures in the YAML or TOML front matter of a document.
 *
 * @returns the end of the front matter; 0 if there is none
 */
function findInFrontMatter(text: string, findings: Findings): number {
  const matter = frontMatterIn(text);
  if (!matter) return 0;
  const entries = entriesIn(text, matter.start, matter.end);
  const isPicture = ({ key, parent }: FrontMatterEntry) =>
    (parent === '' && pictureKeys.includes(key)) || (pictureKeys.includes(parent) && addressKeys.includes(key));
  const alts = altsIn(entries);
  for (const entry of entries) {
    const { key, parent, value } = entry;
    if (value === undefined) continue;
    if (parent === '' && key === 'title') findings.title(value.text);
    if (!isPicture(entry)) continue;
    const alt = alts.get(parent)?.find((other) => isAltOf(other.key, key));
    findings.reference({
      form: 'frontMatter',
      start: value.start,
      end: value.end,
      address: value.text,
      alt: alt?.value,
    });
  }
  return matter.after;
}

/**
 * Returns the first entry of each alternative text, by parent. Searched once, since front matter can have thousands of
 * pictures.
 */
function altsIn(entries: readonly FrontMatterEntry[]): ReadonlyMap<string, readonly FrontMatterEntry[]> {
  const alts = new Map<string, FrontMatterEntry[]>();
  for (const entry of entries) {
    if (!altKeys.includes(entry.key)) continue;
    const siblings = alts.get(entry.parent) ?? [];
    if (siblings.some(({ key }) => key === entry.key)) continue;
    alts.set(entry.parent, [...siblings, entry]);
  }
  return alts;
}

function isAltOf(altKey: string, key: string): boolean {
  return altKey === 'alt' || altKey === `${key}Alt`;
}

function entriesIn(text: string, from: number, to: number): readonly FrontMatterEntry[] {
  const entries: FrontMatterEntry[] = [];
  let table = '';
  let top = '';
  for (const { start, end } of linesOf(text, from)) {
    if (start >= to) break;
    const line = text.slice(start, end);
    const heading = /^\[([\w.]+)\][ \t]*$/.exec(line);
    if (heading) table = heading[1] ?? '';
    const match = /^([ \t]*)([\w-]+)[ \t]?(?:[:=])[ \t]*/.exec(line);
    if (!match) continue;
    const [whole, indent = '', key = ''] = match;
    if (indent === '') top = key;
    entries.push({ key, parent: indent === '' ? table : top, value: valueAt(text, start + whole.length, end) });
  }
  return entries;
}

/** Reads a string on one line, with or without quotes. */
function valueAt(text: string, start: number, end: number): (TextRange & { readonly text: string }) | undefined {
  const rest = text.slice(start, end);
  const quoted = /^(["'])([^"'\\]+)\1/.exec(rest);
  if (quoted) {
    const value = quoted[2] ?? '';
    return { start: start + 1, end: start + 1 + value.length, text: value };
  }
  if (/^["'[{|>&*!]/.test(rest)) return undefined;
  const comment = rest.search(/[ \t]#/);
  const value = (comment === -1 ? rest : rest.slice(0, comment)).trimEnd();
  return value === '' ? undefined : { start, end: start + value.length, text: value };
}

interface TextRun {
  readonly start: number;
  readonly length: number;
}

/**
 * Returns the code spans of a Markdown paragraph: each reaches from a run of backticks to the next run of the same
 * length.
 */
export function codeSpansIn(text: string, from: number, to: number): readonly TextRange[] {
  // Sliced, so that the search ends with the paragraph.
  const runs: readonly TextRun[] = Array.from(text.slice(from, to).matchAll(/`+/g), ({ 0: run, index }) => ({
    start: from + index,
    length: run.length,
  }));
  if (runs.length < 2) return [];
  const next = nextOfSameLength(runs);
  const spans: TextRange[] = [];
  for (let index = 0; index < runs.length; index++) {
    const run = runs[index];
    const closing = next[index];
    const close = closing === undefined ? undefined : runs[closing];
    if (!run || closing === undefined || !close || isEscaped(text, run.start)) continue;
    spans.push({ start: run.start, end: close.start + close.length });
    index = closing;
  }
  return spans;
}

/** Returns the index of the next run of the same length for each run. */
function nextOfSameLength(runs: readonly TextRun[]): readonly (number | undefined)[] {
  const latest = new Map<number, number>();
  const next = new Array<number | undefined>(runs.length);
  for (let index = runs.length - 1; index >= 0; index--) {
    const length = runs[index]?.length ?? 0;
    next[index] = latest.get(length);
    latest.set(length, index);
  }
  return next;
}

function isEscaped(text: string, at: number): boolean {
  return text[at - 1] === '\\' && text[at - 2] !== '\\';
}

interface Fence {
  readonly character: string;
  readonly length: number;
  readonly quotes: number;
}

const quoteMarks = /(?: {0,3}>)*/y;
const listMarker = /(?:[-+*]|\d{1,9}[.)])(?=[ \t\r\n]|$)/y;

/** Reads Markdown line by line and hides blocks that are not text: fenced and indented code, and comments. */
class BlockReader {
  readonly #text: string;
  readonly #mask: Mask;
  readonly #findings: Findings;
  /** False for MDX. */
  readonly #hasIndentedCode: boolean;
  #fence: Fence | undefined;
  /** Open fences whose content is text. */
  readonly #boxes: Fence[] = [];
  /** Whether the line above opened one of them, or is an option of it. */
  #isBelowDirective = false;
  /** Columns at which the contents of the open list items begin. */
  #columns: number[] = [];
  #isAfterBlank = true;
  #isAfterCode = false;
  /** End of a comment that spans lines; lines before it are skipped. */
  #commentEnd = 0;
  #nextComment: number;
  /** Last line of text, which becomes a heading if the next line underlines it. */
  #above: LineRange | undefined;

  constructor(text: string, mask: Mask, findings: Findings, hasIndentedCode: boolean) {
    this.#text = text;
    this.#mask = mask;
    this.#findings = findings;
    this.#hasIndentedCode = hasIndentedCode;
    this.#nextComment = text.indexOf('<!--');
  }

  read(from: number): void {
    for (const line of linesOf(this.#text, from)) this.#readLine(line);
  }

  #readLine(line: LineRange): void {
    if (line.end <= this.#commentEnd && this.#commentEnd > 0) return;
    const { start, end } = line;
    const first = this.#text[start];
    const quote = first === '>' || first === ' ' ? this.#sticky(quoteMarks, start) : '';
    const quotes = quote === '' ? 0 : quote.split('>').length - 1;
    let at = start + quote.length;
    if (quotes > 0 && this.#text[at] === ' ') at++;
    if (this.#fence && quotes < this.#fence.quotes) this.#fence = undefined;
    const isOption = this.#isBelowDirective && this.#sticky(directiveOption, this.#indentation(at, 0)[0]) !== '';
    this.#isBelowDirective = isOption;
    if (isOption) this.#mask.hide(at, end);
    else if (this.#fence) this.#readFenced(this.#fence, at, end);
    else if (this.#isBlank(at, end)) {
      this.#isAfterBlank = true;
      this.#above = undefined;
    } else this.#readText(at, end, quotes);
  }

  #readText(from: number, end: number, quotes: number): void {
    const [at, column] = this.#enterList(...this.#indentation(from, 0), end);
    const isBox = column - (this.#columns.at(-1) ?? 0) < 4 && this.#sticky(indentedBox, at) !== '';
    if (isBox && this.#columns.length <= 100) this.#columns.push(column + 4);
    const indent = column - (this.#columns.at(-1) ?? 0);
    if (indent >= 4 && this.#hasIndentedCode && (this.#isAfterBlank || this.#isAfterCode)) {
      this.#mask.hide(at, end);
      this.#isAfterCode = true;
      return;
    }
    this.#isAfterCode = false;
    this.#isAfterBlank = false;
    if (indent < 4 && this.#openFence(at, end, quotes)) return;
    this.#isBelowDirective = this.#sticky(colonDirective, at) !== '';
    this.#readHeading({ start: at, end });
    this.#hideComments(at, end);
  }

  /** Enters list items that begin on this line, and leaves those that end before it. */
  #enterList(from: number, fromColumn: number, end: number): [at: number, column: number] {
    let [at, column] = [from, fromColumn];
    for (;;) {
      const marker = this.#sticky(listMarker, at);
      const isRule = marker !== '' && /^(?:[-*][ \t]*){3,}$/.test(this.#text.slice(at, Math.min(end, at + 200)));
      const isItem = marker !== '' && !isRule && column - (this.#columns.at(-1) ?? 0) < 4;
      if (isItem || this.#isAfterBlank) {
        while (column < (this.#columns.at(-1) ?? 0)) this.#columns.pop();
      }
      if (!isItem || this.#columns.length > 100) return [at, column];
      const [next, nextColumn] = this.#indentation(at + marker.length, column + marker.length);
      const isCode = nextColumn - column - marker.length > 4;
      this.#columns.push(isCode || next >= end ? column + marker.length + 1 : nextColumn);
      this.#isAfterBlank = isCode;
      [at, column] = [next, nextColumn];
      if (isCode || next >= end) return [at, column];
    }
  }

  #openFence(at: number, end: number, quotes: number): boolean {
    const first = this.#text[at];
    if (first !== '`' && first !== '~') return false;
    const run = this.#sticky(first === '`' ? /`{3,}/y : /~{3,}/y, at);
    if (run === '' || (first === '`' && this.#text.slice(at + run.length, end).includes('`'))) return false;
    this.#mask.hide(at, end);
    const box = this.#boxes.at(-1);
    if (box && run.length >= box.length && this.#isRun(at, end, box.character)) this.#boxes.pop();
    else if (hasContent(this.#directiveAt(at + run.length))) {
      this.#boxes.push({ character: first, length: run.length, quotes });
      this.#isBelowDirective = true;
    } else this.#fence = { character: first, length: run.length, quotes };
    this.#readDirective(at + run.length, end);
    this.#above = undefined;
    return true;
  }

  /** Reads a picture of MyST: three backticks and `{figure} path`. */
  #readDirective(at: number, end: number): void {
    const [whole = '', before = '', address = ''] =
      /^(\{(?:image|figure)\}[ \t]+)([^\s`](?:[^\r\n`]*[^\s`])?)/.exec(
        this.#text.slice(at, Math.min(end, at + 1000)),
      ) ?? [];
    if (whole === '') return;
    const start = at + before.length;
    this.#findings.reference({ form: 'macro', start, end: start + address.length, address });
  }

  #directiveAt(at: number): string {
    fencedBox.lastIndex = at;
    return fencedBox.exec(this.#text)?.[1] ?? '';
  }

  #isRun(at: number, end: number, character: string, length = 0): boolean {
    const line = this.#text.slice(at, Math.min(end, at + 1000)).trim();
    return line.length >= length && line === character.repeat(line.length);
  }

  #readFenced({ character, length }: Fence, at: number, end: number): void {
    if (this.#isRun(at, end, character, length)) this.#fence = undefined;
    this.#mask.hide(at, end);
    this.#isAfterBlank = true;
  }

  #readHeading(line: LineRange): void {
    const above = this.#above;
    this.#above = line;
    if (!'#=-'.includes(this.#text[line.start] ?? ' ')) return;
    const text = this.#text.slice(line.start, Math.min(line.end, line.start + 500));
    if (/^#{1,6}[ \t]/.test(text)) {
      this.#findings.heading(line.start, text.replace(/^#+[ \t]+/, '').replace(/[ \t]#+[ \t]*$/, ''));
      this.#above = undefined;
    } else if (above && /^(?:=+|-{2,})[ \t]*$/.test(text)) {
      this.#findings.heading(above.start, this.#text.slice(above.start, Math.min(above.end, above.start + 500)));
      this.#above = undefined;
    }
  }

  #hideComments(from: number, end: number): void {
    if (this.#nextComment !== -1 && this.#nextComment < from) this.#nextComment = this.#text.indexOf('<!--', from);
    if (this.#nextComment === -1 || this.#nextComment >= end) return;
    const code = codeSpansIn(this.#text, from, end);
    let span = 0;
    for (let start = this.#nextComment; start !== -1 && start < end; start = this.#nextComment) {
      while ((code[span]?.end ?? end) <= start) span++;
      const isCode = (code[span]?.start ?? end) < start;
      const close = isCode ? -1 : this.#text.indexOf('-->', start + 4);
      // An unclosed comment at the start of a line hides the rest of the document, as in CommonMark.
      const after = close !== -1 ? close + 3 : isCode || start > from ? undefined : this.#text.length;
      if (after !== undefined) this.#mask.hide(start, after);
      if (!isCode && close === -1) this.#nextComment = -1;
      else this.#nextComment = this.#text.indexOf('<!--', after ?? start + 4);
      if (after !== undefined && after > end) this.#commentEnd = after;
    }
  }

  #isBlank(at: number, end: number): boolean {
    for (let index = at; index < end; index++) {
      const character = this.#text[index];
      if (character !== ' ' && character !== '\t') return false;
    }
    return true;
  }

  #indentation(from: number, fromColumn: number): [at: number, column: number] {
    let [at, column] = [from, fromColumn];
    for (; ; at++) {
      if (this.#text[at] === ' ') column++;
      else if (this.#text[at] === '\t') column += 4 - (column % 4);
      else return [at, column];
    }
  }

  #sticky(pattern: RegExp, at: number): string {
    pattern.lastIndex = at;
    return pattern.exec(this.#text)?.[0] ?? '';
  }
}

interface Bracket {
  /** Offset at which its label begins. */
  readonly start: number;
  readonly isImage: boolean;
}

/** Maximum depth of parentheses in an address. It keeps the time linear for a text of only parentheses. */
const deepest = 32;
const maxLabelLength = 1000;

/** Finds links and images in Markdown whose code and comments are hidden. */
class InlineReader {
  readonly #text: string;
  readonly #findings: Findings;
  readonly #definitions: { readonly label: string; readonly destination: TextRange }[] = [];
  /** Alternative text of the first image that uses each definition. */
  readonly #uses = new Map<string, TextRange>();

  constructor(text: string, findings: Findings) {
    this.#text = text;
    this.#findings = findings;
  }

  read(from: number): void {
    const tokens = /\\[^\n]|!?\[|\]|\n[ \t>]*(?=\r?\n)/g;
    tokens.lastIndex = from;
    let open: Bracket[] = [];
    for (let match = tokens.exec(this.#text); match; match = tokens.exec(this.#text)) {
      const [token] = match;
      if (token.startsWith('\\')) continue;
      if (token.endsWith('[')) open.push({ start: match.index + token.length, isImage: token.length === 2 });
      else if (token === ']') {
        const bracket = open.pop();
        if (bracket) tokens.lastIndex = this.#close(bracket, match.index);
      } else open = [];
    }
    for (const { label, destination } of this.#definitions) {
      this.#add('definition', destination, this.#uses.get(label));
    }
  }

  /** Closes a bracket. @returns the offset to continue at */
  #close({ start, isImage }: Bracket, end: number): number {
    const after = this.#text[end + 1];
    const label = { start, end };
    if (after === '(') {
      const destination = this.#destinationAt(end + 2);
      if (!destination) return end + 1;
      this.#add('inline', destination, label);
      return destination.end;
    }
    if (after === ':' && !isImage && this.#isLineStart(start - 1)) {
      this.#define(label);
      return end + 2;
    }
    if (isImage) {
      const name = after === '[' ? this.#labelAt(end + 2) : label;
      const key = this.#keyOf(name.end > name.start ? name : label);
      if (!this.#uses.has(key)) this.#uses.set(key, label);
    }
    return end + 1;
  }

  #labelAt(start: number): TextRange {
    const end = this.#text.slice(start, start + maxLabelLength).search(/[[\]]/);
    return { start, end: end === -1 ? start : start + end };
  }

  #define(label: TextRange): void {
    if (this.#text[label.start] === '^') return;
    const rest = /[ \t]*(?:\r?\n[ \t]*)?/y;
    rest.lastIndex = label.end + 2;
    rest.exec(this.#text);
    const at = Math.max(rest.lastIndex, label.end + 2);
    const destination = this.#text[at] === '<' ? this.#inAngles(at) : this.#bare(at, false);
    if (destination && this.#endsDefinition(destination.end))
      this.#definitions.push({ label: this.#keyOf(label), destination });
  }

  /** Whether an address is followed by the end of the line, by a title or by attributes of Pandoc. */
  #endsDefinition(at: number): boolean {
    const pattern = />?[ \t]*(?:["'({\r\n]|$)/y;
    pattern.lastIndex = at;
    return pattern.test(this.#text);
  }

  #destinationAt(from: number): TextRange | undefined {
    const space = /[ \t]*(?:\r?\n[ \t]*)?/y;
    space.lastIndex = from;
    space.exec(this.#text);
    const at = Math.max(space.lastIndex, from);
    return this.#text[at] === '<' ? this.#inAngles(at) : this.#bare(at, true);
  }

  #inAngles(at: number): TextRange | undefined {
    const pattern = /<[^<>\n]*>/y;
    pattern.lastIndex = at;
    const found = pattern.exec(this.#text);
    return found ? { start: at + 1, end: at + found[0].length - 1 } : undefined;
  }

  /** Returns an address without spaces; in a link it ends before the link's closing parenthesis. */
  #bare(start: number, isInLink: boolean): TextRange | undefined {
    const part = /[^\s\\()]+|\\[^\n]?|[()]/y;
    part.lastIndex = start;
    let [end, depth] = [start, 0];
    for (let match = part.exec(this.#text); match; match = part.exec(this.#text)) {
      if (match[0] === '(' && ++depth > deepest) return undefined;
      if (match[0] === ')' && --depth < 0 && isInLink) return { start, end: match.index };
      end = part.lastIndex;
    }
    return end > start && (!isInLink || this.#isClosed(end)) ? { start, end } : undefined;
  }

  /** Returns whether an address is followed by a title, by the size of the picture or by the end of the link. */
  #isClosed(at: number): boolean {
    const pattern = /[ \t]*(?:\r?\n[ \t]*)?(?:["'()]|=\d{0,9}%?x\d{0,9}%?[ \t]*\))/y;
    pattern.lastIndex = at;
    return pattern.test(this.#text);
  }

  #add(form: 'inline' | 'definition', { start, end }: TextRange, alt: TextRange | undefined): void {
    // Most links lead to the web and need no further work.
    if (this.#text.startsWith('https://', start) || this.#text.startsWith('http://', start)) return;
    const written = this.#text.slice(start, end);
    const address = withoutEntities(written.replace(/\\([!-/:-@[-`{-~])/g, '$1'));
    this.#findings.reference({ form, start, end, address, alt });
  }

  /** Whether nothing but the marks of quotes and lists stands in front of an offset. */
  #isLineStart(at: number): boolean {
    const before = this.#text.slice(Math.max(0, at - 40), at);
    const isWhole = before.length === at || before.includes('\n');
    return isWhole && /(?:^|\n)[ >]*(?:(?:[-+*]|\d{1,9}[.)])[ \t][ \t>]*)*$/.test(before);
  }

  #keyOf({ start, end }: TextRange): string {
    return this.#text
      .slice(start, Math.min(end, start + maxLabelLength))
      .replace(/\s+/g, ' ')
      .trim()
      .toLowerCase();
  }
}

/** Hides what is no text in Markdown: front matter, code and comments. */
function withoutCode(text: string, isMdx: boolean, findings: Findings, body: number): string {
  const blocks = new Mask(text);
  blocks.hide(0, body);
  new BlockReader(text, blocks, findings, !isMdx).read(body);
  const withoutBlocks = blocks.apply();
  const spans = new Mask(withoutBlocks);
  hideCodeSpans(withoutBlocks, spans);
  return spans.apply();
}

/** Finds references in Markdown or MDX: front matter, text, definitions and tags. */
export function findInMarkdown(text: string, isMdx: boolean, findings: Findings): void {
  const body = findInFrontMatter(text, findings);
  const code = withoutCode(text, isMdx, findings, body);
  const unseen = new Mask(code);
  for (const { passage, start, end } of findPassages(text, code)) {
    if (passage.end && !passage.spoken) unseen.hide(start, end);
  }
  const seen = unseen.apply();
  const mask = new Mask(seen);
  hideTemplates(seen, { mask, findings });
  const withoutTemplates = mask.apply();
  const masked = isMdx ? withoutExpressions(withoutTemplates, findings) : withoutTemplates;
  new InlineReader(masked, findings).read(body);
  findInTags(masked, findings, body);
}

/** Returns Markdown without front matter as a page shows it, and at how many places that differs in a visible way. */
export function shownMarkdown(text: string, isMdx: boolean): ReturnType<typeof withoutPassages> {
  return withoutPassages(
    text,
    findPassages(text, withoutCode(text, isMdx, new Findings(text, isMdx ? 'mdx' : 'markdown'), 0)),
  );
}

function hideCodeSpans(text: string, mask: Mask): void {
  // A paragraph ends at a blank line or a hidden block.
  const breaks = /\n[ \t>]*(?=\r?\n|\uE000)/g;
  let backtick = text.indexOf('`');
  while (backtick !== -1) {
    breaks.lastIndex = backtick;
    const end = breaks.exec(text)?.index ?? text.length;
    for (const span of codeSpansIn(text, backtick, end)) mask.hide(span.start, span.end);
    backtick = text.indexOf('`', end);
  }
}

/**
 * Returns the imports and exports of MDX, each up to the next blank line. They begin after a blank line, or after front
 * matter or a code block.
 *
 * @param text its code must be hidden
 */
function modulesIn(text: string): readonly TextRange[] {
  const found: TextRange[] = [];
  const modules = /(?:^|\n[ \t]*\r?\n|\n\uE000+\r?\n)(?=(?:import|export)\b[\s{*'"])/g;
  for (let match = modules.exec(text); match; match = modules.exec(text)) {
    const start = match.index + match[0].length;
    const blank = /\n[ \t]*(?=\r?\n)/g;
    blank.lastIndex = start;
    const end = blank.exec(text)?.index ?? text.length;
    found.push({ start, end });
    modules.lastIndex = Math.max(end, modules.lastIndex);
    if (modules.lastIndex >= text.length) break;
  }
  return found;
}

/** Removes the imports and exports of MDX, but not those that its code blocks show. */
export function withoutModules(text: string): string {
  const mask = new Mask(text);
  new BlockReader(text, mask, new Findings(text, 'markdown'), false).read(0);
  let kept = '';
  let from = 0;
  for (const { start, end } of modulesIn(mask.apply())) {
    kept += text.slice(from, start);
    from = end;
  }
  return kept + text.slice(from);
}

/**
 * Reads the JavaScript of MDX and hides it: imports, exports and expressions in braces, of which values of attributes
 * stay.
 */
function withoutExpressions(text: string, findings: Findings): string {
  const mask = new Mask(text);
  for (const { start, end } of modulesIn(text)) {
    findInScript(text.slice(0, end), true, findings, start);
    mask.hide(start, end);
  }
  const withoutScripts = mask.apply();
  const open: number[] = [];
  for (const { 0: brace, index } of withoutScripts.matchAll(/\\[{}]|[{}]/g)) {
    if (brace === '{') open.push(index);
    const start = brace === '}' ? open.pop() : undefined;
    if (start === undefined) continue;
    if (open.length === 0) findInScript(withoutScripts.slice(0, index), true, findings, start + 1);
    if (withoutScripts[start - 1] !== '=') mask.hide(start, index + 1);
  }
  return mask.apply();
}
