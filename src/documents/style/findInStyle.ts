import type { Findings } from '../Findings.ts';

/**
 * Finds `url(…)` and the strings of `image-set(…)` in CSS.
 *
 * @param hasLineComments whether `//` starts a comment, as in SCSS and Less
 * @param offset offset of this text in the document
 */
export function findInStyle(text: string, hasLineComments: boolean, findings: Findings, offset = 0): void {
  const tokens = /\/\*|\/\/|"|'|\burl\(|\bimage-set\(|\)/gi;
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
