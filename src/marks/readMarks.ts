import { open } from 'node:fs/promises';
import { inflateSync } from 'node:zlib';
import { boxHead, chunkHead, frameLength, sevenBit } from './containers.ts';
import { type DigitalSource, xmpBox } from './DigitalSource.ts';

// Which marks of origin a file carries. Only whether they are there is read: no signature is checked, so nothing here says
// that a file is what its marks claim. A parser asks for bytes step by step, so that a download is read as it passes, and
// a file on disk only where its parts begin. Bytes come from outside: reading never throws, and takes linear time and
// constant memory.

/** `c2pa`: Content Credentials; `iptc`: a digital source type of IPTC. */
const markKinds = ['c2pa', 'iptc'] as const;
export type MarkKind = (typeof markKinds)[number];

export interface Marks {
  readonly kinds: readonly MarkKind[];
  /** What the marks call the medium, if they say that a model made or changed it. */
  readonly source: DigitalSource | undefined;
}

/** Returns the marks of a file in memory. */
export function marksIn(bytes: Uint8Array): Marks {
  const reader = new MarkReader();
  reader.feed(bytes);
  return reader.end();
}

/** Returns the marks of a file on disk, of which only the beginnings of its parts are read. @throws Error of node:fs */
export async function marksOf(path: string): Promise<Marks> {
  await using file = await open(path);
  const { size } = await file.stat();
  const parser = new Parser();
  const buffer = Buffer.alloc(maxPiece);
  // What the buffer holds of the file: parts may be as small as a byte.
  let [start, end] = [0, 0];
  let position = 0;
  for (let step = parser.step; step; step = parser.step) {
    if (step.type === 'skip' || position >= size) {
      position += step.bytes;
      parser.next(empty);
      continue;
    }
    if (position < start || Math.min(position + step.bytes, size) > end) {
      const { bytesRead } = await file.read(buffer, 0, maxPiece, position);
      [start, end] = [position, position + bytesRead];
    }
    // Copied, because a parser may keep what it has asked for.
    const piece = Buffer.from(buffer.subarray(position - start, Math.min(position + step.bytes, end) - start));
    if (step.type === 'take') position += piece.length;
    parser.next(piece);
  }
  return parser.marks;
}

/** Returns the marks of several files on disk together. @throws Error of node:fs */
export async function marksOfAll(paths: readonly string[]): Promise<Marks> {
  const all: Marks[] = [];
  for (const path of paths) all.push(await marksOf(path));
  return {
    kinds: markKinds.filter((kind) => all.some(({ kinds }) => kinds.includes(kind))),
    source: all.find(({ source }) => source)?.source,
  };
}

/** Reads the marks of a file from pieces of any size, in order. */
export class MarkReader {
  readonly #parser = new Parser();
  /** The beginning of what the parser asked for. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #skip = 0;

  feed(chunk: Uint8Array): void {
    const { step } = this.#parser;
    if (!step) return;
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (step.type === 'skip' || this.#heldBytes + bytes.length >= step.bytes) {
      this.#run(this.#heldBytes > 0 ? Buffer.concat([...this.#held, bytes]) : bytes);
    } else this.#hold(bytes);
  }

  /** Returns what was found, after all pieces. */
  end(): Marks {
    let rest: Buffer = Buffer.concat(this.#held);
    for (let { step } = this.#parser; step; { step } = this.#parser) {
      const piece = step.type === 'skip' ? empty : rest.subarray(0, step.bytes);
      if (step.type === 'take') rest = rest.subarray(piece.length);
      if (step.type === 'skip') rest = empty;
      this.#parser.next(piece);
    }
    return this.#parser.marks;
  }

  #run(bytes: Buffer): void {
    this.#held = [];
    this.#heldBytes = 0;
    let at = 0;
    for (let { step } = this.#parser; step; { step } = this.#parser) {
      if (step.type === 'skip') {
        const rest = step.bytes - this.#skip;
        if (bytes.length - at < rest) {
          this.#skip += bytes.length - at;
          return;
        }
        this.#skip = 0;
        at += rest;
        this.#parser.next(empty);
      } else if (bytes.length - at < step.bytes) {
        this.#hold(bytes.subarray(at));
        return;
      } else {
        const piece = bytes.subarray(at, at + step.bytes);
        if (step.type === 'take') at += piece.length;
        this.#parser.next(piece);
      }
    }
  }

  /** Copies bytes, because their memory may be used again for the next piece. */
  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#held.push(Buffer.from(bytes));
    this.#heldBytes += bytes.length;
  }
}

const empty = Buffer.alloc(0);
/** Most bytes that are looked at together. */
const maxPiece = 65_536;
/** Most parts of a file that are visited; what follows is not read. */
const maxParts = 100_000;
/** Most parts without content. */
const maxEmptyParts = 1000;
/** Most bytes that only fill the space between the parts of a JPEG. */
const maxFill = 1000;
/** Most bytes of a compressed text, and of what it holds. */
const maxDeflated = 1_000_000;

/** What a parser does next: get bytes, get them without passing them, or pass them. It gets fewer at the end. */
interface Step {
  readonly type: 'take' | 'peek' | 'skip';
  readonly bytes: number;
}

type Steps<T = void> = Generator<Step, T, Buffer>;

const take = (bytes: number): Step => ({ type: 'take', bytes: Math.min(bytes, maxPiece) });
const peek = (bytes: number): Step => ({ type: 'peek', bytes });
const skip = (bytes: number): Step => ({ type: 'skip', bytes });

class Parser {
  readonly #found = new MarkFindings();
  readonly #steps = file(this.#found);
  /** Undefined at the end. */
  step: Step | undefined;

  constructor() {
    this.next(empty);
  }

  next(piece: Buffer): void {
    try {
      const { done, value } = this.#steps.next(piece);
      this.step = done ? undefined : value;
    } catch {
      // A part that does not hold what it should ends the file.
      this.step = undefined;
    }
  }

  get marks(): Marks {
    return this.#found.marks;
  }
}

class MarkFindings {
  hasManifest = false;
  #hasSource = false;
  #isTrained = false;
  #isComposite = false;

  /** Finds digital source types in a text, as IPTC's addresses or as the bare value of the property. */
  look(text: string): void {
    const names = text.matchAll(/digitalsourcetype(?:\/|="|='|>\s{0,20}|\0)([a-z]{1,60})(?![a-z:])/gi);
    // In CBOR the byte that follows may be a letter, too.
    for (const [, name = ''] of names) {
      this.#hasSource = true;
      this.#isTrained ||= name.startsWith('trainedAlgorithmicMedia');
      this.#isComposite ||= name.startsWith('compositeWithTrainedAlgorithmicMedia');
    }
  }

  /** The types that a manifest names are claims of its own, not IPTC's property. */
  lookInManifest(text: string): void {
    const hadSource = this.#hasSource;
    this.look(text);
    this.#hasSource = hadSource;
  }

  get marks(): Marks {
    const found = { c2pa: this.hasManifest, iptc: this.#hasSource };
    return {
      kinds: markKinds.filter((kind) => found[kind]),
      source: this.#isComposite
        ? 'compositeWithTrainedAlgorithmicMedia'
        : this.#isTrained
          ? 'trainedAlgorithmicMedia'
          : undefined,
    };
  }
}

function* file(found: MarkFindings): Steps {
  const head = (yield peek(12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) yield* png(found);
  else if (head.startsWith('\0\0\x01\0')) yield* icon(found);
  else if (head.startsWith('\xff\xd8')) yield* jpeg(found);
  else if (head.startsWith('RIFF')) yield* riff(found, head.slice(8));
  else if (head.slice(4, 8) === 'ftyp') yield* boxes(found);
  else if (head.startsWith('fLaC')) yield* flac(found);
  else if (head.startsWith('ID3')) {
    yield* id3(found);
    if ((yield peek(4)).toString('latin1') === 'fLaC') yield* flac(found);
  }
}

/** Looks at a text of any length in pieces that overlap. @param before what precedes it */
function* search(length: number, look: (text: string) => void, before = ''): Steps {
  let tail = before;
  for (let rest = length; rest > 0; ) {
    const piece = yield take(rest);
    if (piece.length === 0) break;
    const text = tail + piece.toString('latin1');
    look(text);
    tail = text.slice(-300);
    rest -= piece.length;
  }
  if (tail === before) look(before);
}

/** A part that may hold a JUMBF box: a manifest store of C2PA is the box whose description has that type. */
function* manifest(found: MarkFindings, length: number): Steps {
  const head = yield take(Math.min(length, 128));
  const text = head.toString('latin1');
  // In MP4 a version and a purpose precede the box.
  if (!found.hasManifest && !/jumb[\s\S]{4}jumdc2pa/.test(text)) {
    yield skip(length - head.length);
    return;
  }
  found.hasManifest = true;
  yield* search(length - head.length, (piece) => found.lookInManifest(piece), text);
}

function* png(found: MarkFindings): Steps {
  yield skip(8);
  let empties = 0;
  for (let count = 0; count < maxParts && empties <= maxEmptyParts; count++) {
    const head = yield take(8);
    const length = head.readUInt32BE(0);
    if (length === 0) empties++;
    const type = head.toString('latin1', 4, 8);
    if (type === 'IEND') return;
    if (type === 'caBX') yield* manifest(found, length);
    else if (type === 'iTXt') yield* pngText(found, length);
    else yield skip(length);
    yield skip(4);
  }
}

/** Reads the first picture of an icon, if it is a PNG. */
function* icon(found: MarkFindings): Steps {
  const start = (yield take(22)).readUInt32LE(18);
  if (start < 22) return;
  yield skip(start - 22);
  if ((yield peek(4)).toString('latin1') === '\x89PNG') yield* png(found);
}

const pngXmp = 'XML:com.adobe.xmp\0';

function* pngText(found: MarkFindings, length: number): Steps {
  const head = yield take(Math.min(length, 128));
  const text = head.toString('latin1');
  const isXmp = text.startsWith(pngXmp);
  const isDeflated = head[pngXmp.length] === 1;
  if (isXmp && !isDeflated) yield* search(length - head.length, (piece) => found.look(piece), text);
  else if (isXmp && length <= maxDeflated) {
    const parts = [head];
    for (let rest = length - head.length; rest > 0; ) {
      const piece = yield take(rest);
      if (piece.length === 0) return;
      parts.push(Buffer.from(piece));
      rest -= piece.length;
    }
    // After the two flags stand a language and a translated keyword.
    const all = Buffer.concat(parts);
    const start = all.indexOf(0, all.indexOf(0, pngXmp.length + 2) + 1) + 1;
    found.look(inflateSync(all.subarray(start), { maxOutputLength: maxDeflated }).toString('latin1'));
  } else yield skip(length - head.length);
}

const jpegXmp = /^http:\/\/ns\.adobe\.com\/(?:xap\/1\.0|xmp\/extension)\/\0/;

function* jpeg(found: MarkFindings): Steps {
  yield skip(2);
  let [empties, fill] = [0, 0];
  for (let count = 0; count < maxParts && empties <= maxEmptyParts; count++) {
    if ((yield take(1))[0] !== 0xff) return;
    let [marker = 0] = yield take(1);
    for (; marker === 0xff && fill <= maxFill; fill++) [marker = 0] = yield take(1);
    // Markers without content, then the start of the pixels and the end.
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      empties++;
      continue;
    }
    if (marker === 0xda || marker === 0xd9 || marker === 0xff) return;
    const length = (yield take(2)).readUInt16BE(0) - 2;
    if (length < 0) return;
    if (length === 0) empties++;
    const isText = marker === 0xe1;
    const isBox = marker === 0xeb && length >= 8;
    const head = (yield take(isText ? Math.min(length, 40) : isBox ? 8 : 0)).toString('latin1');
    const rest = length - head.length;
    if (isText && jpegXmp.test(head)) yield* search(rest, (piece) => found.look(piece), head);
    // A large box goes on in further segments.
    else if (isBox && head.startsWith('JP')) yield* manifest(found, rest);
    else yield skip(rest);
  }
}

/** @param form the type of the file, such as `WEBP` */
function* riff(found: MarkFindings, form: string): Steps {
  const texts = form === 'WEBP' ? ['XMP '] : form === 'WAVE' ? ['_PMX', 'iXML', 'LIST'] : ['_PMX'];
  yield skip(12);
  let empties = 0;
  for (let count = 0; count < maxParts && empties <= maxEmptyParts; count++) {
    const { id, length, padded } = chunkHead(yield take(8));
    if (length === 0) empties++;
    if (id === 'C2PA') yield* manifest(found, length);
    else if (texts.includes(id)) yield* search(length, (piece) => found.look(piece));
    else yield skip(length);
    yield skip(padded - length);
  }
}

const c2paBox = 'd8fec3d61b0e483c92975828877ec481';

/** Reads the boxes of MP4, QuickTime, AVIF and HEIF. */
function* boxes(found: MarkFindings): Steps {
  let isPicture = false;
  let empties = 0;
  for (let count = 0; count < maxParts && empties <= maxEmptyParts; count++) {
    const head = boxHead(yield peek(16));
    if (head.length === 0) return;
    yield take(head.header);
    const { type } = head;
    const length = head.length - head.header;
    if (length === 0) empties++;
    if (type === 'ftyp') {
      const brands = yield take(Math.min(length, 256));
      isPicture = /avif|avis|heic|heix|mif1/.test(brands.toString('latin1'));
      yield skip(length - brands.length);
    } else if (type === 'uuid' && length >= 16) {
      const id = (yield take(16)).toString('hex');
      if (id === c2paBox) yield* manifest(found, length - 16);
      else if (id === xmpBox) yield* search(length - 16, (piece) => found.look(piece));
      else yield skip(length - 16);
    } else if (type === 'jumb') {
      const isManifest = (yield peek(12)).toString('latin1', 4) === 'jumdc2pa';
      found.hasManifest ||= isManifest;
      if (isManifest) yield* search(length, (piece) => found.lookInManifest(piece));
      else yield skip(length);
    }
    // A picture keeps its XMP among the pixels, a film in its user data.
    else if (type === 'moov' || (isPicture && (type === 'meta' || type === 'mdat'))) {
      yield* search(length, (piece) => found.look(piece));
    } else yield skip(length);
  }
}

function* flac(found: MarkFindings): Steps {
  yield skip(4);
  let empties = 0;
  for (let count = 0; count < maxParts && empties <= maxEmptyParts; count++) {
    const head = yield take(4);
    const type = (head[0] ?? 0) & 0x7f;
    const length = head.readUIntBE(1, 3);
    if (length === 0) empties++;
    const [application, comment] = [2, 4];
    if (type === application && length >= 4) {
      const id = (yield take(4)).toString('latin1');
      if (id === 'c2pa') yield* manifest(found, length - 4);
      else yield skip(length - 4);
    } else if (type === comment) yield* search(length, (piece) => found.look(piece));
    else yield skip(length);
    // The last block before the sound.
    if ((head[0] ?? 0) >= 0x80) return;
  }
}

const c2paMedia = /application\/(?:c2pa|x-c2pa-manifest-store)\0/;

/** Reads an ID3v2 tag. */
function* id3(found: MarkFindings): Steps {
  const head = yield take(10);
  const [version = 0, flags = 0] = [head[3], head[5]];
  let rest = sevenBit(head, 6);
  const isV2 = version === 2;
  // Each byte may be escaped there, so lengths do not hold; or an extended header precedes the frames.
  if ((flags & 0xc0) !== 0) {
    yield* search(rest, (piece) => {
      found.look(plain(piece));
      found.hasManifest ||= c2paMedia.test(piece);
    });
    rest = 0;
  }
  for (let count = 0; rest > 0 && count < maxParts; count++) {
    const frame = yield take(Math.min(rest, isV2 ? 6 : 10));
    rest -= frame.length;
    const id = frame.toString('latin1', 0, isV2 ? 3 : 4);
    if (!/^[A-Z][A-Z0-9]+$/.test(id)) break;
    const length = frameLength(frame, version);
    if (length > rest) break;
    rest -= length;
    if (/^(?:TXXX?|COMM?|PRIV)$/.test(id)) yield* search(length, (piece) => found.look(plain(piece)));
    else if (/^GEOB?$/.test(id)) {
      const text = (yield take(Math.min(length, 128))).toString('latin1');
      const isManifest = c2paMedia.test(text);
      found.hasManifest ||= isManifest;
      if (isManifest) yield* search(length - text.length, (piece) => found.lookInManifest(piece), text);
      else yield skip(length - text.length);
    } else yield skip(length);
  }
  yield skip(rest);
  // A copy of the header at the end.
  if (version === 4 && (flags & 0x10) !== 0) yield skip(10);
}

/** Reads a text in UTF-16 as if it were ASCII. */
function plain(text: string): string {
  return text.replace(/\0(?=[\s\S])/g, '');
}
