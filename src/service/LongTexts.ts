import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { giveAway } from '../operations/freeMemory.ts';
import { parseJson } from '../operations/parseJson.ts';
import type { Json } from './Answer.ts';
import type { AnswerFile } from './AnswerBody.ts';
import type { ByteRange } from './cutLongTexts.ts';
import { cutLongTexts } from './cutLongTexts.ts';
import type { DataDecoder } from './DataDecoder.ts';

/** A string of a JSON file of which only the beginning is in memory. */
export interface LongText {
  readonly head: string;
  /** What it stands for behind some characters, as often as it is asked for; a RangeError where it is damaged. */
  decode(skip: number, createDecoder: () => DataDecoder): AsyncIterable<Uint8Array>;
}

/** How much of it becomes one text: a longer one would not be made where short-lived texts are made and gone fast. */
const stringBytes = 64 * 1024;

/** The strings of a JSON file that are too long to hold. */
export class LongTexts {
  readonly #file: AnswerFile;
  readonly #pieceBytes: number;
  /** Random, so that no answer can hold it. */
  readonly #mark = `…${randomUUID()}:`;
  #ranges: readonly ByteRange[] = [];

  /** @param pieceBytes how much of the file is read at once */
  constructor(file: AnswerFile, pieceBytes = 256 * 1024) {
    this.#file = file;
    this.#pieceBytes = pieceBytes;
  }

  /** The value of the file, in which long strings are cut; undefined when it is no JSON. */
  async parse(): Promise<Json | undefined> {
    const cut = await cutLongTexts(this.#file, this.#mark, this.#pieceBytes);
    this.#ranges = cut?.ranges ?? [];
    return cut && parseJson<Json>(cut.json);
  }

  /** What a string of the value was cut from; undefined for one that is whole. */
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

  /** The characters of a JSON string. Those beyond ASCII come out wrong: data has none. */
  async *#pieces({ start, end }: ByteRange): AsyncGenerator<string> {
    await using file = await open(this.#file.path);
    const buffer = Buffer.allocUnsafe(this.#pieceBytes);
    let cut = '';
    for (let position = start; position < end; ) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - position), position);
      if (bytesRead === 0) throw new Error('the file of the answer is not whole');
      position += bytesRead;
      for (let at = 0; at < bytesRead; at += stringBytes) {
        const text = cut + buffer.toString('latin1', at, Math.min(at + stringBytes, bytesRead));
        const whole = text.includes('\\') ? text.replace(/\\(u[0-9a-f]{0,3})?$/i, '') : text;
        cut = text.slice(whole.length);
        yield unescapeJson(whole);
      }
    }
    if (cut !== '') throw new RangeError('half an escape');
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
  if (typeof value !== 'string') throw new RangeError('an escape that JSON does not know');
  return value;
}
