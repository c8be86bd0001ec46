import { open } from 'node:fs/promises';
import type { AnswerFile } from './AnswerBody.ts';

/** Where the inside of a string lies in a file: the first byte, and the first behind it. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface CutJson {
  /** JSON in which nothing is left of a long string but its beginning, the mark and the index of its range. */
  readonly json: string;
  readonly ranges: readonly ByteRange[];
}

/** How much of a long string is kept: more than tells what it is. */
const keptOfText = 16 * 1024;
/** No answer holds so much beside its media. */
const maxKept = 64 * 1024 * 1024;

const quoteSign = 0x22;
const slashSign = 0x5c;

/**
 * Reads JSON of any size without holding its long strings. What is no JSON gives what is no JSON.
 *
 * @param mark stands nowhere in the file
 * @param windowBytes how much is read at once
 * @returns undefined when too much would be left
 */
export async function cutLongTexts(
  { path, length }: AnswerFile,
  mark: string,
  windowBytes: number,
): Promise<CutJson | undefined> {
  await using file = await open(path);
  const buffer = Buffer.allocUnsafe(windowBytes);
  const cutter = new JsonCutter(mark);
  for (let position = 0; position < length; ) {
    const { bytesRead } = await file.read(buffer, 0, windowBytes, position);
    if (bytesRead === 0) throw new Error('the file of the answer is not whole');
    position += cutter.take(buffer.subarray(0, bytesRead), position, position + bytesRead >= length);
    if (cutter.keptBytes > maxKept) return undefined;
  }
  return cutter.result();
}

class JsonCutter {
  readonly #mark: string;
  readonly #kept: Uint8Array[] = [];
  readonly #ranges: ByteRange[] = [];
  keptBytes = 0;
  /** Where the string began that goes on; undefined outside. */
  #start: number | undefined;
  #isCut = false;

  constructor(mark: string) {
    this.#mark = mark;
  }

  result(): CutJson {
    return { json: new TextDecoder().decode(Buffer.concat(this.#kept)), ranges: this.#ranges };
  }

  /**
   * Takes the next bytes of the file, which are not needed afterwards.
   *
   * @returns how many it took: half an escape at the end has to come again
   */
  take(window: Buffer, offset: number, isLast: boolean): number {
    let [at, keepFrom, quote, slash] = [0, 0, -1, -1];
    while (at < window.length) {
      quote = find(window, quoteSign, at, quote);
      if (this.#start === undefined) {
        at = Math.min(quote + 1, window.length);
        if (quote < window.length) this.#start = offset + at;
        continue;
      }
      slash = find(window, slashSign, at, slash);
      const end = Math.min(quote, slash);
      // The first four characters may be the digits of an escape, which must not be cut.
      const cut = Math.max(this.#start + keptOfText - offset, at + 4);
      if (!this.#isCut && cut <= end) {
        this.#keep(window.subarray(keepFrom, cut));
        this.#isCut = true;
      }
      if (end === window.length - 1 && end === slash && !isLast) return this.#leave(window, keepFrom, end);
      at = Math.min(end + (end === slash ? 2 : 1), window.length);
      if (end === quote && end < window.length) {
        if (this.#isCut) keepFrom = quote;
        this.#endText(this.#start, offset + quote);
      }
    }
    return this.#leave(window, keepFrom, at);
  }

  #leave(window: Buffer, keepFrom: number, at: number): number {
    if (!this.#isCut) this.#keep(window.subarray(keepFrom, at));
    return at;
  }

  #endText(start: number, end: number): void {
    if (this.#isCut) this.#keep(Buffer.from(this.#mark + (this.#ranges.push({ start, end }) - 1)));
    this.#isCut = false;
    this.#start = undefined;
  }

  #keep(bytes: Uint8Array): void {
    this.#kept.push(Uint8Array.from(bytes));
    this.keptBytes += bytes.length;
  }
}

/** The next place of a byte from a position on, or the length; what was found before may still be ahead. */
function find(bytes: Buffer, byte: number, from: number, known: number): number {
  if (known >= from) return known;
  const found = bytes.indexOf(byte, from);
  return found < 0 ? bytes.length : found;
}
