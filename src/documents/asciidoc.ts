import type { Findings } from './Findings.ts';
import { linesOf } from './Findings.ts';
import type { TextRange } from './MediaReference.ts';
import type { SpokenParagraph } from './SpokenLines.ts';
import { isTranscript, SpokenLines } from './SpokenLines.ts';

/** Lines that open and close a block of code or a comment. */
const codeDelimiter = /^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|`{3,}.*)$/;
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
    if (codeDelimiter.test(line)) {
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

/** Lines that open and close a block that is not spoken: code, literal text, comments, passthrough. */
const silentDelimiter = /^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|```.*)$/;
/** Lines around a block whose text is spoken: examples, sidebars, quotes, open blocks. */
const spokenDelimiter = /^(?:={4,}|\*{4,}|_{4,}|--|'''|<<<)$/;
const table = /^[|,:!]={3,}$/;
const silentStyle = /^\[(?:source|listing|literal|stem|latexmath|asciimath|plantuml|mermaid|pass|comment)\b/;
const item = /^\s*(?:[*-]{1,6}|\.{1,6}|\d+\.|<\d+>)\s+(?:\[[ xX*]\]\s+)?(.*)$/;
const term = /^(\S.*?)(?:::{1,3}|;;)(?:\s+(.*))?$/;

/** Returns what a person reads aloud from AsciiDoc. */
export function speakableAsciidoc(text: string): readonly SpokenParagraph[] {
  const reader = new AsciidocReader();
  for (const line of text.split(/\r?\n/)) reader.read(line.trimEnd());
  return reader.finish();
}

class AsciidocReader {
  readonly #lines = new SpokenLines();
  /** Line that ends the current silent block. */
  #silentUntil: string | undefined;
  /** Whether the current paragraph is code. */
  #isSilent = false;
  #isTable = false;
  #isInList = false;
  #isInItem = false;
  #isAfterBlank = true;
  /** Whether the current line is below the title and gives its author or revision. */
  #isInHeader = false;

  read(line: string): void {
    if (this.#silentUntil !== undefined) {
      if (line === this.#silentUntil) this.#silentUntil = undefined;
      return;
    }
    const begins = this.#isAfterBlank;
    this.#isAfterBlank = line === '';
    if (line === '') this.#endParagraph();
    else if (silentDelimiter.test(line)) this.#begin(line.startsWith('`') ? '```' : line);
    else if (table.test(line)) this.#switchTable();
    else if (this.#isSilent || line.startsWith('//')) return;
    else if (this.#isTable) this.#readRow(line);
    else this.#readLine(line, begins);
  }

  finish(): readonly SpokenParagraph[] {
    this.#endParagraph();
    this.#endList();
    return this.#lines.finish();
  }

  #begin(delimiterLine: string): void {
    this.#endItem();
    this.#isSilent = false;
    this.#silentUntil = delimiterLine;
  }

  #endParagraph(): void {
    if (!this.#isTable) this.#endItem();
    this.#isSilent = false;
    this.#isInHeader = false;
  }

  #switchTable(): void {
    this.#endList();
    this.#isSilent = false;
    this.#isTable = !this.#isTable;
    if (this.#isTable) this.#lines.beginGroup();
    else this.#lines.endGroup();
  }

  #readRow(line: string): void {
    const cells = line.split(/(?<!\\)\|/).map((cell) => spoken(cell.trim()));
    this.#lines.beginPausing();
    for (const cell of cells.filter((words) => words !== '')) {
      this.#lines.beginCell();
      this.#lines.add(cell);
      this.#lines.endCell();
    }
    this.#lines.endPausing();
  }

  #readLine(line: string, begins: boolean): void {
    const [, marks, heading = ''] = /^(={1,6}|#{1,6})[ \t]+(\S.*)$/.exec(line) ?? [];
    if (spokenDelimiter.test(line) || line === '+') {
      this.#isAfterBlank = line !== '+';
      this.#endItem();
    } else if (marks !== undefined) this.#readHeading(heading, marks.length === 1);
    // Document attributes, and the author and revision below the title.
    else if (/^:!?[\w-]+!?:/.test(line) || this.#isInHeader) return;
    else if (/^\[.*\]$/.test(line)) {
      this.#isSilent = silentStyle.test(line);
      this.#isAfterBlank = begins;
    }
    // An indented paragraph is literal text.
    else if (begins && /^[ \t]/.test(line) && !item.test(line)) this.#isSilent = true;
    else if (/^\.[^\s.]/.test(line)) this.#readPausing(line.slice(1));
    else if (!this.#readMacro(line) && !this.#readItem(line)) {
      if (begins && this.#isInList) this.#endList();
      this.#lines.add(`${spoken(line.replace(/[ \t]\+$/, ''))}\n`);
    }
  }

  #readHeading(words: string, isTitle: boolean): void {
    this.#endList();
    this.#lines.beginHeading();
    this.#lines.add(spoken(words));
    this.#lines.endHeading();
    this.#isInHeader = isTitle;
  }

  #readPausing(words: string): void {
    this.#lines.beginPausing();
    this.#lines.add(spoken(words));
    this.#lines.endPausing();
  }

  /** Reads a block macro; only a picture's alternative text is spoken. */
  #readMacro(line: string): boolean {
    const [whole, name, , attributes = ''] = /^(\w+)::(\S*)\[(.*)\]$/.exec(line) ?? [];
    if (whole === undefined) return false;
    this.#lines.end();
    this.#lines.add(name === 'image' ? altOf(attributes) : '');
    this.#lines.end();
    return true;
  }

  #readItem(line: string): boolean {
    const [, words] = item.exec(line) ?? [];
    const [, named, meaning] = words === undefined ? (term.exec(line) ?? []) : [];
    if (words === undefined && named === undefined) return false;
    if (!this.#isInList) this.#lines.beginGroup();
    this.#isInList = true;
    for (const part of [words ?? named, meaning]) {
      if (part === undefined) continue;
      this.#endItem();
      this.#isInItem = true;
      this.#lines.beginPausing();
      this.#lines.add(`${spoken(part)}\n`);
    }
    return true;
  }

  #endItem(): void {
    if (this.#isInItem) this.#lines.endPausing();
    else this.#lines.end();
    this.#isInItem = false;
  }

  #endList(): void {
    this.#endItem();
    if (this.#isInList) this.#lines.endGroup();
    this.#isInList = false;
  }
}

/** Returns a line without markup. */
function spoken(line: string): string {
  return (
    line
      // `(((concealed, index, terms)))` are not shown, `((others))` are.
      .replace(/\(\(\(.*?\)\)\)|\[\[[^\]]*\]\]|\[#[^\]]*\](?=[#*_`])|footnote:\w*\[[^\]]*\]/g, '')
      .replace(/\(\((.*?)\)\)/g, '$1')
      .replace(/<<([^,>]*)(?:,([^>]*))?>>/g, (_, id: string, words?: string) => words ?? id)
      .replace(/(?:link:|mailto:|xref:|https?:\/\/|irc:\/\/)([^\s[\]]*)\[([^\]]*)\]/g, linkText)
      .replace(/\b(?:image|icon):([^\s:[\]][^[\]]*)\[([^\]]*)\]/g, (_, _path, attributes: string) => altOf(attributes))
      .replace(/\b(?:kbd|btn|menu|stem|pass|latexmath):[^\s[]*\[([^\]]*)\]/g, '$1')
      .replace(/(?<!\\)\{[\w-]+\}/g, '')
      .replace(/(\*\*|__|``|\+\+|##)(.+?)\1/g, '$2')
      .replace(/(?<![\w\\])([*_`+#^~])(?!\s)(.+?)(?<!\s)\1(?!\w)/g, '$2')
      .replace(/(?<![\w\\])([*_`+#])(?!\s)(.+?)(?<!\s)\1(?!\w)/g, '$2')
      .replace(/\\(?=[*_`+#{<])/g, '')
  );
}

function linkText(_: string, address: string, attributes: string): string {
  if (isTranscript(address)) return '';
  const [, quoted, plain = ''] = /^"([^"]*)"|^(.*?)(?:,\s*\w+=.*|\^)?$/.exec(attributes) ?? [];
  return quoted ?? plain;
}

/** Returns the first attribute of a picture if it is positional. */
function altOf(attributes: string): string {
  const [, quoted, plain = ''] = /^"([^"]*)"|^([^,=]*)(?=,|$)/.exec(attributes) ?? [];
  return quoted ?? plain;
}
