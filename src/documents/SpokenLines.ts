/** Line break within a line, for `<br>`. */
const lineBreak = '\u2028';
/** Soft hyphen, zero-width space, word joiner and byte order mark, which are silent. */
const invisible = /[\u00ad\u200b\u2060\ufeff]/g;
const ideograph = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}、。，！？：；「」]';
/** Line break of the source between two ideographs, which becomes nothing instead of a space. */
const softBreak = new RegExp(`(?<=${ideograph})[ \\t]*\\r?\\n\\s*(?=${ideograph})`, 'gu');
const address = addressPattern();
/** Placeholder of a removed address until its brackets are removed as well. */
const taken = '\ue000';
const inBrackets = new RegExp(` ?(?:\\(${taken} ?\\)|\\[${taken} ?\\]|<${taken} ?>|（${taken} ?）)`, 'g');

/** A paragraph, list, table or heading as a person reads it aloud; one or several lines. */
export interface SpokenParagraph {
  readonly text: string;
  readonly isHeading: boolean;
}

/** Joins pieces of text into lines as a person reads them aloud. */
export class SpokenLines {
  readonly #paragraphs: SpokenParagraph[] = [];
  #line = '';
  #group = 0;
  #lastGroup = 0;
  #groups = 0;
  #groupDepth = 0;
  #pausingDepth = 0;
  #headingDepth = 0;
  #cellDepth = 0;
  #betweenCells = false;
  /** Whether the line has more than white space. */
  #hasWords = false;
  /** Beginning of the line, up to the current cell. Reading the whole line again for each cell takes quadratic time. */
  #cells = '';

  add(text: string): void {
    if (/\S/.test(text)) {
      if (this.#betweenCells) this.#endCell();
      this.#hasWords = true;
    }
    this.#line += text;
  }

  #endCell(): void {
    const cell = this.#line.trimEnd();
    this.#cells += `${withPause(cell) === cell ? cell : `${cell},`} `;
    this.#line = '';
    this.#betweenCells = false;
  }

  breakLine(): void {
    this.#line += this.#cellDepth > 0 ? ' ' : lineBreak;
  }

  /** Ends the line if it is not empty. In a table cell it ends only the phrase, because a row is one line. */
  end(): void {
    if (this.#cellDepth > 0) {
      this.#betweenCells = this.#hasWords;
      return;
    }
    const line = tidy(this.#cells + this.#line);
    this.#cells = '';
    this.#line = '';
    this.#hasWords = false;
    this.#betweenCells = false;
    if (line === '') return;
    const group = this.#groupDepth > 0 ? this.#group : 0;
    const text = this.#pausingDepth > 0 ? withPause(line) : line;
    const isHeading = this.#headingDepth > 0;
    const last = this.#paragraphs.at(-1);
    if (last && group !== 0 && group === this.#lastGroup) {
      this.#paragraphs[this.#paragraphs.length - 1] = { text: `${last.text}\n${text}`, isHeading };
    } else {
      this.#paragraphs.push({ text, isHeading });
    }
    this.#lastGroup = group;
  }

  /** Begins a list or table, whose lines are not separated by blank lines. */
  beginGroup(): void {
    this.end();
    if (this.#groupDepth === 0) this.#group = ++this.#groups;
    this.#groupDepth++;
  }

  endGroup(): void {
    this.end();
    this.#groupDepth--;
  }

  /** Begins a heading, item or row, in which each line ends with a pause. */
  beginPausing(): void {
    this.end();
    this.#pausingDepth++;
  }

  endPausing(): void {
    this.end();
    this.#pausingDepth--;
  }

  beginHeading(): void {
    this.beginPausing();
    this.#headingDepth++;
  }

  endHeading(): void {
    this.endPausing();
    this.#headingDepth--;
  }

  beginCell(): void {
    this.#betweenCells ||= this.#hasWords;
    this.#cellDepth++;
  }

  endCell(): void {
    this.#cellDepth--;
  }

  /** Ends the text and returns all paragraphs. */
  finish(): readonly SpokenParagraph[] {
    this.#cellDepth = 0;
    this.end();
    return this.#paragraphs;
  }
}

function tidy(line: string): string {
  return line
    .replace(invisible, '')
    .replace(softBreak, '')
    .split(lineBreak)
    .map((part) => withoutAddresses(part.replace(/\s+/g, ' ')).trim())
    .filter((part) => part !== '')
    .join('\n');
}

function withoutAddresses(line: string): string {
  return line
    .replace(address, taken)
    .replace(inBrackets, '')
    .replaceAll(taken, '')
    .replace(/ (?=[,.;:!?)\]](?: |$))/g, '');
}

/** Matches a web address and the space before it, without the punctuation after it. */
function addressPattern(): RegExp {
  const scripts = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}';
  const character = `(?![()<>"\`${scripts}])[!-~\\p{L}\\p{M}\\p{N}]`;
  const last = `(?![${scripts}])[\\p{L}\\p{M}\\p{N}/#=&%+$@_~-]`;
  const pair = `\\((?:${character})*\\)`;
  const begin = '\\b(?:(?:https?|ftp|file)://|www\\.)';
  return new RegExp(` ?${begin}(?:${pair}|${character})*(?:${pair}|${last})`, 'giu');
}

const pause = /[\p{Terminal_Punctuation}…—–][\p{Pe}\p{Pf}\p{Pi}"']*$/u;
const fullStops: readonly (readonly [lastLetter: RegExp, fullStop: string])[] = [
  [/(?!\p{P})[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][\p{P}\s]*$/u, '。'],
  [/(?!\p{P})\p{Script=Devanagari}[\p{P}\s]*$/u, '।'],
];

/** Ends a line with a full stop of its script, unless its last character already makes a speaker pause. */
export function withPause(line: string): string {
  if (line === '' || pause.test(line)) return line;
  return line + (fullStops.find(([lastLetter]) => lastLetter.test(line))?.[1] ?? '.');
}

/**
 * Returns whether a link leads to subtitles. Such a link beside a player offers what is heard, so it is not read aloud.
 */
export function isTranscript(address: string): boolean {
  return /\.(?:vtt|srt)(?:[?#]|$)/i.test(address);
}
