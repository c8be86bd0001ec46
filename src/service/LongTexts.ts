import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { giveAway } from '../operations/freeMemory.ts';
import { parseJson } from '../operations/parseJson.ts';
import type { Json } from './Answer.ts';
import type { AnswerFile } from './AnswerBody.ts';
import type { ByteRange } from './cutLongTexts.ts';
import { cutLongTexts } from './cutLongTexts.ts';
import type { DataDecoder } from './DataDecoder.ts';

/** A long string in a JSON file; only its beginning is in memory. */
export interface LongText {
  readonly head: string;
  /** Decodes the string after `skip` characters; each iteration reads it again. Throws a RangeError for invalid data. */
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

  /** Parses the file, with long strings cut short. Returns undefined when it is not JSON. */
  async parse(): Promise<Json | undefined> {
    const cut = await cutLongTexts(this.#file, this.#mark, this.#pieceBytes);
    this.#ranges = cut?.ranges ?? [];
    return cut && parseJson<Json>(cut.json);
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
