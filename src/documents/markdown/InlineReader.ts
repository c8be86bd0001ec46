import type { Findings } from '../Findings.ts';
import type { TextRange } from '../MediaReference.ts';
import { withoutEntities } from '../web/Tag.ts';

interface Bracket {
  /** Offset at which its label begins. */
  readonly start: number;
  readonly isImage: boolean;
}

interface Definition {
  readonly label: string;
  readonly destination: TextRange;
}

/** Maximum depth of parentheses in an address. It keeps the time linear for a text of only parentheses. */
const deepest = 32;
const maxLabelLength = 1000;

/** Finds links and images in Markdown whose code and comments are hidden. */
export class InlineReader {
  readonly #text: string;
  readonly #findings: Findings;
  readonly #definitions: Definition[] = [];
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
    if (destination) this.#definitions.push({ label: this.#keyOf(label), destination });
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

  /** Returns whether an address is followed by a title or by the end of the link. */
  #isClosed(at: number): boolean {
    const pattern = /[ \t]*(?:\r?\n[ \t]*)?["'()]/y;
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

  #isLineStart(at: number): boolean {
    for (let index = at - 1; ; index--) {
      const character = this.#text[index];
      if (character === undefined || character === '\n') return true;
      if ((character !== ' ' && character !== '>') || at - index > 40) return false;
    }
  }

  #keyOf({ start, end }: TextRange): string {
    return this.#text
      .slice(start, Math.min(end, start + maxLabelLength))
      .replace(/\s+/g, ' ')
      .trim()
      .toLowerCase();
  }
}
