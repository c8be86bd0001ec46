import type { Findings } from '../Findings.ts';
import { findInStyle } from '../style/findInStyle.ts';
import { findInScript } from './findInScript.ts';
import type { Attribute } from './Tag.ts';
import { findInTag, literalIn } from './Tag.ts';

/** Finds references in the tags of a text whose comments and template expressions are hidden. */
export function findInTags(text: string, findings: Findings, from = 0): void {
  const tags = /<([A-Za-z][^\s<>/"'={}]*)/g;
  tags.lastIndex = from;
  const reader = new AttributeReader(text);
  for (let match = tags.exec(text); match; match = tags.exec(text)) {
    const name = match[1] ?? '';
    const { attributes, end } = reader.read(match.index + match[0].length);
    findInTag(text, attributes, findings);
    tags.lastIndex = end;
    const lower = name.toLowerCase();
    if (/^(?:h[1-6]|title)$/.test(lower)) {
      const words = text.slice(end, end + 500).replace(/<\/[a-z].*$/is, '');
      if (lower === 'title') findings.title(words);
      else findings.heading(match.index, words);
    } else if (lower === 'script' || lower === 'style') {
      const close = endTag(text, lower, end);
      if (lower === 'script') findInScript(text.slice(end, close), false, findings, end);
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
      if (value.value) attributes.push({ name, value: value.value, form: value.form ?? 'tag' });
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
