import type { Findings } from '../Findings.ts';
import { linesOf } from '../lines.ts';
import type { TextRange } from '../MediaReference.ts';

/** Lines that open and close a block of code or a comment. */
const delimiter = /^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|`{3,}.*)$/;
const codeStyle = /^\[(?:source|listing|literal|verse)\b[^\]]*\]$/;
const macro = /(?<![\w\\])(image|video|audio)::?([^\s:[\]][^[\]\n]{0,500})\[([^\]\n]{0,1000})\]/g;

/** Finds `image::`, `image:`, `video::` and `audio::`; `:imagesdir:` sets the folder of those below it. */
export function findInAsciidoc(text: string, findings: Findings): void {
  let open: string | undefined;
  let folders: readonly string[] = [];
  let isCode = false;
  let isAfterBlank = true;
  for (const { start, end } of linesOf(text)) {
    const line = text.slice(start, end).trimEnd();
    if (open !== undefined) {
      if (line === open) open = undefined;
      continue;
    }
    if (line === '') {
      isAfterBlank = true;
      isCode = false;
      continue;
    }
    const begins = isAfterBlank;
    isAfterBlank = false;
    if (delimiter.test(line)) {
      open = line.startsWith('`') ? /^`+/.exec(line)?.[0] : line;
      isCode = false;
      // The line after a block counts as after a blank line.
      isAfterBlank = true;
      continue;
    }
    if (line.startsWith('//') || isCode) continue;
    if (codeStyle.test(line) || (begins && /^[ \t]/.test(line))) {
      isCode = true;
      continue;
    }
    const attribute = /^:(!?)imagesdir(!?):(?:[ \t]+(.*))?$/.exec(line);
    if (attribute)
      folders = attribute[1] || attribute[2] ? [] : [(attribute[3] ?? '').trim()].filter((folder) => folder);
    const heading = /^(={1,6}|#{1,6})[ \t]+(\S.*)$/.exec(line);
    if (heading?.[1]?.length === 1) findings.title(heading[2] ?? '');
    if (heading) findings.heading(start, heading[2] ?? '');
    if (line.includes('::') || line.includes('image:')) findInLine(line, start, folders, findings);
  }
}

function findInLine(line: string, offset: number, folders: readonly string[], findings: Findings): void {
  for (const { 0: whole, 1: name = '', 2: address = '', 3: attributes = '', index } of line.matchAll(macro)) {
    const start = offset + index + whole.indexOf(':') + (whole.startsWith('::', name.length) ? 2 : 1);
    const range = { start, end: start + address.length };
    const alt = altIn(attributes, range.end + 1, name === 'image');
    findings.reference({ form: 'macro', ...range, address, alt, folders });
  }
}

/** Returns the range of the first attribute or of `alt=`; of `title=` for sound and video. */
function altIn(attributes: string, offset: number, isImage: boolean): TextRange | undefined {
  const named = (isImage ? /(?:^|,)\s*alt=(?:"([^"]*)"|([^",]*))/ : /(?:^|,)\s*title=(?:"([^"]*)"|([^",]*))/).exec(
    attributes,
  );
  if (named) {
    const words = named[1] ?? named[2] ?? '';
    const end = offset + named.index + named[0].length - (named[1] === undefined ? 0 : 1);
    return { start: end - words.length, end };
  }
  if (!isImage) return undefined;
  const [whole = '', quoted] = /^"([^"]*)"|^[^,=]*(?=,|$)/.exec(attributes) ?? [];
  if (quoted !== undefined) return { start: offset + 1, end: offset + 1 + quoted.length };
  return attributes === '' || whole !== '' ? { start: offset, end: offset + whole.length } : undefined;
}
