import { type Findings, Mask } from './Findings.ts';
import { mediaKindOf, type TextRange } from './MediaReference.ts';

const verbatim = 'verbatim\\*?|Verbatim|lstlisting|minted|comment|filecontents\\*?';

/**
 * Finds `\includegraphics`; `\graphicspath` sets the folders of those below it, a caption is their alternative text.
 */
export function findInLatex(text: string, findings: Findings): void {
  const masked = hideCode(text);
  const commands =
    /\\(?:(includegraphics\*?|includesvg)\s{0,100}(?:<[^<>[\n]{0,100}>\s{0,100})?(\[[^\]]{0,1000}\])?\s{0,100}\{([^{}\n]{1,1000}|\{[^{}\n]{1,1000}\}[^{}\n]{0,20})\}|(graphicspath)\s{0,100}\{((?:\{[^{}]{0,500}\}|\s){0,50})\}|((?:sub){0,2}section|chapter|title|part)\*?\{|(caption)\*?(?:\[[^\]]{0,500}\])?\{|begin\{(?:sub|wrap|s)?figure)/g;
  let folders: readonly string[] = [];
  let waiting: { readonly start: number; readonly end: number; readonly address: string }[] = [];
  const add = (alt?: TextRange) => {
    for (const { start, end, address } of waiting) addPicture(findings, { start, end, address, alt, folders });
    waiting = [];
  };
  for (let match = commands.exec(masked); match; match = commands.exec(masked)) {
    const [whole, command, options = '', path = '', hasFolders, list = '', heading, caption] = match;
    const end = match.index + whole.length;
    if (command !== undefined) {
      const start = end - 1 - path.length;
      const alt = altIn(options, match.index + whole.indexOf('['));
      const found = { start, end: end - 1, address: path };
      if (alt) addPicture(findings, { ...found, alt, folders });
      else waiting.push(found);
    } else if (caption !== undefined) {
      add({ start: end, end: groupEnd(masked, end) });
    } else {
      add();
      if (hasFolders !== undefined)
        folders = [...list.matchAll(/\{([^{}]*)\}/g)].map(([, folder = '']) => folder.trim());
      if (heading !== undefined) {
        const words = text.slice(end, groupEnd(masked, end));
        if (heading === 'title') findings.title(words);
        else findings.heading(match.index, words);
      }
    }
  }
  add();
}

/**
 * Whether a file command of LaTeX reads a text as the path of a file. Excluded are characters that run something or end
 * the command, the home folder, and templates, which have names between dollar signs or begin with one: `$HOME/a.png`.
 */
export function isPathInLatex(text: string): boolean {
  return !/["\\{}#%]|\$[^$]*\$|^\$\w+\/|^~|\^\^/.test(text);
}

/** Adds a picture. Names with spaces are in quotes or braces, and most have no extension. */
function addPicture(
  findings: Findings,
  {
    start,
    end,
    address,
    alt,
    folders,
  }: TextRange & { readonly address: string; readonly alt: TextRange | undefined; readonly folders: readonly string[] },
): void {
  const [, quote = '', name = '', extension = ''] = /^(["{]?)([^"{}]*)(?:["}](\.\w+)?)?$/.exec(address.trim()) ?? [];
  const before = address.length - address.trimStart().length + quote.length;
  const path = name + extension;
  if (path.trim() === '' || !isPathInLatex(path)) return;
  const isKnown = mediaKindOf(path) !== undefined;
  if (!isKnown && /\.(?:pdf|eps|ps|pgf|tikz|tex)$/i.test(path)) return;
  const range = extension === '' ? { start: start + before, end: start + before + name.length } : { start, end };
  const trimmed = extension === '' ? { ...range, end: range.end - (name.length - name.trimEnd().length) } : range;
  findings.reference({ form: 'macro', ...trimmed, address: path.trim(), alt, folders, kind: 'image' });
}

/** Returns the range of `alt={words}` or `alt=words` in the options. */
function altIn(options: string, offset: number): TextRange | undefined {
  const match = /\balt\s{0,20}=\s{0,20}(?:\{([^{}]*)\}|([^,\]{}]*))/.exec(options);
  const words = match?.[1] ?? match?.[2];
  if (!match || words === undefined) return undefined;
  const end = offset + match.index + match[0].length - (match[1] === undefined ? 0 : 1);
  return { start: end - words.length, end };
}

/** Returns where the group that begins before an offset ends, at most 1000 characters later. */
function groupEnd(text: string, from: number): number {
  let depth = 1;
  const last = Math.min(text.length, from + 1000);
  for (let at = from; at < last; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at;
  }
  return last;
}

function hideCode(text: string): string {
  const mask = new Mask(text);
  const tokens = new RegExp(`\\\\begin\\{(${verbatim})\\}|\\\\verb\\*?([^A-Za-z\\s*])|\\\\[\\s\\S]|%[^\\n]*`, 'g');
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    const [token, environment, delimiter] = match;
    const after = match.index + token.length;
    if (token.startsWith('%')) mask.hide(match.index, after);
    if (environment === undefined && delimiter === undefined) continue;
    const closing = environment === undefined ? (delimiter ?? '') : `\\end{${environment}}`;
    const lineEnd = text.indexOf('\n', after);
    const found = text.indexOf(closing, after);
    const isOnLine = environment !== undefined || lineEnd === -1 || found < lineEnd;
    const end =
      environment !== undefined && found === -1
        ? text.length
        : found === -1 || !isOnLine
          ? after
          : found + closing.length;
    mask.hide(match.index, end);
    tokens.lastIndex = end;
  }
  return mask.apply();
}
