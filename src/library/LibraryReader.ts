import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AssetKind } from '../operations/operations.ts';
import type { LibraryEntry } from './LibraryRecord.ts';
import { entriesOf, LibraryState } from './LibraryRecord.ts';

/** What is compared to see whether the file only grew, in bytes. */
const markLength = 512;
const lineBreak = 10;
/** How much is read of the end of a large library to know its newest entries, in bytes. */
const tailBytes = 2 ** 18;
/** How much is looked through at once, in bytes: some milliseconds. */
const sliceBytes = 2 ** 20;

/** Reads the entries of a library, and later only what has been added to it since. */
export class LibraryReader {
  readonly #read: (from: number) => Promise<Uint8Array | undefined>;
  readonly #kind: AssetKind | undefined;
  #state = new LibraryState();
  /** Where the next line begins. */
  #position = 0;
  /** The bytes before it. */
  #mark: Buffer = Buffer.alloc(0);
  #reading: Promise<unknown> = Promise.resolve();

  /** @param read the bytes of the library from a position on, or its last ones; undefined when there is none */
  constructor(read: (from: number) => Promise<Uint8Array | undefined>, kind: AssetKind | undefined) {
    this.#read = read;
    this.#kind = kind;
  }

  /** Oldest first. */
  entries(): Promise<readonly LibraryEntry[]> {
    const entries = this.#reading.then(() => this.#entries());
    this.#reading = entries.catch(() => undefined);
    return entries;
  }

  /** The newest entries of a library that is too large to know all of them at once, oldest first; else undefined. */
  async newest(): Promise<readonly LibraryEntry[] | undefined> {
    const tail = asBuffer((await this.#read(-tailBytes)) ?? new Uint8Array());
    if (tail.length < tailBytes) return undefined;
    // It begins within a line.
    return entriesOf(wantedLines(tail.subarray(tail.indexOf(lineBreak) + 1), this.#kind)).filter(this.#isWanted);
  }

  async #entries(): Promise<readonly LibraryEntry[]> {
    const bytes = (await this.#read(this.#position - this.#mark.length)) ?? new Uint8Array();
    const added = asBuffer(bytes);
    if (added.subarray(0, this.#mark.length).equals(this.#mark)) {
      await this.#take(added.subarray(this.#mark.length));
    } else {
      // Another file: a branch was merged or checked out.
      this.#state = new LibraryState();
      this.#position = 0;
      this.#mark = Buffer.alloc(0);
      await this.#take(asBuffer((await this.#read(0)) ?? new Uint8Array()));
    }
    return this.#state.entries.filter(this.#isWanted);
  }

  readonly #isWanted = ({ kind }: LibraryEntry): boolean => this.#kind === undefined || kind === this.#kind;

  async #take(bytes: Buffer): Promise<void> {
    for (const slice of slicesOf(bytes)) {
      for (const line of wantedLines(slice, this.#kind)) this.#state.add(line);
      // Others have something to do as well.
      if (bytes.length > sliceBytes) await nextTurn();
    }
    // What follows the last line break may be half a line: it is read again.
    const whole = bytes.subarray(0, bytes.lastIndexOf(lineBreak) + 1);
    this.#position += whole.length;
    this.#mark = Buffer.concat([this.#mark, whole.subarray(-markLength)]).subarray(-markLength);
  }
}

/** Pieces that end with a line. */
function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(lineBreak, start + sliceBytes) + 1 || bytes.length;
    yield bytes.subarray(start, end);
    start = end;
  }
}

/** Most lines of a large library need not even be decoded. */
function wantedLines(bytes: Buffer, kind: AssetKind | undefined): readonly string[] {
  if (kind === undefined) return bytes.toString().split('\n');
  // Of `moved` and `forgotten`, what begins with a rare letter and is short: it is found several times as fast.
  return [`${kind}"`, 'ved"', 'forgot'].flatMap((word) => linesWith(bytes, word));
}

/** The lines that hold a word; the others are not even decoded. */
export function linesWith(bytes: Buffer, word: string): readonly string[] {
  const lines: string[] = [];
  for (let at = bytes.indexOf(word); at >= 0; ) {
    const start = bytes.lastIndexOf(lineBreak, at) + 1;
    const found = bytes.indexOf(lineBreak, at);
    const end = found < 0 ? bytes.length : found;
    lines.push(bytes.toString('utf8', start, end));
    at = bytes.indexOf(word, end);
  }
  return lines;
}

export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
