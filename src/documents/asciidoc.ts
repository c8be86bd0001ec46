import { withoutEntities } from './characterReferences.ts';
import { type Findings, linesOf } from './Findings.ts';
import type { TextRange } from './MediaReference.ts';
import { replaceEnclosed } from './replaceEnclosed.ts';
import { isTranscript, SpokenLines, type SpokenParagraph } from './SpokenLines.ts';

/** Lines that open and close a block of code, literal text or a comment. */
const codeDelimiter = /^(?:-{4,}|\.{4,}|\+{4,}|\/{4,})$|^```/;
const codeStyle = /^\[(?:source|listing|literal|verse)\b[^\]]*\]$/;
const macro = /(?<!\\)(image|(?:video|audio)(?=::))::?([^\s:[\]][^[\]\n]{0,500})\[([^\]\n]{0,1000})\]/g;
/** What stands in front of a block macro: nothing, the border of a cell, or the bracket of a condition. */
const beginsBlock = /^$|[|![][ \t]*$/;
/** What stands behind it: nothing, the border of the next cell, or the bracket of a condition. */
const endsBlock = /^[ \t]{0,20}(?:$|[\],]|[\w.+*^<>]{0,12}[|!])/;

/** What stands in front of a block macro in a cell of any table: nothing, the border of an AsciiDoc cell, or a condition. */
const surelyBeginsBlock = /^$|(?:^|[ \t])[\d.+*^<>]{0,12}a[|!][ \t]*$|^ifn?def::[^[]*\[$/;

/** Whether a block macro may be written between two parts of a line. */
export function isPlaceOfBlock(before: string, after: string): boolean {
  return surelyBeginsBlock.test(before) && endsBlock.test(after.trimEnd());
}

/** Finds `image::`, `image:`, `video::` and `audio::`; `:imagesdir:` sets the folder of those below it. */
export function findInAsciidoc(text: string, findings: Findings): void {
  let open: string | undefined;
  let folders: readonly string[] | undefined = [];
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
    if (codeStyle.test(line) || (begins && /^[ \t]/.test(line) && !item.test(line))) {
      isCode = true;
      continue;
    }
    folders = foldersAfter(line, folders);
    const heading = /^(={1,6}|#{1,6})[ \t]+(\S.*)$/.exec(line);
    if (heading?.[1]?.length === 1) findings.title(heading[2] ?? '');
    if (heading) findings.heading(start, heading[2] ?? '');
    if (folders && (line.includes('::') || line.includes('image:'))) findInLine(line, start, folders, findings);
  }
}

/** Most folders that a picture may be in, as many as in LaTeX: each is looked at for each picture. */
const maxFolders = 50;

/**
 * Returns the folders for images below a line, which may set them; undefined if they are computed. Few attributes are
 * defined, so what `ifdef` sets comes last.
 */
function foldersAfter(line: string, folders: readonly string[] | undefined): readonly string[] | undefined {
  const [, condition, conditional] = /^(ifn?def::[^\s[]{1,200})\[(:.*)\]$/.exec(line) ?? [];
  const attribute = /^:(!?)imagesdir(!?):(?:[ \t]+([^ \t].*))?$/.exec(conditional ?? line);
  if (!attribute) return folders;
  const [, before, after, value = ''] = attribute;
  const folder = before || after ? '' : value.trim().replace(/^\{docdir\}(?:\/|$)/, '');
  if (condition === undefined) {
    if (folder.includes('{')) return undefined;
    return folder === '' ? [] : [folder];
  }
  // The pictures on the web, or of another build.
  if (!folders || folder === '' || /^[a-z]+:|\{/i.test(folder)) return folders;
  if (condition.startsWith('ifdef') && folders.length < maxFolders) {
    return [...(folders.length > 0 ? folders : ['.']), folder];
  }
  return folders.length > 0 ? folders : [folder];
}

function findInLine(line: string, offset: number, folders: readonly string[], findings: Findings): void {
  for (const { 0: whole, 1: name = '', 2: address = '', 3: inside = '', index } of line.matchAll(macro)) {
    const isBlock = whole.startsWith('::', name.length);
    const end = index + whole.length;
    // Brackets may stand between those of a line that is one macro.
    const isLine = isBlock && index === 0 && line.endsWith(']');
    const attributes = isLine ? line.slice(end - 1 - inside.length, -1) : inside;
    const isAlone =
      isLine ||
      (beginsBlock.test(line.slice(Math.max(0, index - 20), index)) && endsBlock.test(line.slice(end, end + 40)));
    // Plus signs around a macro show it as it is written.
    const isShown = line[index - 1] === '+' && line[end] === '+';
    if ((isBlock && !isAlone) || isShown) continue;
    const start = offset + index + whole.indexOf(':') + (isBlock ? 2 : 1);
    const range = { start, end: start + address.length };
    findFurther(attributes, range.end + 1, folders, findings);
    const words = altIn(attributes, range.end + 1, name === 'image');
    const isAttribute = words && /^\{[\w-]+\}$/.test(line.slice(words.start - offset, words.end - offset));
    const alt = isAttribute ? undefined : words;
    findings.reference({ form: 'macro', ...range, address: withoutEntities(address), alt, folders });
  }
}

/** Finds the picture that stands for a video before it plays, or for an SVG where it cannot be shown. */
function findFurther(attributes: string, offset: number, folders: readonly string[], findings: Findings): void {
  for (const match of attributes.matchAll(/(?:^|,)\s*(?:poster|fallback)=(?:"([^"]*)"|([^",]*))/g)) {
    const address = (match[1] ?? match[2] ?? '').trim();
    const start = offset + match.index + match[0].indexOf(address, match[0].indexOf('='));
    findings.reference({
      form: 'macro',
      start,
      end: start + address.length,
      address: withoutEntities(address),
      folders,
    });
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

/** Lines around a block whose text is spoken: examples, sidebars, quotes, open blocks. */
const spokenDelimiter = /^(?:={4,}|\*{4,}|_{4,}|--|'''|<<<)$/;
const table = /^[|,:!]={3,}$/;
const silentStyle = /^\[(?:source|listing|literal|stem|latexmath|asciimath|plantuml|mermaid|pass|comment)\b/;
const item = /^\s*(?:[*-]{1,6}|\.{1,6}|\d+\.|<\d+>)\s+(?:\[[ xX*]\]\s+)?(\S.*)$/;
const term = /^(\S.*?)(?:::{1,3}|;;)(?:\s+(\S.*))?$/;

/** Returns what a person reads aloud from AsciiDoc. */
export function speakableAsciidoc(text: string): readonly SpokenParagraph[] {
  const reader = new AsciidocReader();
  for (const line of text.split(/\r\n|[\n\r\u2028\u2029]/)) reader.read(line.trimEnd());
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
    else if (codeDelimiter.test(line)) this.#begin(line.startsWith('`') ? '```' : line);
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
    const [before = '', name, target = ''] = /^(\w+)::(\S*)/.exec(line) ?? [];
    const bracket = target.lastIndexOf('[');
    if (bracket === -1 || !line.endsWith(']')) return false;
    const attributes = line.slice(before.length - target.length + bracket + 1, -1);
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

const closingBracket = /\]/g;
/** Closing brackets, of which some constructs need two, or a mark behind them. */
const closingBrackets = /\]\]?/g;
const bracketBeforeMark = /\](?:(?=([#*_`]))|)/g;
const threeParentheses = /\)\)\)/g;
const twoParentheses = /\)\)/g;
const twoAngles = />>?/g;
const endOfAddress = /[\s[\]]/g;
const endOfPath = /[[\]]/g;
const endOfTarget = /[\s[]/g;
/** Marks that also work inside a word. */
const freeMarks: ReadonlyMap<string, RegExp> = new Map([
  ['**', /\*\*/g],
  ['__', /__/g],
  ['``', /``/g],
  ['++', /\+\+/g],
  ['##', /##/g],
]);
/** Marks that enclose whole words. */
const wordMarks: ReadonlyMap<string, RegExp> = new Map([
  ['*', /(?<!\s)\*(?!\w)/g],
  ['_', /(?<!\s)_(?!\w)/g],
  ['`', /(?<!\s)`(?!\w)/g],
  ['+', /(?<!\s)\+(?!\w)/g],
  ['#', /(?<!\s)#(?!\w)/g],
  ['^', /(?<!\s)\^(?!\w)/g],
  ['~', /(?<!\s)~(?!\w)/g],
]);

/** Returns a line without markup. */
function spoken(line: string): string {
  const words = withoutLinks(withoutHidden(line)).replace(/(?<!\\)\{[\w-]+\}/g, '');
  const unmarked = withoutMarks(words, /\*\*|__|``|\+\+|##/g, freeMarks);
  return withoutMarks(
    withoutMarks(unmarked, /(?<![\w\\])[*_`+#^~](?!\s)/g, wordMarks),
    /(?<![\w\\])[*_`+#](?!\s)/g,
    wordMarks,
  ).replace(/\\(?=[*_`+#{<])/g, '');
}

/** Removes `(((concealed, index, terms)))`, anchors, ids and footnotes, but only the parentheses of `((terms))`. */
function withoutHidden(line: string): string {
  const shown = replaceEnclosed(line, /\(\(\(|\[\[|\[#|footnote:\w*\[/g, ({ 0: begin, index }, find) => {
    const start = index + begin.length;
    if (begin === '[#') {
      const end = find(bracketBeforeMark, start);
      return end?.[1] === undefined ? undefined : { end: end.index + 1, text: '' };
    }
    const end = find(begin === '(((' ? threeParentheses : begin === '[[' ? closingBrackets : closingBracket, start);
    if (!end || (begin === '[[' && end[0] !== ']]')) return undefined;
    return { end: end.index + end[0].length, text: '' };
  });
  return replaceEnclosed(shown, /\(\(/g, ({ index }, find) => {
    const end = find(twoParentheses, index + 2);
    return end && { end: end.index + 2, text: shown.slice(index + 2, end.index) };
  });
}

/** Replaces references, links, pictures and inline macros by their words. */
function withoutLinks(line: string): string {
  const withoutReferences = replaceEnclosed(line, /<</g, ({ index }, find) => {
    const end = find(twoAngles, index + 2);
    if (end?.[0] !== '>>') return undefined;
    const inner = line.slice(index + 2, end.index);
    return { end: end.index + 2, text: inner.slice(inner.indexOf(',') + 1) };
  });
  const links = /link:|mailto:|xref:|https?:\/\/|irc:\/\//g;
  const withoutAddresses = replaceMacros(withoutReferences, links, endOfAddress, linkText);
  const pictures = /\b(?:image|icon):[^\s:[\]]/g;
  const withoutPictures = replaceMacros(withoutAddresses, pictures, endOfPath, (_, attributes) => altOf(attributes));
  const macros = /\b(?:kbd|btn|menu|stem|pass|latexmath):/g;
  return replaceMacros(withoutPictures, macros, endOfTarget, (_, words) => words);
}

/** Replaces `name:target[attributes]`. @param endOfTarget matches what ends a target: its bracket, or what it lacks */
function replaceMacros(
  line: string,
  begin: RegExp,
  endOfTarget: RegExp,
  replacement: (target: string, attributes: string) => string,
): string {
  return replaceEnclosed(line, begin, ({ 0: { length }, index }, find) => {
    const bracket = find(endOfTarget, index + length);
    const end = bracket?.[0] === '[' ? find(closingBracket, bracket.index + 1) : undefined;
    if (!bracket || !end) return undefined;
    const target = line.slice(index + length, bracket.index);
    return { end: end.index + 1, text: replacement(target, line.slice(bracket.index + 1, end.index)) };
  });
}

function withoutMarks(line: string, begin: RegExp, marks: ReadonlyMap<string, RegExp>): string {
  return replaceEnclosed(line, begin, ({ 0: mark, index }, find) => {
    const start = index + mark.length;
    const closing = marks.get(mark);
    // There is at least one character between the marks.
    const end = closing && find(closing, start + 1);
    return end && { end: end.index + mark.length, text: line.slice(start, end.index) };
  });
}

function linkText(address: string, attributes: string): string {
  if (isTranscript(address)) return '';
  const quoted = /^"([^"]*)"/.exec(attributes)?.[1];
  if (quoted !== undefined) return quoted;
  const named = attributes.search(/,\s*\w+=/);
  if (named !== -1) return attributes.slice(0, named);
  return attributes.endsWith('^') ? attributes.slice(0, -1) : attributes;
}

/** Returns the first attribute of a picture if it is positional. */
function altOf(attributes: string): string {
  const [, quoted, plain = ''] = /^"([^"]*)"|^([^,=]*)(?=,|$)/.exec(attributes) ?? [];
  return quoted ?? plain;
}
