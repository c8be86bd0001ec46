import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AssetKind } from '../operations/operations.ts';
import type { LibraryEntry } from './LibraryRecord.ts';
import { entriesOf, LibraryState } from './LibraryRecord.ts';

/** Bytes before the read position that are compared to check that the file has only grown. */
const markLength = 512;
const lineBreak = 10;
/** Bytes read from the end of a large library to get its newest entries. */
const tailBytes = 2 ** 18;
/** Bytes parsed before yielding to other work: some milliseconds. */
const sliceBytes = 2 ** 20;

/** Reads the entries of a library, and after that only what was added. */
export class LibraryReader {
  readonly #read: (from: number) => Promise<Uint8Array | undefined>;
  readonly #kind: AssetKind | undefined;
  #state = new LibraryState();
  /** Offset of the next line. */
  #position = 0;
  /** The bytes before that offset. */
  #mark: Buffer = Buffer.alloc(0);
  #reading: Promise<unknown> = Promise.resolve();

  /** @param read reads the library from a position on, or its last bytes if negative; undefined when there is none */
  constructor(read: (from: number) => Promise<Uint8Array | undefined>, kind: AssetKind | undefined) {
    this.#read = read;
    this.#kind = kind;
  }

  /** Returns all entries, oldest first. */
  entries(): Promise<readonly LibraryEntry[]> {
    const entries = this.#reading.then(() => this.#entries());
    this.#reading = entries.catch(() => undefined);
    return entries;
  }

  /**
   * Returns the newest entries of a large library without reading all of it, oldest first; undefined for a small one.
   */
  async newest(): Promise<readonly LibraryEntry[] | undefined> {
    const tail = asBuffer((await this.#read(-tailBytes)) ?? new Uint8Array());
    if (tail.length < tailBytes) return undefined;
    // The tail starts in the middle of a line.
    return entriesOf(wantedLines(tail.subarray(tail.indexOf(lineBreak) + 1), this.#kind)).filter(this.#isWanted);
  }

  async #entries(): Promise<readonly LibraryEntry[]> {
    const bytes = (await this.#read(this.#position - this.#mark.length)) ?? new Uint8Array();
    const added = asBuffer(bytes);
    if (added.subarray(0, this.#mark.length).equals(this.#mark)) {
      await this.#take(added.subarray(this.#mark.length));
    } else {
      // The file was replaced: a branch was merged or checked out.
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
      // Let other work run in between.
      if (bytes.length > sliceBytes) await nextTurn();
    }
    // Text after the last line break may be half a line: read it again next time.
    const whole = bytes.subarray(0, bytes.lastIndexOf(lineBreak) + 1);
    this.#position += whole.length;
    this.#mark = Buffer.concat([this.#mark, whole.subarray(-markLength)]).subarray(-markLength);
  }
}

/** Yields slices that end with a line break. */
function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(lineBreak, start + sliceBytes) + 1 || bytes.length;
    yield bytes.subarray(start, end);
    start = end;
  }
}

/** Returns the lines that may matter for a kind. Most lines of a large library need not even be decoded. */
function wantedLines(bytes: Buffer, kind: AssetKind | undefined): readonly string[] {
  if (kind === undefined) return bytes.toString().split('\n');
  // Parts of `moved"` and `forgotten` that start with a rare letter, which makes the search several times as fast.
  const own = `${kind}"`;
  // A record that happens to contain a later word must not come again, after a newer one of the same asset.
  return [own, 'ved"', 'forgot'].flatMap((word, at) =>
    linesWith(bytes, word).filter((line) => !at || !line.includes(own)),
  );
}

/** Returns the lines that contain a word, without decoding the others. */
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
