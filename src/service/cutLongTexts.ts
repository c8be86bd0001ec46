import { open } from 'node:fs/promises';
import type { AnswerFile } from './AnswerBody.ts';

/** Byte offsets of a string's content in a file; `end` is exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface CutJson {
  /** JSON in which each long string is replaced by its beginning, the mark and the index of its range. */
  readonly json: string;
  readonly ranges: readonly ByteRange[];
}

/** Bytes kept of a long string: more than enough to detect its type. */
const keptTextBytes = 16 * 1024;
/** Maximum size of the cut JSON. No answer has that much besides its media. */
const maxKeptBytes = 64 * 1024 * 1024;

const quoteSign = 0x22;
const slashSign = 0x5c;

/**
 * Reads JSON of any size without its long strings. Input that is not JSON gives output that is not JSON.
 *
 * @param mark text that does not occur in the file
 * @param windowBytes number of bytes read at once
 * @returns undefined when the rest would still be too large
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
    if (bytesRead === 0) throw new Error('the answer file is truncated');
    position += cutter.take(buffer.subarray(0, bytesRead), position, position + bytesRead >= length);
    if (cutter.keptBytes > maxKeptBytes) return undefined;
  }
  return cutter.result();
}

class JsonCutter {
  readonly #mark: string;
  readonly #kept: Uint8Array[] = [];
  readonly #ranges: ByteRange[] = [];
  keptBytes = 0;
  /** File offset of the current string's content; undefined outside of strings. */
  #start: number | undefined;
  #isCut = false;

  constructor(mark: string) {
    this.#mark = mark;
  }

  result(): CutJson {
    return { json: new TextDecoder().decode(Buffer.concat(this.#kept)), ranges: this.#ranges };
  }

  /**
   * Consumes the next bytes of the file and keeps no reference to them.
   *
   * @returns the number of bytes consumed; an incomplete escape at the end must be passed again
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
      // Do not cut within the first four characters: they may be the digits of an escape.
      const cut = Math.max(this.#start + keptTextBytes - offset, at + 4);
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

/** Returns the next index of a byte, or the length. `known` is an earlier result, reused while it is still ahead. */
function find(bytes: Buffer, byte: number, from: number, known: number): number {
  if (known >= from) return known;
  const found = bytes.indexOf(byte, from);
  return found < 0 ? bytes.length : found;
}
