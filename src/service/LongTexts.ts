import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import { giveAway } from '../files/freeMemory.ts';
import { parseJson } from '../operations/parseJson.ts';
import type { Json } from './Answer.ts';
import type { AnswerFile } from './AnswerBody.ts';

/** A long string in a JSON file; only its beginning is in memory. */
export interface LongText {
  readonly head: string;
  /**
   * Decodes the string after `skip` characters; each iteration reads it again. Throws a RangeError for invalid data.
   */
  decode(skip: number, createDecoder: () => DataDecoder): AsyncIterable<Uint8Array>;
}

/** Bytes per decoded string. V8 would allocate longer strings outside the young generation, where they live longer. */
const stringBytes = 64 * 1024;

/** Parses a JSON file whose long strings (base64) would not fit in memory. */
export class LongTexts {
  readonly #file: AnswerFile;
  readonly #pieceBytes: number;
  /** Random, so that no answer can contain it. */
  readonly #mark = `…${randomUUID()}:`;
  #ranges: readonly ByteRange[] = [];

  /** @param pieceBytes number of bytes read at once */
  constructor(file: AnswerFile, pieceBytes = 256 * 1024) {
    this.#file = file;
    this.#pieceBytes = pieceBytes;
  }

  /**
   * Parses the file, with long strings cut short. Returns undefined when it is not JSON. Throws like
   * {@link parseAnswer}.
   */
  async parse(): Promise<Json | undefined> {
    const cut = await cutLongTexts(this.#file, this.#mark, this.#pieceBytes);
    this.#ranges = cut?.ranges ?? [];
    return cut && parseAnswer(cut.json);
  }

  /** Returns the long string that a string of the parsed value was cut from; undefined for a complete one. */
  find(text: string): LongText | undefined {
    const at = text.lastIndexOf(this.#mark);
    const range = at < 0 ? undefined : this.#ranges[Number(text.slice(at + this.#mark.length))];
    if (!range) return undefined;
    return {
      head: text.slice(0, at),
      decode: (skip, createDecoder) => ({
        [Symbol.asyncIterator]: () => decode(this.#pieces(range), skip, createDecoder()),
      }),
    };
  }

  /** Yields the characters of a JSON string. Only ASCII comes out right, which is enough for encoded data. */
  async *#pieces({ start, end }: ByteRange): AsyncGenerator<string> {
    await using file = await open(this.#file.path);
    const buffer = Buffer.allocUnsafe(this.#pieceBytes);
    let cut = '';
    for (let position = start; position < end; ) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - position), position);
      if (bytesRead === 0) throw new Error('the answer file is truncated');
      position += bytesRead;
      for (let at = 0; at < bytesRead; at += stringBytes) {
        const text = cut + buffer.toString('latin1', at, Math.min(at + stringBytes, bytesRead));
        const whole = text.includes('\\') ? text.replace(/\\(u[0-9a-f]{0,3})?$/i, '') : text;
        cut = text.slice(whole.length);
        yield unescapeJson(whole);
      }
    }
    if (cut !== '') throw new RangeError('incomplete escape');
  }
}

async function* decode(pieces: AsyncIterable<string>, skip: number, decoder: DataDecoder) {
  let toSkip = skip;
  for await (const piece of pieces) {
    const text = piece.slice(toSkip);
    toSkip -= piece.length - text.length;
    yield giveAway(decoder.decode(text));
  }
  yield decoder.end();
}

function unescapeJson(text: string): string {
  if (!text.includes('\\')) return text;
  const value = parseJson<Json>(`"${text}"`);
  if (typeof value !== 'string') throw new RangeError('invalid escape');
  return value;
}

/** Byte offsets of a string's content in a file; `end` is exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The words of ten hours are fewer than a million values. Each takes up to 100 bytes of memory. */
const maxValues = 4_000_000;

/** Parses an answer; returns undefined when it is not JSON. @throws Error when its values would fill the memory */
export function parseAnswer(text: string): Json | undefined {
  let values = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quoteSign) isInString = !isInString;
    else if (isInString) at += code === slashSign ? 1 : 0;
    else if ((code === commaSign || code === listSign || code === objectSign) && ++values > maxValues)
      throw new Error(l10n.t('it holds too many values'));
  }
  return parseJson<Json>(text);
}

interface CutJson {
  /** JSON in which each long string is replaced by its beginning, the mark and the index of its range. */
  readonly json: string;
  readonly ranges: readonly ByteRange[];
}

/** Bytes kept of a long string: more than enough to detect its type. */
const keptTextBytes = 16 * 1024;
/** Maximum size of the cut JSON. No answer has that much besides its media. */
const maxKeptBytes = 64 * 1024 * 1024;

const quoteSign = 0x22;
const commaSign = 0x2c;
const listSign = 0x5b;
const slashSign = 0x5c;
const objectSign = 0x7b;

/**
 * Reads JSON of any size without its long strings. Input that is not JSON gives output that is not JSON.
 *
 * @param mark text that does not occur in the file
 * @param windowBytes number of bytes read at once
 * @returns undefined when the rest would still be too large
 */
async function cutLongTexts(
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

/** Decodes text to bytes, piece by piece. */
export interface DataDecoder {
  /** @throws RangeError for invalid text */
  decode(piece: string): Uint8Array;
  /** Returns the bytes of the remaining characters. Throws like {@link decode}. */
  end(): Uint8Array;
}

/** Decodes base64 and base64url, with or without padding and white space. */
export class Base64Decoder implements DataDecoder {
  /** Characters that do not yet form a group of four. */
  #rest = '';
  #isPadded = false;

  decode(piece: string): Uint8Array {
    const text = this.#rest + piece;
    // White space and padding are rare, so try to decode the piece as it is first. The rest must hold neither.
    const isPlain = !this.#isPadded && !/\s/.test(text.slice(-3));
    const plain = isPlain ? this.#decodeGroups(text) : undefined;
    if (plain) return plain;
    const dense = text.replace(/\s+/g, '');
    const data = withoutPadding(dense);
    const isLate = this.#isPadded && data.length > this.#rest.length;
    this.#isPadded ||= data.length < dense.length;
    return (isLate ? undefined : this.#decodeGroups(data)) ?? fail();
  }

  end(): Uint8Array {
    // A single character encodes only 6 bits.
    if (this.#rest.length === 1) fail();
    return decodeWhole(this.#rest, 'base64', Math.floor((this.#rest.length * 3) / 4)) ?? fail();
  }

  #decodeGroups(text: string): Uint8Array | undefined {
    const end = text.length - (text.length % 4);
    const bytes = decodeWhole(text.slice(0, end), 'base64', (end * 3) / 4);
    if (bytes) this.#rest = text.slice(end);
    return bytes;
  }
}

/** Decodes hexadecimal, two digits per byte. */
export class HexDecoder implements DataDecoder {
  #rest = '';

  decode(piece: string): Uint8Array {
    const text = this.#rest + piece;
    const end = text.length - (text.length % 2);
    this.#rest = text.slice(end);
    return decodeWhole(text.slice(0, end), 'hex', end / 2) ?? fail();
  }

  end(): Uint8Array {
    return this.#rest === '' ? new Uint8Array() : fail();
  }
}

/** Returns undefined for invalid text: Buffer.from skips it or stops there, so the result is too short. */
function decodeWhole(text: string, encoding: 'base64' | 'hex', length: number): Uint8Array | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.length === length ? bytes : undefined;
}

function withoutPadding(text: string): string {
  // A regular expression would take quadratic time on a long run of "=".
  let end = text.length;
  while (text[end - 1] === '=') end--;
  return text.slice(0, end);
}

function fail(): never {
  throw new RangeError('invalid data');
}
