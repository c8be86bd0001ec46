import type { Findings } from '../Findings.ts';
import { linesOf } from '../lines.ts';

/** Keys whose value is a picture in one of the site generators, and keys below them that hold its address. */
const pictureKeys = ['image', 'cover', 'heroImage'];
const addressKeys = ['image', 'src', 'path', 'url'];
const altKeys = ['alt', 'imageAlt', 'coverAlt', 'heroImageAlt'];

interface Value {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Entry {
  readonly key: string;
  /** Nearest less indented key above, or the TOML table. */
  readonly parent: string;
  readonly value: Value | undefined;
}

/**
 * Finds pictures in the YAML or TOML front matter of a document.
 *
 * @returns the end of the front matter; 0 if there is none
 */
export function findInFrontMatter(text: string, findings: Findings): number {
  const fence = /^\uFEFF?(---|\+\+\+)[ \t]*\r?\n/.exec(text);
  if (!fence) return 0;
  const close = new RegExp(`^${fence[1] === '---' ? '---' : '\\+\\+\\+'}[ \\t]*$`, 'm');
  const body = fence[0].length;
  const end = close.exec(text.slice(body));
  if (!end) return 0;
  const entries = entriesIn(text, body, body + end.index);
  const isPicture = ({ key, parent }: Entry) =>
    (parent === '' && pictureKeys.includes(key)) || (pictureKeys.includes(parent) && addressKeys.includes(key));
  for (const entry of entries) {
    const { key, parent, value } = entry;
    if (value === undefined) continue;
    if (parent === '' && key === 'title') findings.title(value.text);
    if (!isPicture(entry)) continue;
    const alt = entries.find(
      (other) => other.parent === parent && altKeys.includes(other.key) && isAltOf(other.key, key),
    );
    findings.reference({
      form: 'frontMatter',
      start: value.start,
      end: value.end,
      address: value.text,
      alt: alt?.value,
    });
  }
  return body + end.index + end[0].length;
}

function isAltOf(altKey: string, key: string): boolean {
  return altKey === 'alt' || altKey === `${key}Alt`;
}

function entriesIn(text: string, from: number, to: number): readonly Entry[] {
  const entries: Entry[] = [];
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
function valueAt(text: string, start: number, end: number): Value | undefined {
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
