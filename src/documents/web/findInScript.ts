import type { Findings } from '../Findings.ts';
import type { Attribute } from './Tag.ts';
import { findInTag, literalIn } from './Tag.ts';

interface OpenTag {
  readonly name: string;
  readonly attributes: Attribute[];
}

/** Where the reader is. A tag is replaced by its children when it ends. */
type Mode = 'script' | 'template' | 'children' | OpenTag;

/**
 * Maximum length of a regular expression. Longer ones are read as divisions, which keeps the time linear on minified
 * code.
 */
const maxPatternLength = 300;
/** Keywords after which a value begins, such as a regular expression or a tag. */
const operators =
  /^(?:return|typeof|case|do|else|in|instanceof|new|void|delete|throw|yield|await|default|of|extends|from|import)$/;

const scriptToken = /\s+|\/\/[^\n]*|\/\*|[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*|\d[\w.]*|[\s\S]/y;
const doubleQuoted = /(?:[^"\\\n]|\\[\s\S])*/y;
const singleQuoted = /(?:[^'\\\n]|\\[\s\S])*/y;
const moduleAddress = /\s{0,100},\s{0,100}import\.meta\.url/y;
const templateToken = /\\[\s\S]|\$\{|`|[^\\$`]+|[\s\S]/y;
const elementName = /[A-Za-z_$][\w$.:-]*/y;
const typeParameter = /[A-Za-z_$][\w$]*\s{0,100}(?:,|=|extends\b)|[A-Z][\w$]*>\(/y;
const tagToken = /\s+|\/>|[A-Za-z_$@][\w$:.-]*|[\s\S]/y;
const equalsSign = /\s{0,100}=\s{0,100}/y;
const childToken = /[^<{]+|\{|<\/[^>]{0,200}>?|<>|</y;

/**
 * Finds media that JavaScript or TypeScript imports and, with JSX, the references in its tags.
 *
 * @param offset offset of this text in the document
 */
export function findInScript(text: string, hasJsx: boolean, findings: Findings, offset = 0): void {
  new ScriptReader(text, hasJsx, findings, offset).read();
}

/** Reads JavaScript, TypeScript and JSX token by token. It never goes back, so its time is linear. */
class ScriptReader {
  readonly #text: string;
  readonly #hasJsx: boolean;
  readonly #findings: Findings;
  readonly #offset: number;
  readonly #modes: Mode[] = ['script'];
  #at = 0;
  /** Last two tokens. They distinguish a division from a regular expression, and show what a string is for. */
  #previous = '';
  #beforeThat = '';

  constructor(text: string, hasJsx: boolean, findings: Findings, offset: number) {
    this.#text = text;
    this.#hasJsx = hasJsx;
    this.#findings = findings;
    this.#offset = offset;
  }

  read(): void {
    while (this.#at < this.#text.length) {
      const mode = this.#modes.at(-1) ?? 'script';
      if (mode === 'script') this.#readScript();
      else if (mode === 'template') this.#readTemplate();
      else if (mode === 'children') this.#readChildren();
      else this.#readTag(mode);
    }
  }

  #readScript(): void {
    const token = this.#take(scriptToken);
    const first = token[0] ?? '';
    if (/\s/.test(first) || token.startsWith('//')) return;
    if (token === '/*') this.#skipTo('*/');
    else if (first === '"' || first === "'") this.#readString(first);
    else this.#readOperator(token, first);
  }

  #readOperator(token: string, first: string): void {
    if (first === '`') this.#modes.push('template');
    else if (first === '{') this.#modes.push('script');
    else if (first === '}') {
      if (this.#modes.length > 1) this.#modes.pop();
    } else if (first === '/' && !this.#isBehindValue()) this.#skipPattern();
    else if (first === '<' && this.#hasJsx && !this.#isBehindValue() && this.#openElement()) return;
    this.#remember(token);
  }

  /** Reads a string. @param quote opening quote, which has been read */
  #readString(quote: string): void {
    const start = this.#at;
    const body = this.#take(quote === '"' ? doubleQuoted : singleQuoted);
    if (this.#text[this.#at] === quote) this.#at++;
    if (this.#isModule() && !body.includes('\\')) {
      const end = start + body.length;
      const range = { start: start + this.#offset, end: end + this.#offset };
      this.#findings.reference({ form: 'module', ...range, address: body });
    }
    this.#remember(quote);
  }

  #isModule(): boolean {
    if (this.#previous === 'from' || this.#previous === 'import') return true;
    if (this.#previous !== '(') return false;
    if (this.#beforeThat === 'require' || this.#beforeThat === 'import') return true;
    return this.#beforeThat === 'URL' && this.#peek(moduleAddress) !== '';
  }

  /** Returns whether the last token ends a value: after it, `/` divides and `<` compares. */
  #isBehindValue(): boolean {
    const last = this.#previous;
    if (/^[\w$\u0080-\uffff]/.test(last)) return !operators.test(last);
    return last === ')' || last === ']' || last === '"' || last === "'" || last === '`';
  }

  #skipPattern(): void {
    const end = Math.min(this.#text.length, this.#at + maxPatternLength);
    let isInClass = false;
    for (let at = this.#at; at < end; at++) {
      const character = this.#text[at];
      if (character === '\n') return;
      if (character === '\\') at++;
      else if (character === '[') isInClass = true;
      else if (character === ']') isInClass = false;
      else if (character === '/' && !isInClass) {
        this.#at = at + 1;
        return;
      }
    }
  }

  #readTemplate(): void {
    const token = this.#take(templateToken);
    if (token === '${') this.#enterScript();
    else if (token === '`') {
      this.#modes.pop();
      this.#remember('`');
    }
  }

  /** Opens an element after `<`. @returns false if it is not an element, such as a type parameter */
  #openElement(): boolean {
    if (this.#text[this.#at] === '>') {
      this.#at++;
      this.#modes.push('children');
      return true;
    }
    if (this.#peek(typeParameter) !== '') return false;
    const name = this.#take(elementName);
    if (name === '') return false;
    this.#modes.push({ name, attributes: [] });
    return true;
  }

  #readTag(tag: OpenTag): void {
    const part = this.#take(tagToken);
    if (/^\s/.test(part)) return;
    if (part === '/>' || part === '>') {
      this.#modes.pop();
      this.#endTag(tag, part === '>');
    } else if (part === '{') this.#enterScript();
    else if (/^[A-Za-z_$@]/.test(part)) this.#readAttribute(tag, part);
    else if (part === '<' || part === ';') this.#modes.pop();
  }

  #readAttribute(tag: OpenTag, name: string): void {
    if (this.#take(equalsSign) === '') return;
    const first = this.#text[this.#at];
    if (first === '{') {
      const literal = literalIn(this.#text, this.#at);
      // `require(…)` is found when the script in the braces is read.
      if (literal?.form === 'tag') tag.attributes.push({ name, ...literal });
      return;
    }
    if (first !== '"' && first !== "'") return;
    const start = this.#at + 1;
    this.#at = start;
    this.#skipTo(first);
    const end = this.#text[this.#at - 1] === first ? this.#at - 1 : this.#at;
    if (end >= start) tag.attributes.push({ name, value: { start, end }, form: 'tag' });
  }

  #endTag({ name, attributes }: OpenTag, hasChildren: boolean): void {
    this.#remember(')');
    findInTag(this.#text, attributes, this.#findings);
    if (!hasChildren) return;
    this.#modes.push('children');
    if (/^h[1-6]$/.test(name)) {
      const words = this.#text.slice(this.#at, this.#at + 500).split(/[<{]/)[0] ?? '';
      this.#findings.heading(this.#at, words);
    }
  }

  #readChildren(): void {
    const token = this.#take(childToken);
    if (token === '{') this.#enterScript();
    else if (token.startsWith('</')) {
      this.#modes.pop();
      this.#remember(')');
    } else if (token === '<>') this.#modes.push('children');
    else if (token === '<') this.#openElement();
  }

  #enterScript(): void {
    this.#modes.push('script');
    this.#remember('{');
  }

  #remember(token: string): void {
    this.#beforeThat = this.#previous;
    this.#previous = token;
  }

  #skipTo(closing: string): void {
    const found = this.#text.indexOf(closing, this.#at);
    this.#at = found === -1 ? this.#text.length : found + closing.length;
  }

  #take(pattern: RegExp): string {
    const found = this.#peek(pattern);
    this.#at += found.length;
    return found;
  }

  #peek(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0] ?? '';
  }
}
