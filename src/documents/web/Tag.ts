import type { Findings } from '../Findings.ts';
import { maskCharacter } from '../Mask.ts';
import type { ReferenceForm, TextRange } from '../MediaReference.ts';
import { mediaKindOf, withoutQuery } from '../MediaReference.ts';
import { findInStyle } from '../style/findInStyle.ts';

export interface Attribute {
  readonly name: string;
  /** Range of its value, without quotes. */
  readonly value: TextRange;
  /** `module` for `src={require('…')}`. */
  readonly form: ReferenceForm;
}

const addressNames = new Set(['src', 'poster', 'href', 'xlink:href']);
const setNames = new Set(['srcset', 'srcSet']);

/** Adds the references in the attributes of a tag. */
export function findInTag(text: string, attributes: readonly Attribute[], findings: Findings): void {
  const alts = altsOf(attributes);
  for (const { name, value, form } of attributes) {
    const { start, end } = value;
    if (setNames.has(name)) findInSet(text, value, alts.image, findings);
    else if (name === 'style') findInStyle(text.slice(start, end), false, findings, start);
    else if (addressNames.has(name)) {
      const written = text.slice(start, end);
      const before = written.length - written.trimStart().length;
      const address = withoutEntities(written.trim());
      const range = { start: start + before, end: start + before + written.trim().length };
      const kind = mediaKindOf(withoutQuery(address)) === 'image' ? 'image' : 'other';
      findings.reference({ form, ...range, address, alt: name === 'poster' ? undefined : alts[kind] });
    }
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
function findInSet(text: string, { start, end }: TextRange, alt: TextRange | undefined, findings: Findings): void {
  const candidate = /[^\s,][^\s]*/g;
  const set = text.slice(start, end);
  for (let match = candidate.exec(set); match; match = candidate.exec(set)) {
    const written = withoutCommas(match[0]);
    const at = start + match.index;
    findings.reference({ form: 'tag', start: at, end: at + written.length, address: withoutEntities(written), alt });
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

/** Reads a literal in the braces of an attribute's value: `{'a.png'}` or `{require('a.png')…`. */
export function literalIn(text: string, brace: number): Pick<Attribute, 'value' | 'form'> | undefined {
  const pattern = /(\{\s{0,100}(require\(\s{0,100})?)(["'`])([^"'`\\\n$]{0,1000})\3/y;
  pattern.lastIndex = brace;
  const [, before, call, , value = ''] = pattern.exec(text) ?? [];
  if (before === undefined || value.includes(maskCharacter)) return undefined;
  const start = brace + before.length + 1;
  return { value: { start, end: start + value.length }, form: call === undefined ? 'tag' : 'module' };
}

const namedEntities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

/** Decodes the character references that occur in addresses; others are left unchanged. */
export function withoutEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return namedEntities[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
