import { withoutEntities } from './characterReferences.ts';
import { Findings, maskCharacter } from './Findings.ts';
import { mediaKindOf, type ReferenceForm, type TextRange, withoutQuery } from './MediaReference.ts';

/**
 * Finds `url(…)` and the strings of `image-set(…)` in CSS.
 *
 * @param hasLineComments whether `//` starts a comment, as in SCSS and Less
 * @param offset offset of this text in the document
 */
export function findInStyle(text: string, hasLineComments: boolean, findings: Findings, offset = 0): void {
  const tokens = /\/\*|\/\/|"|'|(?<![\w-])url\(|\bimage-set\(|\)/gi;
  let isSet = false;
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    const token = match[0].toLowerCase();
    const after = match.index + token.length;
    if (token === '/*') {
      const close = text.indexOf('*/', after);
      if (close === -1) return;
      tokens.lastIndex = close + 2;
    } else if (token === '//') {
      if (hasLineComments) tokens.lastIndex = lineEnd(text, after);
    } else if (token === ')') isSet = false;
    else if (token === 'image-set(') isSet = true;
    else if (token === 'url(') {
      const address = addressAt(text, after);
      if (!address) continue;
      add(address);
      tokens.lastIndex = address.end;
      // This parenthesis closes `url(`, not `image-set(`.
      while (/["'\s]/.test(text[tokens.lastIndex] ?? '')) tokens.lastIndex++;
      tokens.lastIndex++;
    } else {
      const end = stringEnd(text, after, token);
      if (isSet) add({ start: after, end });
      tokens.lastIndex = end + 1;
    }
  }

  function add({ start, end }: { readonly start: number; readonly end: number }): void {
    const address = text.slice(start, end).replace(/\\([^\da-f\n])/gi, '$1');
    if (/[$#@]\{|\\/.test(address) || address.startsWith('$') || address.startsWith('@')) return;
    findings.reference({ form: 'style', start: offset + start, end: offset + end, address });
  }
}

function addressAt(text: string, from: number) {
  const space = /\s*/y;
  space.lastIndex = from;
  const start = from + (space.exec(text)?.[0].length ?? 0);
  const quote = text[start];
  if (quote === '"' || quote === "'") return { start: start + 1, end: stringEnd(text, start + 1, quote) };
  let end = start;
  while (end < text.length && !/[\s"'()]/.test(text[end] ?? '')) end += text[end] === '\\' ? 2 : 1;
  return end > start && end <= text.length && /[\s)]/.test(text[end] ?? '') ? { start, end } : undefined;
}

/** Returns where a string is closed, or the end of the line if it is not. */
function stringEnd(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === quote || character === '\n') return at;
    if (character === '\\') at++;
  }
  return text.length;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

interface Attribute {
  readonly name: string;
  /** Range of its value, without quotes. */
  readonly value: TextRange;
  /** `module` for `src={require('…')}`. */
  readonly form: ReferenceForm;
  /** Whether it is a string of JavaScript, in which an ampersand is nothing but that. */
  readonly isCode?: true;
}

/** With those of Angular's images, which are compared in lower case. */
const addressNames = new Set(['src', 'poster', 'href', 'xlink:href', 'ngsrc']);
const setNames = new Set(['srcset', 'srcSet']);
/** Placeholders of Create React App and SvelteKit in HTML, before an address from the top of the site. */
const hostPlaceholder = /^%(?:PUBLIC_URL|sveltekit\.assets)%(?=\/)/;
/** That of Vite, whose value ends with a slash. */
const basePlaceholder = /^%BASE_URL%\/?/;

/** Adds the references in the attributes of a tag. */
function findInTag(
  text: string,
  { name: element, attributes }: { readonly name: string; readonly attributes: readonly Attribute[] },
  findings: Findings,
): void {
  const alts = altsOf(attributes);
  for (const { name, value, form, isCode } of attributes) {
    const { start, end } = value;
    if (setNames.has(name)) findInSet(text, { value, element, alt: alts.image }, findings);
    else if (name === 'style') findInStyle(text.slice(start, end), false, findings, start);
    else if (/^(?::|v-bind:)/.test(name)) {
      const call = addressNames.has(name.replace(/^.*:(?=\w+$)/, '')) ? literalIn(text, start, calls) : undefined;
      if (call && call.value.end < end) addAddress(call.value, call.form);
    } else if (addressNames.has(name) || (name === 'data' && element.toLowerCase() === 'object')) {
      addAddress(value, form, { isPoster: name === 'poster', isCode });
    }
  }

  function addAddress({ start, end }: TextRange, form: ReferenceForm, { isPoster = false, isCode = false } = {}): void {
    const written = text.slice(start, end);
    const before = written.length - written.trimStart().length;
    const [host = ''] = hostPlaceholder.exec(written.trim()) ?? [];
    const [base = ''] = host === '' ? (basePlaceholder.exec(written.trim()) ?? []) : [];
    const literal = written.trim().slice(host.length + base.length);
    const address = `${base && '/'}${isCode ? literal : withoutEntities(literal)}`;
    const range = { start: start + before + host.length, end: start + before + written.trim().length };
    const named = findings.expressionAt(range)?.address ?? address;
    const kind = mediaKindOf(withoutQuery(named)) === 'image' ? 'image' : 'other';
    findings.reference({
      ...(host || base ? { form: 'site' } : form === 'tag' ? { form, element } : { form }),
      ...range,
      address,
      alt: isPoster ? undefined : alts[kind],
    });
  }
}

/**
 * Returns `alt` for pictures and `title` for sound and video. Searched once, since a tag can have thousands of
 * attributes.
 */
function altsOf(attributes: readonly Attribute[]) {
  const named = (...names: readonly string[]) => attributes.find(({ name }) => names.includes(name))?.value;
  return { image: named('alt'), other: named('title', 'aria-label') } as const;
}

/** Finds the candidates of `srcset`: addresses with a width or density, separated by commas. */
function findInSet(
  text: string,
  { value, element, alt }: { readonly value: TextRange; readonly element: string; readonly alt: TextRange | undefined },
  findings: Findings,
): void {
  const { start, end } = value;
  const candidate = /[^\s,][^\s]*/g;
  const set = text.slice(start, end);
  for (let match = candidate.exec(set); match; match = candidate.exec(set)) {
    const written = withoutCommas(match[0]);
    const at = start + match.index;
    const address = withoutEntities(written);
    findings.reference({ form: 'tag', element, start: at, end: at + written.length, address, alt });
    // The descriptor ends at the next comma; an address that ends with a comma has none.
    if (match[0].endsWith(',')) continue;
    const comma = set.indexOf(',', candidate.lastIndex);
    if (comma === -1) break;
    candidate.lastIndex = comma + 1;
  }
}

function withoutCommas(text: string): string {
  let end = text.length;
  while (text[end - 1] === ',') end--;
  return text.slice(0, end);
}

/** Functions of Docusaurus, Gatsby, VitePress and VuePress that put the path of the site in front of an address. */
const siteFunctions: readonly string[] = ['useBaseUrl', 'withPrefix', 'withBase', '$withBase'];
/** A literal in the braces of an attribute's value: `{'a.png'}` or `{require('a.png')…`. `asset` is SvelteKit's. */
const braces =
  /(\{\s{0,100}(?:(require|useBaseUrl|withPrefix|\$?withBase|asset)\(\s{0,100})?)(["'`])((?:(?!\3)[^\\\n$]|\$(?!\{)){0,1000})\3/y;
/** The same without braces, in an attribute that Vue binds. */
const calls =
  /(\s{0,100}(require|useBaseUrl|withPrefix|\$?withBase|asset)\(\s{0,100})(["'`])((?:(?!\3)[^\\\n$]|\$(?!\{)){0,1000})\3/y;

function literalIn(text: string, at: number, pattern = braces): Omit<Attribute, 'name'> | undefined {
  pattern.lastIndex = at;
  const [, before, call, , value = ''] = pattern.exec(text) ?? [];
  if (before === undefined || value.includes(maskCharacter)) return undefined;
  const start = at + before.length + 1;
  const form = call === undefined ? 'tag' : call === 'require' ? 'module' : 'site';
  return { value: { start, end: start + value.length }, form, isCode: true };
}

interface OpenTag {
  readonly name: string;
  readonly attributes: Attribute[];
}

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
 * @param text a document up to the end of the script
 * @param from where the script begins
 */
export function findInScript(text: string, hasJsx: boolean, findings: Findings, from = 0): void {
  new ScriptReader(text, hasJsx, findings, from).read();
}

/** Returns whether a script ends in the content of an element of JSX. */
export function isElementOpen(text: string): boolean {
  const reader = new ScriptReader(text, true, new Findings(text, 'jsx'), 0);
  reader.read();
  return reader.isInElement;
}

/** Reads JavaScript, TypeScript and JSX token by token. It never goes back, so its time is linear. */
class ScriptReader {
  readonly #text: string;
  readonly #hasJsx: boolean;
  readonly #findings: Findings;
  /** Where the reader is. A tag is replaced by its children when it ends. */
  readonly #modes: ('script' | 'template' | 'children' | OpenTag)[] = ['script'];
  #at: number;
  /** Last two tokens. They distinguish a division from a regular expression, and show what a string is for. */
  #previous = '';
  #beforeThat = '';

  constructor(text: string, hasJsx: boolean, findings: Findings, from: number) {
    this.#text = text;
    this.#hasJsx = hasJsx;
    this.#findings = findings;
    this.#at = from;
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

  get isInElement(): boolean {
    return this.#modes.at(-1) === 'children';
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
    const form = this.#formOfString();
    if (form && !body.includes('\\')) {
      this.#findings.reference({ form, start, end: start + body.length, address: body });
    }
    this.#remember(quote);
  }

  /** Returns the form of a reference in the string that was just read; undefined if it is none. */
  #formOfString(): ReferenceForm | undefined {
    if (this.#previous === 'from' || this.#previous === 'import') return 'module';
    if (this.#previous !== '(') return undefined;
    if (this.#beforeThat === 'require' || this.#beforeThat === 'import') return 'module';
    if (siteFunctions.includes(this.#beforeThat)) return 'site';
    return this.#beforeThat === 'URL' && this.#peek(moduleAddress) !== '' ? 'module' : undefined;
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
      if (literal) tag.attributes.push({ name, ...literal });
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
    findInTag(this.#text, { name, attributes }, this.#findings);
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

/** Finds references in the tags of a text whose comments and template expressions are hidden. */
export function findInTags(text: string, findings: Findings, from = 0): void {
  const tags = /<([A-Za-z][^\s<>/"'={}]*)/g;
  tags.lastIndex = from;
  const reader = new AttributeReader(text);
  for (let match = tags.exec(text); match; match = tags.exec(text)) {
    const name = match[1] ?? '';
    const { attributes, end } = reader.read(match.index + match[0].length);
    findInTag(text, { name, attributes }, findings);
    tags.lastIndex = end;
    const lower = name.toLowerCase();
    if (/^(?:h[1-6]|title)$/.test(lower)) {
      const words = text.slice(end, end + 500).replace(/<\/[a-z].*$/is, '');
      if (lower === 'title') findings.title(words);
      else findings.heading(match.index, words);
    } else if (lower === 'script' || lower === 'style') {
      const close = endTag(text, lower, end);
      if (lower === 'script') findInScript(text.slice(0, close), false, findings, end);
      else
        findInStyle(text.slice(end, close), /\bs[ac]ss\b|\bless\b/.test(text.slice(match.index, end)), findings, end);
      tags.lastIndex = close;
    }
  }
}

function endTag(text: string, name: string, from: number): number {
  const pattern = new RegExp(`</${name}`, 'gi');
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

class AttributeReader {
  readonly #text: string;
  readonly #unclosed = new Set<string>();
  #closing: ReadonlyMap<number, number> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads the attributes of a tag. @param from offset after the tag's name */
  read(from: number): { readonly attributes: readonly Attribute[]; readonly end: number } {
    const attributes: Attribute[] = [];
    const parts = /\s+|\/|([^\s<>/"'={}]+)(\s{0,20}=\s{0,20})?|[\s\S]/y;
    parts.lastIndex = from;
    for (let match = parts.exec(this.#text); match; match = parts.exec(this.#text)) {
      const [part, name, equals] = match;
      if (part === '>') return { attributes, end: parts.lastIndex };
      if (part === '<') return { attributes, end: match.index };
      if (part === '{') parts.lastIndex = this.#closingBrace(match.index) ?? parts.lastIndex;
      if (name === undefined || equals === undefined) continue;
      const value = this.#valueAt(parts.lastIndex);
      if (!value) continue;
      parts.lastIndex = value.after;
      if (value.value)
        attributes.push({
          name: name.toLowerCase(),
          value: value.value,
          form: value.form ?? 'tag',
          isCode: value.isCode,
        });
    }
    return { attributes, end: this.#text.length };
  }

  #valueAt(at: number) {
    const first = this.#text[at];
    if (first === '"' || first === "'") {
      const end = this.#unclosed.has(first) ? -1 : this.#text.indexOf(first, at + 1);
      if (end === -1) {
        // Later ones are not closed either. Remembering that keeps the search linear.
        this.#unclosed.add(first);
        return { after: at + 1 };
      }
      return { value: { start: at + 1, end }, after: end + 1 };
    }
    if (first === '{') return { ...literalIn(this.#text, at), after: this.#closingBrace(at) ?? at + 1 };
    const bare = /[^\s<>"'={}`]+/y;
    bare.lastIndex = at;
    const [value = ''] = bare.exec(this.#text) ?? [];
    return value === '' ? undefined : { value: { start: at, end: at + value.length }, after: at + value.length };
  }

  /** Returns the offset after the closing brace. All braces are paired at once, which keeps the time linear. */
  #closingBrace(at: number): number | undefined {
    this.#closing ??= pairBraces(this.#text);
    return this.#closing.get(at);
  }
}

function pairBraces(text: string): ReadonlyMap<number, number> {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    if (brace === '{') open.push(index);
    else {
      const start = open.pop();
      if (start !== undefined) closing.set(start, index + 1);
    }
  }
  return closing;
}
