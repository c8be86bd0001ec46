import { type Findings, type LineRange, linesOf, Mask } from './Findings.ts';
import { mediaKindOf, type TextRange } from './MediaReference.ts';
import { replaceEnclosed } from './replaceEnclosed.ts';
import { isTranscript, SpokenLines, type SpokenParagraph } from './SpokenLines.ts';
import { findInTags } from './web.ts';

/** What may stand in front of a directive: the indentation, and the markers of the lists whose items begin with it. */
const markers = /^[ \t]*(?:(?:[-*+]|\(?(?:\d{1,9}|[a-z#]|[ivxlcdm]{2,9})[.)])[ \t]+){0,8}/i;
const indentation = /^[ \t]*/;
const directive = /^\.\.[ \t]+(?:\|[^|\n]{1,200}\|[ \t]+)?([\w:-]+)::[ \t]*(.*)/s;
/** The first line of a substitution whose directive stands on the next one. */
const substitution = /^\.\.[ \t]+\|[^|\n]{1,200}\|[ \t]*$/;
const pictureNames = new Set(['image', 'figure', 'video', 'audio', 'thumbnail']);
const codeNames = new Set([
  'code',
  'code-block',
  'sourcecode',
  'literalinclude',
  'parsed-literal',
  'math',
  'highlight',
]);

/** Finds the directives `image`, `figure`, `video` and `audio`, and the tags of `raw:: html`. */
export function findInRestructuredText(text: string, findings: Findings): void {
  findInLines(text, [...linesOf(text)], findings);
}

/** @param depth number of tables around the lines */
function findInLines(text: string, lines: readonly LineRange[], findings: Findings, depth = 0): void {
  const at = (index: number) => {
    const line = lines[index];
    return line ? text.slice(line.start, line.end) : '';
  };
  const notHtml = new Mask(text);
  let hidden = 0;
  /** Column of the paragraph that the line above belongs to. */
  let paragraph: number | undefined;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index];
    if (!line) break;
    // A further line of a paragraph begins no list item.
    const before = (indentOf(at(index)) === paragraph ? indentation : markers).exec(at(index))?.[0] ?? '';
    paragraph = undefined;
    const column = widthOf(before);
    const words = at(index).slice(before.length);
    const isSubstitution = substitution.test(words) && indentOf(at(index + 1)) > column;
    if (isSubstitution) index++;
    const match = directive.exec(isSubstitution ? `.. ${at(index).trimStart()}` : words);
    const name = match?.[1] ?? '';
    const end = () => blockEnd(lines, at, index, column);
    if (pictureNames.has(name)) addPicture(text, { lines, first: index, column }, match?.[2] ?? '', findings);
    else if (gridBorder.test(words) && depth < deepest) {
      const table = lines.slice(index, tableEnd(at, index));
      for (const cell of cellsOf(text, table)) findInLines(text, cell, findings, depth + 1);
      index += table.length - 1;
    } else if (match && name === 'raw' && match[2]?.trim() === 'html') {
      notHtml.hide(hidden, line.end);
      index = end() - 1;
      hidden = lines[index]?.end ?? text.length;
    } else if (codeNames.has(name) || isLiteral(words, match !== null) || isComment(words)) index = end() - 1;
    else {
      if (isHeading(at(index), at(index + 1))) findings.heading(line.start, at(index));
      if (words.trim() !== '' && !words.startsWith('..') && !underline.test(words.trimEnd())) paragraph = column;
    }
  }
  if (hidden === 0) return;
  notHtml.hide(hidden, text.length);
  findInTags(notHtml.apply(), findings);
}

/** A picture has no more lines of options. It keeps the time linear for directives inside directives. */
const maxOptionLines = 100;

/** Adds the picture of a directive. @param argument the end of its first line */
function addPicture(
  text: string,
  {
    lines,
    first,
    column,
  }: {
    readonly lines: readonly LineRange[];
    /** Index of its first line. */
    readonly first: number;
    /** Column at which it begins. All other lines are indented deeper. */
    readonly column: number;
  },
  argument: string,
  findings: Findings,
): void {
  let start = (lines[first]?.end ?? 0) - argument.length;
  let end = start + argument.trimEnd().length;
  let address = argument.trimEnd();
  let alt: TextRange | undefined;
  let isAlt: boolean | undefined;
  for (const line of lines.slice(first + 1, first + 1 + maxOptionLines)) {
    const words = text.slice(line.start, line.end);
    if (words.trim() === '' || indentOf(words) <= column) break;
    const option = /^[ \t]+:([\w-]+):[ \t]*(.*)/.exec(words);
    if (option) isAlt = option[1] === 'alt';
    if (isAlt === undefined) {
      // The address goes on, or begins here.
      end = line.start + words.trimEnd().length;
      if (address === '') start = line.start + words.length - words.trimStart().length;
      address += words.trim();
    }
    if (isAlt)
      alt = { start: alt?.start ?? line.end - (option?.[2]?.length ?? 0), end: line.start + words.trimEnd().length };
  }
  findings.reference({ form: 'macro', start, end, address, alt });
}

/** Returns the index of the first line after a table. */
function tableEnd(at: (index: number) => string, first: number): number {
  let end = first + 1;
  while (/^[ \t]*[+|]/.test(at(end))) end++;
  return end;
}

/** Returns the lines of each cell of a table whose cells have borders. A cell may extend over several columns and rows. */
function cellsOf(text: string, table: readonly LineRange[]): readonly (readonly LineRange[])[] {
  const cells: LineRange[][] = [];
  const borders = new Set<number>();
  for (const { start, end } of table) {
    for (const { index } of text.slice(start, end).matchAll(/(?<=-|=)\+|\+(?=-|=)/g)) borders.add(index);
  }
  let open = new Map<string, LineRange[]>();
  for (const { start, end } of table) {
    const line = text.slice(start, end);
    const cuts = Array.from(line.matchAll(/[+|]/g), ({ index }) => index).filter((index) => borders.has(index));
    const next = new Map<string, LineRange[]>();
    for (const [index, cut] of cuts.entries()) {
      const after = cuts[index + 1];
      if (after === undefined || /^(?:-+|=+)$/.test(line.slice(cut + 1, after))) continue;
      const key = `${cut} ${after}`;
      const cell = open.get(key) ?? [];
      if (cell.length === 0) cells.push(cell);
      cell.push({ start: start + cut + 1, end: start + after });
      next.set(key, cell);
    }
    open = next;
  }
  return cells;
}

/** Returns the index of the first line after an indented block. */
function blockEnd(lines: readonly LineRange[], at: (index: number) => string, first: number, indent: number): number {
  let end = first + 1;
  for (let index = end; index < lines.length; index++) {
    const words = at(index);
    if (words.trim() === '') continue;
    if (indentOf(words) <= indent) break;
    end = index + 1;
  }
  return end;
}

function indentOf(line: string): number {
  return widthOf(line.slice(0, line.length - line.trimStart().length));
}

/** Returns how many columns a text takes at the beginning of a line. Tabs end at each eighth one. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += character === '\t' ? 8 - (width % 8) : 1;
  return width;
}

/** A paragraph that ends with two colons introduces a literal block. */
function isLiteral(line: string, isDirective: boolean): boolean {
  return !isDirective && line.trimEnd().endsWith('::');
}

/** A comment is explicit markup that is not a directive, footnote, target or substitution. */
function isComment(line: string): boolean {
  return /^[ \t]*\.\.(?:[ \t]+(?![[_|])(?![\w:-]+::)|[ \t]*$)/.test(line);
}

function isHeading(line: string, below: string): boolean {
  const length = below.trimEnd().length;
  return (
    length >= 3 &&
    length >= line.trimEnd().length &&
    line.trim() !== '' &&
    /^([=\-`:'"~^_*+#<>.])\1+[ \t]*$/.test(below) &&
    !/^[=\-~^"'*+#]+$/.test(line)
  );
}

const underline = /^([!-/:-@[-`{-~])\1{2,}$/;
const spokenDirective = /^\.\.\s+(?:\|[^|]*\|\s+)?([\w:-]+)::\s*(.*)/;
const item = /^\s*(?:[-*+•]|(?:\d+|[a-zA-Z#])[.)]|\((?:\d+|[a-zA-Z#])\))\s+(\S.*)/;
const fact = /^\s*:[^:\s][^:]*:(?:\s|$)/;
const gridBorder = /^\s*\+[-=+]+\+$/;
const simpleBorder = /^\s*=+(?:\s+=+)+$/;
/** Directives whose body is spoken. All others are silent, except a picture's alternative text. */
const spokenDirectives = new Set([
  ...['admonition', 'attention', 'caution', 'danger', 'error', 'hint', 'important', 'note', 'tip', 'warning'],
  ...['seealso', 'versionadded', 'versionchanged', 'deprecated', 'epigraph', 'highlights', 'pull-quote', 'topic'],
  ...['sidebar', 'container', 'compound', 'centered', 'rubric'],
]);

/** Directives inside so many others are silent. It keeps the time linear, because each level copies its lines. */
const deepest = 16;

/** Returns what a person reads aloud from reStructuredText. */
export function speakableRestructuredText(text: string): readonly SpokenParagraph[] {
  const reader = new RestructuredTextReader(text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.trimEnd()));
  return reader.read();
}

class RestructuredTextReader {
  readonly #source: readonly string[];
  readonly #depth: number;
  readonly #lines = new SpokenLines();
  #isInList = false;

  /** @param depth number of directives around it */
  constructor(source: readonly string[], depth = 0) {
    this.#source = source;
    this.#depth = depth;
  }

  read(): readonly SpokenParagraph[] {
    for (let at = 0; at < this.#source.length; ) at = this.#readAt(at);
    this.#endList();
    return this.#lines.finish();
  }

  /** Reads a block. @returns the index of the next line to read */
  #readAt(at: number): number {
    const line = this.#source[at] ?? '';
    const next = this.#source[at + 1] ?? '';
    const isFirst = at === 0 || this.#source[at - 1] === '';
    if (line === '') {
      this.#lines.end();
      return at + 1;
    }
    if (gridBorder.test(line) || simpleBorder.test(line)) return this.#readTable(at);
    if (underline.test(line)) return at + 1;
    if (line.startsWith('.. ') || line === '..' || line.trimStart().startsWith('.. ')) return this.#readDirective(at);
    if (underline.test(next) && !/^\s/.test(line)) return this.#readHeading(at);
    // Field lists: metadata of the document, and options.
    const isAfterFact = at > 0 && fact.test(this.#source[at - 1] ?? '');
    if ((isFirst || isAfterFact) && fact.test(line)) return this.#behindBlock(at);
    return this.#readLine(at, isFirst);
  }

  #readHeading(at: number): number {
    this.#endList();
    this.#lines.beginHeading();
    this.#lines.add(spoken(this.#source[at] ?? ''));
    this.#lines.endHeading();
    return at + 2;
  }

  #readLine(at: number, isFirst: boolean): number {
    const line = this.#source[at] ?? '';
    const [, words] = isFirst || this.#isInList ? (item.exec(line) ?? []) : [];
    const isLiteral = line.endsWith('::');
    const shown = (words ?? line).replace(/(^|\s)::$/, '$1').replace(/::$/, ':');
    if (words !== undefined) {
      if (!this.#isInList) this.#lines.beginGroup();
      else this.#lines.endPausing();
      this.#isInList = true;
      this.#lines.beginPausing();
    } else if (isFirst && !/^\s/.test(line)) this.#endList();
    this.#lines.add(`${spoken(shown)}\n`);
    if (!isLiteral) return at + 1;
    this.#lines.end();
    return this.#behindBlock(at);
  }

  #endList(): void {
    if (!this.#isInList) return;
    this.#lines.endPausing();
    this.#lines.endGroup();
    this.#isInList = false;
  }

  /** Reads a directive, comment, footnote or target, with the indented lines below it. */
  #readDirective(at: number): number {
    if (indentLength(this.#source[at] ?? '') === 0) this.#endList();
    this.#lines.end();
    const [, name = '', argument = ''] = spokenDirective.exec((this.#source[at] ?? '').trimStart()) ?? [];
    const end = this.#behindBlock(at);
    const body = this.#source.slice(at + 1, end);
    if (['image', 'figure'].includes(name)) {
      this.#lines.add(spoken(body.map((line) => /^\s+:alt:\s*(.*)/.exec(line)?.[1] ?? '').join('')));
      this.#lines.end();
    }
    const isSpoken = spokenDirectives.has(name);
    if (isSpoken && argument !== '') {
      this.#lines.beginPausing();
      this.#lines.add(spoken(argument));
      this.#lines.endPausing();
    }
    if ((!isSpoken && name !== 'figure') || this.#depth === deepest) return end;
    const content = withoutIndent(body.filter((line) => !/^\s+:[\w-]+:/.test(line)));
    const inner = new RestructuredTextReader(content, this.#depth + 1);
    for (const { text } of inner.read()) {
      this.#lines.add(text);
      this.#lines.end();
    }
    return end;
  }

  #readTable(at: number): number {
    this.#endList();
    this.#lines.beginGroup();
    let line = at;
    for (; (this.#source[line] ?? '') !== ''; line++) {
      const row = this.#source[line] ?? '';
      if (gridBorder.test(row) || simpleBorder.test(row)) continue;
      const cells = row.includes('|') ? row.split('|') : row.trim().split(/\s{2,}/);
      this.#lines.beginPausing();
      for (const cell of cells.filter((words) => words.trim() !== '')) {
        this.#lines.beginCell();
        this.#lines.add(spoken(cell.trim()));
        this.#lines.endCell();
      }
      this.#lines.endPausing();
    }
    this.#lines.endGroup();
    return line;
  }

  /** Returns the index of the next line that is not indented deeper. */
  #behindBlock(at: number): number {
    const indent = indentLength(this.#source[at] ?? '');
    let end = at + 1;
    while (end < this.#source.length) {
      const line = this.#source[end] ?? '';
      if (line !== '' && indentLength(line) <= indent) break;
      end++;
    }
    return end;
  }
}

function indentLength(line: string): number {
  return /^\s*/.exec(line)?.[0].length ?? 0;
}

function withoutIndent(lines: readonly string[]): readonly string[] {
  const indent = lines.reduce(
    (least, line) => (line === '' ? least : Math.min(least, indentLength(line))),
    Number.POSITIVE_INFINITY,
  );
  return lines.map((line) => line.slice(indent));
}

const backticks = /``/g;
const backtickOrTarget = /[`<]/g;
const endOfTarget = />`(__?)?|[`>]/g;
const endOfReference = /`(__?)?/g;
const endOfSubstitution = /\|(?:(?<!\s\|)(_?)(?![\p{L}\p{N}])|)/gu;
const marks: Readonly<Record<string, RegExp>> = {
  '**': /(?<![\s\\])\*\*(?![\p{L}\p{N}])/gu,
  '*': /(?<![\s\\])\*(?![\p{L}\p{N}])/gu,
  '`': /(?<![\s\\])`(?![\p{L}\p{N}])/gu,
};

/** Returns a line without markup. */
function spoken(line: string): string {
  return withoutMarks(withoutReferences(line))
    .replace(/(\w)__?(?=[\s.,;:!?)]|$)/g, '$1')
    .replace(/\\(?:\s|(.))/g, '$1');
}

/** Replaces literals, links, roles and references by their words, and removes footnotes and substitutions. */
function withoutReferences(line: string): string {
  const withoutLiterals = replaceEnclosed(line, /``/g, ({ index }, find) => {
    const end = find(backticks, index + 3);
    return end && { end: end.index + 2, text: line.slice(index + 2, end.index) };
  });
  const named = withoutRoles(withoutLinks(withoutLiterals));
  const unnamed = replaceEnclosed(named, /`/g, ({ index }, find) => {
    const end = find(endOfReference, index + 1);
    if (end?.[1] === undefined || end.index === index + 1) return undefined;
    return { end: end.index + end[0].length, text: named.slice(index + 1, end.index) };
  }).replace(/\[[#*\w]+\]_/g, '');
  // Inside a word, this character is text.
  return replaceEnclosed(unnamed, /(?<![\p{L}\p{N}\\])\|(?![\s|])/gu, ({ index }, find) => {
    const end = find(endOfSubstitution, index + 1);
    return end?.[1] === undefined ? undefined : { end: end.index + end[0].length, text: '' };
  });
}

/** Replaces `` `words <address>`_ `` by the words. */
function withoutLinks(line: string): string {
  return replaceEnclosed(line, /`/g, ({ index }, find) => {
    const target = find(backtickOrTarget, index + 1);
    const end = target?.[0] === '<' ? find(endOfTarget, target.index + 1) : undefined;
    if (!target || end?.[1] === undefined) return undefined;
    const address = line.slice(target.index + 1, end.index);
    // A link to a sound beside a transcript stands for a player, which the language does not have.
    const isSilent = isTranscript(address) || mediaKindOf(address) === 'audio';
    return { end: end.index + end[0].length, text: isSilent ? '' : line.slice(index + 1, target.index).trimEnd() };
  });
}

/** Replaces `` :role:`words` `` and `` :role:`words <target>` `` by the words. */
function withoutRoles(line: string): string {
  return replaceEnclosed(line, /[\w:+.-]+/g, ({ 0: run, index }, find) => {
    const colon = run.indexOf(':');
    const start = index + run.length + 1;
    if (!run.endsWith(':') || colon > run.length - 3 || line[start - 1] !== '`') return undefined;
    const stop = find(backtickOrTarget, start);
    if (!stop) return undefined;
    const words = run.slice(0, colon) + line.slice(start, stop.index);
    if (stop[0] === '`') return { end: stop.index + 1, text: words };
    const end = find(endOfTarget, stop.index + 1);
    return end?.[0].startsWith('>`') ? { end: end.index + 2, text: words.trimEnd() } : undefined;
  });
}

/** Removes the marks of emphasis and interpreted text. Inside a word, they are text. */
function withoutMarks(line: string): string {
  return replaceEnclosed(line, /(?<![\p{L}\p{N}\\])(?:\*\*|[*`])(?!\s)/gu, ({ 0: begin, index }, find) => {
    // Two asterisks without an end may be one, and text.
    for (const mark of begin === '**' ? ['**', '*'] : [begin]) {
      const start = index + mark.length;
      const closing = marks[mark];
      const end = closing && find(closing, start + 1);
      if (end) return { end: end.index + mark.length, text: line.slice(start, end.index) };
    }
    return undefined;
  });
}
