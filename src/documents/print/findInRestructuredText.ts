import type { Findings } from '../Findings.ts';
import type { Line } from '../lines.ts';
import { linesOf } from '../lines.ts';
import { Mask } from '../Mask.ts';
import type { TextRange } from '../MediaReference.ts';
import { findInTags } from '../web/findInTags.ts';

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
