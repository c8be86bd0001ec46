import type { Findings } from '../Findings.ts';
import type { Line } from '../lines.ts';
import { linesOf } from '../lines.ts';
import type { Mask } from '../Mask.ts';
import { codeSpansIn } from './codeSpans.ts';

interface Fence {
  readonly character: string;
  readonly length: number;
  readonly quotes: number;
}

const quoteMarks = /(?: {0,3}>)*/y;
const listMarker = /(?:[-+*]|\d{1,9}[.)])(?=[ \t\r\n]|$)/y;

/** Reads Markdown line by line and hides blocks that are not text: fenced and indented code, and comments. */
export class BlockReader {
  readonly #text: string;
  readonly #mask: Mask;
  readonly #findings: Findings;
  /** False for MDX. */
  readonly #hasIndentedCode: boolean;
  #fence: Fence | undefined;
  /** Columns at which the contents of the open list items begin. */
  #columns: number[] = [];
  #isAfterBlank = true;
  #isAfterCode = false;
  /** End of a comment that spans lines; lines before it are skipped. */
  #commentEnd = 0;
  #nextComment: number;
  /** Last line of text, which becomes a heading if the next line underlines it. */
  #above: Line | undefined;

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

  #readLine(line: Line): void {
    if (line.end <= this.#commentEnd && this.#commentEnd > 0) return;
    const { start, end } = line;
    const first = this.#text[start];
    const quote = first === '>' || first === ' ' ? this.#sticky(quoteMarks, start) : '';
    const quotes = quote === '' ? 0 : quote.split('>').length - 1;
    let at = start + quote.length;
    if (quotes > 0 && this.#text[at] === ' ') at++;
    if (this.#fence && quotes < this.#fence.quotes) this.#fence = undefined;
    if (this.#fence) this.#readFenced(this.#fence, at, end);
    else if (this.#isBlank(at, end)) {
      this.#isAfterBlank = true;
      this.#above = undefined;
    } else this.#readText(at, end, quotes);
  }

  #readText(from: number, end: number, quotes: number): void {
    const [at, column] = this.#enterList(...this.#indentation(from, 0), end);
    const indent = column - (this.#columns.at(-1) ?? 0);
    if (indent >= 4 && this.#hasIndentedCode && (this.#isAfterBlank || this.#isAfterCode)) {
      this.#mask.hide(at, end);
      this.#isAfterCode = true;
      return;
    }
    this.#isAfterCode = false;
    this.#isAfterBlank = false;
    if (indent < 4 && this.#openFence(at, end, quotes)) return;
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
    this.#fence = { character: first, length: run.length, quotes };
    this.#readDirective(at + run.length, end);
    this.#mask.hide(at, end);
    this.#above = undefined;
    return true;
  }

  /** Reads a picture of MyST: three backticks and `{figure} path`. */
  #readDirective(at: number, end: number): void {
    const [whole = '', before = '', address = ''] =
      /^(\{(?:image|figure)\}[ \t]+)([^\s`]+)/.exec(this.#text.slice(at, Math.min(end, at + 1000))) ?? [];
    if (whole === '') return;
    const start = at + before.length;
    this.#findings.reference({ form: 'macro', start, end: start + address.length, address });
  }

  #readFenced({ character, length }: Fence, at: number, end: number): void {
    const line = this.#text.slice(at, Math.min(end, at + 1000)).trim();
    if (line.length >= length && line === character.repeat(line.length)) this.#fence = undefined;
    this.#mask.hide(at, end);
    this.#isAfterBlank = true;
  }

  #readHeading(line: Line): void {
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
