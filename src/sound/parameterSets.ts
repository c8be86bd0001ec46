// The cropping rectangle in the sequence parameter sets of H.264 and H.265. Decoders always decode whole pictures, and show
// the part that these sets name, so a video is cropped without decoding or encoding a pixel.
//
// Sources: ITU-T H.264 (08/2021) 7.3.1, 7.3.2.1.1, 7.4.2.1.1; ITU-T H.265 (08/2021) 7.3.1, 7.3.2.2.1, 7.3.3; ISO/IEC
// 14496-15:2019 5.3.3.1 and 8.3.3.1.

/** The codecs whose pictures can be cropped so. */
export type CroppableCodec = 'avc' | 'hevc';

/**
 * Why a video cannot be cropped without encoding it.
 * - `damaged`: it does not hold what it says
 * - `unusual`: its pictures differ in size, or are arranged in a way that is not supported
 */
export class UncroppableVideo extends Error {
  override readonly name = 'UncroppableVideo';
  readonly reason: 'damaged' | 'unusual';

  constructor(reason: UncroppableVideo['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Part of a decoded picture, in luma samples. */
export interface PicturePart {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What a sequence parameter set says about the size of its pictures, in luma samples. */
export interface PictureSet {
  /** The size of the decoded picture. */
  readonly width: number;
  readonly height: number;
  /** The part that is shown. */
  readonly shown: PicturePart;
  /** Sides and offsets of the shown part are multiples of these. */
  readonly unit: { readonly x: number; readonly y: number };
}

interface ParsedSet extends PictureSet {
  /** All bits of the set after the bytes that prevent emulation are removed, as text of 0 and 1. */
  readonly bits: string;
  /** Where the flag and the offsets of the shown part begin and end in the bits. */
  readonly start: number;
  readonly end: number;
}

/** Whether a NAL unit is a sequence parameter set. */
export function isPictureSet(codec: CroppableCodec, unit: Uint8Array): boolean {
  const [first = 0] = unit;
  return codec === 'avc' ? (first & 31) === 7 : ((first >> 1) & 63) === 33;
}

/** @throws UncroppableVideo */
export function readPictureSet(codec: CroppableCodec, unit: Uint8Array): PictureSet {
  const { width, height, shown, unit: grid } = parse(codec, unit);
  return { width, height, shown, unit: grid };
}

/**
 * Returns a sequence parameter set that shows another part of its pictures.
 *
 * @param shown on the grid of the set's units
 * @throws UncroppableVideo
 */
export function withShown(codec: CroppableCodec, unit: Uint8Array, shown: PicturePart): Uint8Array {
  const { width, height, bits, start, end, unit: grid } = parse(codec, unit);
  const offsets = [
    shown.x / grid.x,
    (width - shown.x - shown.width) / grid.x,
    shown.y / grid.y,
    (height - shown.y - shown.height) / grid.y,
  ];
  // What follows moves by some bits. It ends with a bit that is 1 and zeros up to the end of the byte.
  const rest = bits.slice(end, bits.lastIndexOf('1'));
  return escaped(`${bits.slice(0, start)}1${offsets.map(writtenNumber).join('')}${rest}1`);
}

function parse(codec: CroppableCodec, unit: Uint8Array): ParsedSet {
  const bits = bitsOf(unit);
  return codec === 'avc' ? parseAvc(new BitReader(bits), bits) : parseHevc(new BitReader(bits), bits);
}

/** Profiles whose sets describe chroma and scaling. */
const highProfiles = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135];

function parseAvc(read: BitReader, bits: string): ParsedSet {
  read.skip(8);
  const profile = read.bits(8);
  // Constraints and level.
  read.skip(16);
  read.number();
  const { chroma, isSeparate } = highProfiles.includes(profile)
    ? chromaAndScaling(read)
    : { chroma: 1, isSeparate: false };
  // The length of frame numbers.
  read.number();
  skipPictureOrder(read);
  // The number of reference frames, and whether gaps between them are allowed.
  read.number();
  read.skip(1);
  const [columns, rows] = [read.number() + 1, read.number() + 1];
  // If pictures may be interlaced, `rows` is the number of rows in one field.
  const fields = 2 - read.bits(1);
  // Whether each block may be of fields, and whether motion is inferred in blocks of 8.
  read.skip(fields);
  const { x, y } = gridOf(isSeparate ? 0 : chroma);
  const unit = { x, y: y * fields };
  return withShownPart(read, bits, { width: columns * 16, height: rows * 16 * fields, unit });
}

function chromaAndScaling(read: BitReader) {
  const chroma = read.number();
  const isSeparate = chroma === 3 && read.bits(1) === 1;
  // Bit depths, and whether the transform is bypassed.
  read.number();
  read.number();
  read.skip(1);
  if (read.bits(1) === 1) {
    for (let list = 0; list < (chroma === 3 ? 12 : 8); list++) {
      if (read.bits(1) === 1) skipScalingList(read, list < 6 ? 16 : 64);
    }
  }
  return { chroma, isSeparate };
}

function skipScalingList(read: BitReader, length: number): void {
  let last = 8;
  for (let at = 0; at < length; at++) {
    last = (last + read.signed() + 256) % 256;
    if (last === 0) return;
  }
}

function skipPictureOrder(read: BitReader): void {
  const type = read.number();
  if (type === 0) read.number();
  if (type !== 1) return;
  read.skip(1);
  read.number();
  read.number();
  // At most 255 of them.
  const frames = read.number();
  for (let frame = 0; frame < frames; frame++) read.number();
}

function parseHevc(read: BitReader, bits: string): ParsedSet {
  read.skip(7);
  // Several views or layers share one picture size, and each has sets of its own.
  if (read.bits(6) !== 0) throw new UncroppableVideo('unusual', 'it has several layers');
  read.skip(3 + 4);
  const subLayers = read.bits(3);
  read.skip(1);
  skipProfile(read, subLayers);
  read.number();
  const chroma = read.number();
  const isSeparate = chroma === 3 && read.bits(1) === 1;
  const [width, height] = [read.number(), read.number()];
  return withShownPart(read, bits, { width, height, unit: gridOf(isSeparate ? 0 : chroma) });
}

/** Skips profile, tier and level, up to those of the sub-layers. */
function skipProfile(read: BitReader, subLayers: number): void {
  read.skip(40);
  const [isProgressive, isInterlaced] = [read.bits(1) === 1, read.bits(1) === 1];
  if (isInterlaced && !isProgressive) throw new UncroppableVideo('unusual', 'its pictures are fields');
  read.skip(46 + 8);
  const present = Array.from({ length: subLayers }, () => [read.bits(1), read.bits(1)] as const);
  if (subLayers > 0) read.skip(2 * (8 - subLayers));
  for (const [hasProfile, hasLevel] of present) read.skip(88 * hasProfile + 8 * hasLevel);
}

/** Returns the distance of chroma samples. @param chroma 0: none, 1: 4:2:0, 2: 4:2:2, 3: 4:4:4 */
function gridOf(chroma: number) {
  if (chroma > 3) throw new UncroppableVideo('damaged', 'its chroma format does not exist');
  return { x: chroma === 1 || chroma === 2 ? 2 : 1, y: chroma === 1 ? 2 : 1 };
}

/** Reads the shown part, which both codecs write in the same way. */
function withShownPart(read: BitReader, bits: string, picture: Omit<PictureSet, 'shown'>): ParsedSet {
  const { width, height, unit } = picture;
  const start = read.at;
  const isCropped = read.bits(1) === 1;
  const offset = () => (isCropped ? read.number() : 0);
  const [left, right, top, bottom] = [offset(), offset(), offset(), offset()];
  const shown = {
    x: left * unit.x,
    y: top * unit.y,
    width: width - (left + right) * unit.x,
    height: height - (top + bottom) * unit.y,
  };
  if (!(shown.width > 0 && shown.height > 0)) throw new UncroppableVideo('damaged', 'it shows nothing of its pictures');
  return { ...picture, shown, bits, start, end: read.at };
}

class BitReader {
  readonly #bits: string;
  at = 0;

  constructor(bits: string) {
    this.#bits = bits;
  }

  skip(count: number): void {
    this.at += count;
    if (this.at > this.#bits.length) throw new UncroppableVideo('damaged', 'a sequence parameter set is too short');
  }

  /** @param count at most 32 */
  bits(count: number): number {
    this.skip(count);
    return Number.parseInt(this.#bits.slice(this.at - count, this.at), 2);
  }

  /** Reads an unsigned Exp-Golomb number: as many zeros as there are bits after the first 1. */
  number(): number {
    const zeros = this.#bits.indexOf('1', this.at) - this.at;
    if (zeros < 0 || zeros > 31) throw new UncroppableVideo('damaged', 'a sequence parameter set has no such number');
    this.skip(zeros);
    return this.bits(zeros + 1) - 1;
  }

  /** Reads a signed Exp-Golomb number. */
  signed(): number {
    const value = this.number();
    return value % 2 === 1 ? (value + 1) / 2 : -value / 2;
  }
}

function writtenNumber(value: number): string {
  const written = (value + 1).toString(2);
  return written.padStart(2 * written.length - 1, '0');
}

/** Returns the bits of a NAL unit without the bytes that prevent the emulation of a start code. */
function bitsOf(unit: Uint8Array): string {
  let bits = '';
  let zeros = 0;
  for (const byte of unit) {
    const isPrevention = zeros >= 2 && byte === 3;
    if (!isPrevention) bits += byte.toString(2).padStart(8, '0');
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return bits;
}

/** Returns a NAL unit of these bits, filled with zeros up to the end of a byte. */
function escaped(bits: string): Uint8Array {
  const unit: number[] = [];
  let zeros = 0;
  for (let at = 0; at < bits.length; at += 8) {
    const byte = Number.parseInt(bits.slice(at, at + 8).padEnd(8, '0'), 2);
    if (zeros >= 2 && byte <= 3) {
      unit.push(3);
      zeros = 0;
    }
    unit.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Uint8Array.from(unit);
}

/** Returns one NAL unit for another, or the same one. */
export type ChangeUnit = (unit: Uint8Array) => Uint8Array;

/** Returns how many bytes hold the length of each NAL unit of a packet. @param record see {@link mapRecord} */
export function lengthBytesIn(codec: CroppableCodec, record: Uint8Array): number {
  return ((record[codec === 'avc' ? 4 : 21] ?? 0) & 3) + 1;
}

/**
 * Changes the parameter sets in a decoder configuration record, the content of the box `avcC` or `hvcC`.
 *
 * @throws UncroppableVideo
 */
export function mapRecord(codec: CroppableCodec, record: Uint8Array, change: ChangeUnit): Uint8Array {
  const pieces: Uint8Array[] = [];
  let at = 0;
  const take = (bytes: number) => {
    const piece = record.subarray(at, at + bytes);
    if (piece.length < bytes) throw new UncroppableVideo('damaged', 'its decoder configuration is too short');
    at += bytes;
    pieces.push(piece);
    return piece;
  };
  const changeUnits = (count: number) => {
    for (let unit = 0; unit < count; unit++) {
      const [high = 0, low = 0] = take(2);
      take(high * 256 + low);
      pieces.splice(-2, 2, ...withLength(change(pieces.at(-1) ?? record), 2));
    }
  };
  if (codec === 'avc') {
    // The fifth is the number of sequence parameter sets. Nothing that follows depends on their size.
    changeUnits((take(6)[5] ?? 0) & 31);
  } else {
    const arrays = take(23)[22] ?? 0;
    for (let array = 0; array < arrays; array++) {
      const [, high = 0, low = 0] = take(3);
      changeUnits(high * 256 + low);
    }
  }
  return Buffer.concat([...pieces, record.subarray(at)]);
}

/**
 * Changes the sequence parameter sets among the NAL units of a packet. Few files have them there, too.
 *
 * @param lengthBytes see {@link lengthBytesIn}
 * @returns the same bytes if nothing changes
 * @throws UncroppableVideo
 */
export function mapPacket(
  codec: CroppableCodec,
  packet: Uint8Array,
  lengthBytes: number,
  change: ChangeUnit,
): Uint8Array {
  const pieces: Uint8Array[] = [];
  let copied = 0;
  for (let at = 0; at < packet.length; ) {
    const start = at + lengthBytes;
    const length = packet.subarray(at, start).reduce((value, byte) => value * 256 + byte, 0);
    if (start + length > packet.length) throw new UncroppableVideo('damaged', 'a packet is too short');
    const unit = packet.subarray(start, start + length);
    if (isPictureSet(codec, unit)) {
      pieces.push(packet.subarray(copied, at), ...withLength(change(unit), lengthBytes));
      copied = start + length;
    }
    at = start + length;
  }
  return copied === 0 ? packet : Buffer.concat([...pieces, packet.subarray(copied)]);
}

function withLength(unit: Uint8Array, lengthBytes: number): readonly Uint8Array[] {
  if (unit.length >= 256 ** lengthBytes) throw new UncroppableVideo('unusual', 'a parameter set is too long');
  const length = Buffer.alloc(lengthBytes);
  length.writeUIntBE(unit.length, 0, lengthBytes);
  return [length, unit];
}
