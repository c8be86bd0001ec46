import type { Findings, Line } from './Findings.ts';
import { linesOf, Mask } from './Findings.ts';
import type { TextRange } from './MediaReference.ts';
import { mediaKindOf } from './MediaReference.ts';
import type { SpokenParagraph } from './SpokenLines.ts';
import { isTranscript, SpokenLines } from './SpokenLines.ts';
import { findInTags } from './web.ts';

const directive = /^([ \t]*(?:[-*+][ \t]+)?)\.\.[ \t]+(?:\|[^|\n]{1,200}\|[ \t]+)?([\w:-]+)::[ \t]*(.*)$/;
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
  const lines = [...linesOf(text)];
  const at = (index: number) => {
    const line = lines[index];
    return line ? text.slice(line.start, line.end) : '';
  };
  const notHtml = new Mask(text);
  let hidden = 0;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index];
    if (!line) break;
    const words = at(index);
    const match = words.includes('::') ? directive.exec(words) : null;
    const name = match?.[2] ?? '';
    const end = () => blockEnd(lines, at, index, indentOf(words));
    if (match && pictureNames.has(name)) addPicture(text, lines, index, match, findings);
    else if (match && name === 'raw' && match[3]?.trim() === 'html') {
      notHtml.hide(hidden, line.end);
      index = end() - 1;
      hidden = lines[index]?.end ?? text.length;
    } else if (codeNames.has(name) || isLiteral(words, match !== null) || isComment(words)) index = end() - 1;
    else if (isHeading(words, at(index + 1))) findings.heading(line.start, words);
  }
  if (hidden === 0) return;
  notHtml.hide(hidden, text.length);
  findInTags(notHtml.apply(), findings);
}

function addPicture(
  text: string,
  lines: readonly Line[],
  index: number,
  match: RegExpExecArray,
  findings: Findings,
): void {
  const address = match[3]?.trimEnd() ?? '';
  const start = (lines[index]?.start ?? 0) + match[0].length - (match[3]?.length ?? 0);
  let alt: TextRange | undefined;
  for (let next = index + 1; next < lines.length; next++) {
    const line = lines[next];
    const option = line && /^[ \t]+:([\w-]+):[ \t]*(.*)$/.exec(text.slice(line.start, line.end));
    if (!line || !option) break;
    if (option[1] === 'alt') alt = { start: line.end - (option[2]?.length ?? 0), end: line.end };
  }
  findings.reference({ form: 'macro', start, end: start + address.length, address, alt });
}

/** Returns the index of the first line after an indented block. */
function blockEnd(lines: readonly Line[], at: (index: number) => string, first: number, indent: number): number {
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
  return line.length - line.trimStart().length;
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
const spokenDirective = /^\.\.\s+(?:\|[^|]*\|\s+)?([\w:-]+)::\s*(.*)$/;
const item = /^\s*(?:[-*+•]|(?:\d+|[a-zA-Z#])[.)]|\((?:\d+|[a-zA-Z#])\))\s+(.*)$/;
const fact = /^\s*:[^:\s][^:]*:(?:\s|$)/;
const gridBorder = /^\s*\+[-=+]+\+$/;
const simpleBorder = /^\s*=+(?:\s+=+)+$/;
/** Directives whose body is spoken. All others are silent, except a picture's alternative text. */
const spokenDirectives = new Set([
  ...['admonition', 'attention', 'caution', 'danger', 'error', 'hint', 'important', 'note', 'tip', 'warning'],
  ...['seealso', 'versionadded', 'versionchanged', 'deprecated', 'epigraph', 'highlights', 'pull-quote', 'topic'],
  ...['sidebar', 'container', 'compound', 'centered', 'rubric'],
]);

/** Returns what a person reads aloud from reStructuredText. */
export function speakableRestructuredText(text: string): readonly SpokenParagraph[] {
  const reader = new RestructuredTextReader(text.split(/\r?\n/).map((line) => line.trimEnd()));
  return reader.read();
}

class RestructuredTextReader {
  readonly #source: readonly string[];
  readonly #lines = new SpokenLines();
  #isInList = false;

  constructor(source: readonly string[]) {
    this.#source = source;
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
      this.#lines.add(spoken(body.map((line) => /^\s+:alt:\s*(.*)$/.exec(line)?.[1] ?? '').join('')));
      this.#lines.end();
    }
    const isSpoken = spokenDirectives.has(name);
    if (isSpoken && argument !== '') {
      this.#lines.beginPausing();
      this.#lines.add(spoken(argument));
      this.#lines.endPausing();
    }
    if (!isSpoken && name !== 'figure') return end;
    const inner = new RestructuredTextReader(withoutIndent(body.filter((line) => !/^\s+:[\w-]+:/.test(line))));
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
  const indent = Math.min(...lines.filter((line) => line !== '').map(indentLength));
  return lines.map((line) => line.slice(indent));
}

/** Returns a line without markup. */
function spoken(line: string): string {
  return (
    line
      .replace(/``(.+?)``/g, '$1')
      // A link to a sound beside a transcript stands for a player, which the language does not have.
      .replace(/`([^`<]*?)\s*<([^`>]*)>`__?/g, (_, words: string, address: string) =>
        isTranscript(address) || mediaKindOf(address) === 'audio' ? '' : words,
      )
      .replace(/:[\w:+.-]+:`([^`<]*?)(?:\s*<[^`>]*>)?`/g, '$1')
      .replace(/`([^`]+)`__?/g, '$1')
      .replace(/\[[#*\w]+\]_/g, '')
      // Inside a word, these characters are text.
      .replace(/(?<![\p{L}\p{N}\\])\|(?![\s|])[^|]*(?<!\s)\|_?(?![\p{L}\p{N}])/gu, '')
      .replace(/(?<![\p{L}\p{N}\\])(\*\*|\*|`)(?!\s)(.+?)(?<![\s\\])\1(?![\p{L}\p{N}])/gu, '$2')
      .replace(/(\w)__?(?=[\s.,;:!?)]|$)/g, '$1')
      .replace(/\\(?:\s|(.))/g, '$1')
  );
}
