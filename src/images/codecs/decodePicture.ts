import { Readable } from 'node:stream';
import { createInflate } from 'node:zlib';
import { type Bitmap, turnUpright } from './Bitmap.ts';
import {
  checkSize,
  type DecodeLimits,
  hasJpegEnd,
  jpegFrame,
  nearest,
  orientationOf,
  pictureFormat,
  pictureSize,
  pngChunks,
  UnreadablePicture,
} from './pictureFile.ts';
import { runDecoder } from './runCodec.ts';

/** Refused as damaged. */
const noSize = { width: 0, height: 0 } as const;

/**
 * Decodes a JPEG and turns it upright according to its EXIF orientation.
 *
 * @returns undefined if the bytes are not a JPEG
 * @throws UnreadablePicture
 */
async function decodeJpeg(bytes: Uint8Array, limits: DecodeLimits): Promise<Bitmap | undefined> {
  if (pictureFormat(bytes) !== 'jpeg') return undefined;
  const frame = jpegFrame(bytes);
  if (frame?.channels === 4) throw new UnreadablePicture('print', 'holds a JPEG in colours of print');
  if (frame && (frame.coding > 2 || frame.depth !== 8)) {
    throw new UnreadablePicture('coding', 'holds a JPEG with a coding that is not supported');
  }
  if (!hasJpegEnd(bytes)) throw new UnreadablePicture('cut', 'holds a JPEG that is cut off');
  return turnUpright(await runDecoder('jpeg', bytes, frame ?? noSize, limits), orientationOf(bytes));
}

/**
 * Decodes a WebP with a single picture.
 *
 * @returns undefined if the bytes are not a WebP
 * @throws UnreadablePicture
 */
async function decodeWebp(bytes: Uint8Array, limits: DecodeLimits): Promise<Bitmap | undefined> {
  if (pictureFormat(bytes) !== 'webp') return undefined;
  return runDecoder('webp', bytes, pictureSize(bytes) ?? noSize, limits);
}

/** Decodes a PNG, JPEG or WebP; its bytes decide which. @throws UnreadablePicture */
export async function decodePicture(bytes: Uint8Array, limits: DecodeLimits): Promise<Bitmap> {
  for (const decode of [decodePng, decodeJpeg, decodeWebp]) {
    const bitmap = await decode(bytes, limits);
    if (bitmap) return bitmap;
  }
  throw new UnreadablePicture('unsupported', 'must be a PNG, JPEG or WebP: other images are not supported');
}

// Rows are unpacked one by one into RGBA, so that the pixels exist once: a library that returns the samples of a 16-bit
// picture holds them three times.

interface Header {
  readonly width: number;
  readonly height: number;
  /** Bits per sample. */
  readonly depth: number;
  readonly colourType: number;
  /** Samples per pixel; a palette's index counts as one. */
  readonly channels: number;
  readonly isInterlaced: boolean;
}

/** Samples per pixel and allowed depths, by colour type. */
const colourTypes = new Map([
  [0, { channels: 1, depths: [1, 2, 4, 8, 16] }],
  [2, { channels: 3, depths: [8, 16] }],
  [3, { channels: 1, depths: [1, 2, 4, 8] }],
  [4, { channels: 2, depths: [8, 16] }],
  [6, { channels: 4, depths: [8, 16] }],
]);

/**
 * Decodes a PNG of any colour type and depth and turns it upright; 16-bit samples become 8-bit.
 *
 * @returns undefined if the bytes are not a PNG
 * @throws UnreadablePicture
 */
export async function decodePng(bytes: Uint8Array, limits: DecodeLimits): Promise<Bitmap | undefined> {
  if (bytes.length < 33 || pictureFormat(bytes) !== 'png') return undefined;
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = readHeader(file);
  const { width, height, channels, depth } = header;
  checkSize(width, height, limits, (channels * depth) / 8);
  // Other chunks are ignored, because some hold compressed data of any size.
  const chunks = pngChunks(file);
  const contentOf = (type: string) => chunks.find((chunk) => chunk.type === type)?.content;
  const packed = chunks.filter(({ type }) => type === 'IDAT').map(({ content }) => content);
  const data = new Uint8Array(width * height * 4);
  const writePixels = pixelWriter(header, contentOf('PLTE'), contentOf('tRNS'), data);
  try {
    await unpackRows(packed, header, writePixels);
  } catch (error) {
    throw damaged(error instanceof Error ? error.message : String(error));
  }
  return turnUpright({ width, height, data }, orientationOf(bytes));
}

function readHeader(file: Buffer): Header {
  const colourType = file[25] ?? 0;
  const depth = file[24] ?? 0;
  const known = colourTypes.get(colourType);
  if (file.toString('latin1', 12, 16) !== 'IHDR' || !known?.depths.includes(depth))
    throw damaged('its header is wrong');
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  return { width, height, depth, colourType, channels: known.channels, isInterlaced: file[28] !== 0 };
}

function damaged(problem: string): UnreadablePicture {
  return new UnreadablePicture('damaged', `holds a PNG that cannot be read: ${problem}`);
}

/** A row of the file: `count` pixels that lie `step` pixels apart in the picture. */
interface Row {
  /** Index of the first pixel. */
  readonly first: number;
  readonly count: number;
  readonly step: number;
  /** Whether it follows a row of the same pass, which its filter refers to. */
  readonly isFollowing: boolean;
}

/** Left and top offset, and horizontal and vertical distance, of the pixels of each pass. */
const interlacedPasses = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

function* rowsOf({ width, height, isInterlaced }: Header): Generator<Row> {
  for (const [left, top, step, down] of isInterlaced ? interlacedPasses : ([[0, 0, 1, 1]] as const)) {
    const count = Math.ceil((width - left) / step);
    if (count <= 0) continue;
    for (let y = top; y < height; y += down) yield { first: y * width + left, count, step, isFollowing: y > top };
  }
}

type PixelWriter = (samples: Uint8Array, row: Row) => void;

/** Some encoders write a little more than the pixels; it is ignored. */
const maxExtraBytes = 2 ** 16;

/** Inflates the rows and undoes their filters. @throws Error if there are too few or too many of them */
async function unpackRows(packed: readonly Buffer[], header: Header, writePixels: PixelWriter): Promise<void> {
  const bitsPerPixel = header.channels * header.depth;
  const bytesPerPixel = Math.max(1, bitsPerPixel / 8);
  const longest = Math.ceil((header.width * bitsPerPixel) / 8);
  let samples = new Uint8Array(longest);
  let above = new Uint8Array(longest);
  const rows = rowsOf(header);
  let row = rows.next();
  let filter: number | undefined;
  let filled = 0;
  let extra = 0;
  for await (const chunk of Readable.from(packed).pipe(createInflate({ chunkSize: 2 ** 16 }))) {
    for (let at = 0; at < chunk.length; ) {
      if (row.done) {
        extra += chunk.length - at;
        if (extra > maxExtraBytes) throw new Error('its pixels are more than its size says');
        break;
      }
      if (filter === undefined) {
        filter = Number(chunk[at++]);
        continue;
      }
      const length = Math.ceil((row.value.count * bitsPerPixel) / 8);
      const part = chunk.subarray(at, at + length - filled);
      samples.set(part, filled);
      at += part.length;
      filled += part.length;
      if (filled < length) break;
      if (!row.value.isFollowing) above.fill(0);
      undoFilter(filter, samples.subarray(0, length), above, bytesPerPixel);
      writePixels(samples, row.value);
      [samples, above] = [above, samples];
      [filter, filled, row] = [undefined, 0, rows.next()];
    }
  }
  if (!row.done) throw new Error('its pixels are fewer than its size says');
}

function undoFilter(filter: number, row: Uint8Array, above: Uint8Array, distance: number): void {
  if (filter > 4) throw new Error('it has an unknown filter');
  if (filter === 0) return;
  for (let at = 0; at < row.length; at++) {
    const left = at < distance ? 0 : (row[at - distance] ?? 0);
    const up = above[at] ?? 0;
    const corner = at < distance ? 0 : (above[at - distance] ?? 0);
    const value = row[at] ?? 0;
    if (filter === 1) row[at] = value + left;
    else if (filter === 2) row[at] = value + up;
    else if (filter === 3) row[at] = value + ((left + up) >> 1);
    else row[at] = value + nearest(left, up, corner);
  }
}

/**
 * @param palette content of the PLTE chunk
 * @param transparency content of the tRNS chunk: the palette's opacities, or the samples of the transparent colour
 */
function pixelWriter(
  header: Header,
  palette: Buffer | undefined,
  transparency: Buffer | undefined,
  data: Uint8Array,
): PixelWriter {
  const { channels, depth, colourType } = header;
  if (channels === 1 && depth <= 8) return indexWriter(depth, coloursOf(header, palette, transparency), data);
  if (colourType === 6 && depth === 8 && !header.isInterlaced) {
    return (samples, { first, count }) => data.set(samples.subarray(0, count * 4), first * 4);
  }
  const width = depth / 8;
  const clear = transparency && clearBytes(transparency, channels, width);
  // Typed arrays truncate, so round: 65,279 of 16 bits is 254, not 253.99.
  const level = (samples: Uint8Array, at: number) =>
    width === 1 ? (samples[at] ?? 0) : Math.round((((samples[at] ?? 0) << 8) | (samples[at + 1] ?? 0)) / 257);
  return (samples, { first, count, step }) => {
    for (let x = 0, from = 0, at = first * 4; x < count; x++, from += channels * width, at += step * 4) {
      const red = level(samples, from);
      data[at] = red;
      data[at + 1] = channels > 2 ? level(samples, from + width) : red;
      data[at + 2] = channels > 2 ? level(samples, from + 2 * width) : red;
      if (channels % 2 === 0) data[at + 3] = level(samples, from + (channels - 1) * width);
      else data[at + 3] = clear?.every((byte, index) => samples[from + index] === byte) ? 0 : 255;
    }
  };
}

/** Returns the bytes of the transparent colour as they stand in a row; its chunk holds 16 bits per sample. */
function clearBytes(transparency: Buffer, channels: number, width: number): readonly number[] | undefined {
  if (transparency.length < channels * 2) return undefined;
  return [...transparency.subarray(0, channels * 2)].filter((_, index) => width === 2 || index % 2 === 1);
}

/** Writes pixels that are an index into a table of colours, several to a byte, the first in the highest bits. */
function indexWriter(depth: number, colours: Uint8Array, data: Uint8Array): PixelWriter {
  const perByte = 8 / depth;
  const mask = 2 ** depth - 1;
  return (samples, { first, count, step }) => {
    for (let x = 0, at = first * 4; x < count; x++, at += step * 4) {
      const byte = samples[Math.floor(x / perByte)] ?? 0;
      const from = ((byte >> (8 - depth * ((x % perByte) + 1))) & mask) * 4;
      data[at] = colours[from] ?? 0;
      data[at + 1] = colours[from + 1] ?? 0;
      data[at + 2] = colours[from + 2] ?? 0;
      data[at + 3] = colours[from + 3] ?? 0;
    }
  };
}

/** Returns the RGBA of each index or grey level. An index outside the palette is black. */
function coloursOf(
  { colourType, depth }: Header,
  palette: Buffer | undefined,
  transparency: Buffer | undefined,
): Uint8Array {
  if (colourType === 3 && !palette) throw damaged('it has no palette');
  const highest = 2 ** depth - 1;
  const colours = new Uint8Array((highest + 1) * 4);
  for (let index = 0; index <= highest; index++) {
    if (palette && colourType === 3) {
      colours.set(palette.subarray(index * 3, index * 3 + 3), index * 4);
      colours[index * 4 + 3] = transparency?.[index] ?? 255;
    } else {
      const isClear = transparency !== undefined && transparency.length >= 2 && transparency.readUInt16BE(0) === index;
      colours.fill(Math.round((index * 255) / highest), index * 4, index * 4 + 3);
      colours[index * 4 + 3] = isClear ? 0 : 255;
    }
  }
  return colours;
}
