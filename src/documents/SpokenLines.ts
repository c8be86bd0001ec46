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
  /** What is spoken instead, as a comment behind it says. */
  readonly say?: string;
  /** The voice that speaks it, as a comment behind it says. */
  readonly voice?: string;
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
  /** Whether nothing but comments stands behind the last paragraph. */
  #isBehind = false;
  /** Headings of the columns of a table, while they are read and for the rows below. */
  #headings: string[] | undefined;
  #isHead = false;
  #hasRows = false;
  #column = 0;
  /** The heading of the current cell, until the cell has words. */
  #heading = '';
  /** Beginning of the line, up to the current cell. Reading the whole line again for each cell takes quadratic time. */
  #cells = '';

  add(text: string): void {
    if (/\S/.test(text)) {
      if (this.#betweenCells) this.#endCell();
      this.#hasWords = true;
      if (this.#heading !== '') this.#line += `${this.#heading}: `;
      this.#heading = '';
    }
    this.#line += text;
  }

  /** Adds a picture by its alternative text. One that stands alone is introduced, since nothing else tells what it is. */
  addImage(alternative: string, isLink: boolean): void {
    // A link that is a picture is a button or a badge.
    const isInText = isLink || this.#cellDepth > 0 || this.#pausingDepth > 0 || alternative.trim() === '';
    this.add(isInText ? ` ${alternative} ` : `${imageStart}${alternative}${imageEnd}`);
  }

  /** Passes what is not spoken. A comment behind it is not about the paragraph before it. */
  pass(): void {
    if (!this.#hasWords) this.#isBehind = false;
  }

  /** Says what is spoken instead of the paragraph that ends here. */
  say(text: string): void {
    this.end();
    const last = this.#paragraphs.at(-1);
    if (last && this.#isBehind) this.#paragraphs[this.#paragraphs.length - 1] = { ...last, say: tidy(text) };
  }

  /** Says which voice speaks the paragraph that ends here. */
  speakWith(voice: string): void {
    this.end();
    const last = this.#paragraphs.at(-1);
    const name = voice.trim();
    if (last && this.#isBehind && /^\P{Cc}{1,100}$/u.test(name)) {
      this.#paragraphs[this.#paragraphs.length - 1] = { ...last, voice: name };
    }
  }

  /** Begins a table. Where it has a row of headings, each row is read with them. */
  beginTable(): void {
    this.beginGroup();
    this.#headings = undefined;
    this.#hasRows = false;
  }

  endTable(): void {
    const headings = this.#hasRows ? undefined : this.#headings;
    this.#headings = undefined;
    // A table that has nothing else.
    if (headings) {
      this.beginPausing();
      this.add(headings.filter((heading) => heading !== '').join(', '));
      this.endPausing();
    }
    this.endGroup();
  }

  /** Begins the rows with the headings of the columns, which are read with each row below. */
  beginHead(): void {
    this.end();
    this.#isHead = true;
  }

  endHead(): void {
    this.end();
    this.#isHead = false;
  }

  beginRow(): void {
    this.beginPausing();
    if (this.#isHead) this.#headings = [];
    this.#column = 0;
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
    const line = tidy(withImages(this.#cells + this.#line));
    this.#cells = '';
    this.#line = '';
    this.#hasWords = false;
    this.#betweenCells = false;
    if (line === '' || this.#isHead) return;
    this.#hasRows = true;
    const group = this.#groupDepth > 0 ? this.#group : 0;
    const text = this.#pausingDepth > 0 ? withPause(line) : line;
    const isHeading = this.#headingDepth > 0;
    const last = this.#paragraphs.at(-1);
    if (last && group !== 0 && group === this.#lastGroup) {
      const say = last.say === undefined ? {} : { say: last.say === '' ? text : `${last.say}\n${text}` };
      this.#paragraphs[this.#paragraphs.length - 1] = { ...last, text: `${last.text}\n${text}`, isHeading, ...say };
    } else {
      this.#paragraphs.push({ text, isHeading });
    }
    this.#lastGroup = group;
    this.#isBehind = true;
  }

  /** Begins a list or table, whose lines are not separated by blank lines. */
  beginGroup(): void {
    this.end();
    this.pass();
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
    this.#cellDepth++;
    if (this.#cellDepth > 1) return;
    if (this.#isHead) {
      this.#line = '';
      return;
    }
    this.#betweenCells ||= this.#hasWords;
    this.#heading = this.#headings?.[this.#column++] ?? '';
  }

  endCell(): void {
    this.#cellDepth--;
    if (this.#cellDepth > 0) return;
    this.#heading = '';
    if (!this.#isHead) return;
    this.#headings?.push(tidy(this.#cells + this.#line).replace(/[.:]$/, ''));
    this.#cells = '';
    this.#line = '';
    this.#betweenCells = false;
  }

  /** Ends the text and returns all paragraphs. */
  finish(): readonly SpokenParagraph[] {
    this.#cellDepth = 0;
    this.end();
    return this.#paragraphs;
  }
}

/** Placeholders around the alternative text of a picture, until its line is complete. */
const [imageStart, imageEnd] = ['\ue001', '\ue002'];

function withImages(line: string): string {
  if (!line.includes(imageStart)) return line;
  const parts = line.split(imageStart).map((part) => part.split(imageEnd));
  const isAlone = parts.every((part) => part.at(-1)?.trim() === '');
  const pieces = parts.map((part) => {
    const [alternative = '', after] = part;
    if (after === undefined) return alternative;
    const text = alternative.trim();
    return isAlone && text !== '' ? `Image: ${withPause(text)} ` : ` ${text} ${after}`;
  });
  return pieces.join('');
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
