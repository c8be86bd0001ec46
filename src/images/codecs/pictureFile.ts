import { crc32 } from 'node:zlib';
import { chunkHead } from '../../marks/containers.ts';

/**
 * `unsupported`: not a PNG, JPEG or WebP; `animated`: several pictures in one file; `print`: a JPEG in colours of print;
 * `coding`: a JPEG with arithmetic or lossless coding, or samples of 12 bits; `cut`: a JPEG without its end.
 */
export type UnreadableReason = 'unsupported' | 'animated' | 'damaged' | 'tooLarge' | 'print' | 'coding' | 'cut';

/** The message continues an English sentence whose subject is the picture. */
export class UnreadablePicture extends Error {
  override readonly name = 'UnreadablePicture';
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface DecodeLimits {
  /** Maximum number of pixels; a larger picture is not decoded. */
  readonly maxPixels: number;
}

/** Maximum side of a picture that is decoded, in pixels. */
export const maxSourceSide = 32_767;

/** Maximum size of a picture's samples, in MiB: half a gigabyte that a few kilobytes of a file may claim. */
export const maxDecodedMebibytes = 512;

/**
 * Checks the size of a picture before it is decoded.
 *
 * @param bytesPerPixel size of a pixel as the decoder reads it
 * @throws UnreadablePicture if it is empty or too large
 */
export function checkSize(width: number, height: number, { maxPixels }: DecodeLimits, bytesPerPixel: number): void {
  const tooLarge = (problem: string) => new UnreadablePicture('tooLarge', problem);
  if (width === 0 || height === 0) throw new UnreadablePicture('damaged', 'has no size that can be read');
  if (Math.max(width, height) > maxSourceSide) throw tooLarge(`has a side of more than ${maxSourceSide} pixels`);
  if (width * height > maxPixels) throw tooLarge(`has more than ${maxPixels} pixels`);
  if (width * height * bytesPerPixel > maxDecodedMebibytes * 2 ** 20) {
    throw tooLarge(`has more than ${maxDecodedMebibytes} MiB of pixels`);
  }
}

/** Part of a picture's file. A damaged file ends at the first part that does not fit. */
export interface Section {
  readonly type: string;
  readonly content: Buffer;
}

export function pngChunks(file: Buffer): readonly Section[] {
  const chunks: Section[] = [];
  for (let at = 8; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at);
    if (at + 12 + length > file.length) break;
    chunks.push({ type: file.toString('latin1', at + 4, at + 8), content: file.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

export function webpChunks(file: Buffer): readonly Section[] {
  const chunks: Section[] = [];
  for (let at = 12; at + 8 <= file.length; ) {
    const { id: type, length, padded } = chunkHead(file, at);
    if (at + 8 + length > file.length) break;
    chunks.push({ type, content: file.subarray(at + 8, at + 8 + length) });
    at += 8 + padded;
  }
  return chunks;
}

/** Returns a JPEG's segments before its pixels; the last one may be truncated. */
export function jpegSegments(file: Buffer): readonly { readonly marker: number; readonly content: Buffer }[] {
  const segments: { marker: number; content: Buffer }[] = [];
  for (let at = 2; at + 4 <= file.length; ) {
    const marker = file[at + 1] ?? 0;
    // Bytes between two segments are skipped, as libjpeg does.
    if (file[at] !== 0xff || marker === 0xff) at += 1;
    // Markers without content.
    else if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else {
      const length = file.readUInt16BE(at + 2);
      // The pixels follow the start of a scan.
      if (marker === 0xda || marker === 0xd9 || length < 2) break;
      segments.push({ marker, content: file.subarray(at + 4, at + 2 + length) });
      at += 2 + length;
    }
  }
  return segments;
}

/** Adds segments to a JPEG, after JFIF's, which must remain the first. */
export function withJpegSegments(file: Uint8Array, segments: readonly Uint8Array[]): Uint8Array {
  const isJfif = file[3] === 0xe0;
  const start = isJfif ? 4 + (file[4] ?? 0) * 256 + (file[5] ?? 0) : 2;
  return Buffer.concat([file.subarray(0, start), ...segments, file.subarray(start)]);
}

/** Adds chunks to a PNG, after its header. */
export function withPngChunks(file: Uint8Array, chunks: PngParts['extras']): Uint8Array {
  const start = signature.length + 25;
  const added = chunks.map(([type, content]) => chunkOf(type, content));
  return Buffer.concat([file.subarray(0, start), ...added, file.subarray(start)]);
}

/**
 * Adds a colour profile or XMP to a WebP with a single picture, which requires the extended header. The profile stands
 * before the picture, XMP after it.
 */
export function withWebpChunk(
  bytes: Uint8Array,
  added: Section & { readonly type: 'ICCP' | 'XMP ' },
  { width, height }: { readonly width: number; readonly height: number },
): Uint8Array {
  const chunks = webpChunks(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const [known = 0] = chunks.find(({ type }) => type === 'VP8X')?.content ?? [];
  const isProfile = added.type === 'ICCP';
  const header = Buffer.alloc(10);
  header[0] = known | (isProfile ? 0x20 : 0x04);
  header.writeUIntLE(width - 1, 4, 3);
  header.writeUIntLE(height - 1, 7, 3);
  const picture = chunks.filter(({ type }) => type !== 'VP8X');
  const all = [{ type: 'VP8X', content: header }, ...(isProfile ? [added, ...picture] : [...picture, added])];
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...all.map(webpChunk)]);
  return Buffer.concat([Buffer.from('RIFF', 'latin1'), uint32(body.length), body]);
}

function webpChunk({ type, content }: Section): Buffer {
  return Buffer.concat([
    Buffer.from(type, 'latin1'),
    uint32(content.length),
    content,
    Buffer.alloc(content.length % 2),
  ]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Formats that can be read and written. */
export const pictureFormats = ['png', 'jpeg', 'webp'] as const;
export type PictureFormat = (typeof pictureFormats)[number];

/** Detects the format from the first bytes. */
export function pictureFormat(bytes: Uint8Array): PictureFormat | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 16)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  return /^RIFF[\s\S]{4}WEBPVP8/.test(head) ? 'webp' : undefined;
}

/** Pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Reads the size of a PNG, JPEG, GIF or WebP from its header, as it is stored.
 *
 * @param bytes the file or its beginning
 */
export function pictureSize(bytes: Uint8Array): PictureSize | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length >= 10 && file.toString('latin1', 0, 3) === 'GIF') {
    return { width: file.readUInt16LE(6), height: file.readUInt16LE(8) };
  }
  switch (pictureFormat(bytes)) {
    case 'png':
      return file.length < 24 ? undefined : { width: file.readUInt32BE(16), height: file.readUInt32BE(20) };
    case 'jpeg': {
      const frame = jpegFrame(bytes);
      return frame && { width: frame.width, height: frame.height };
    }
    case 'webp':
      return webpSize(file);
    default:
      return undefined;
  }
}

/** Reads the size as {@link pictureSize}, as browsers show the picture. */
export function shownSize(bytes: Uint8Array): PictureSize | undefined {
  const size = pictureSize(bytes);
  return size && orientationOf(bytes) > 4 ? { width: size.height, height: size.width } : size;
}

/** A JPEG's frame header. */
interface JpegFrame extends PictureSize {
  /** The low bits of the marker: 0 to 2 are the codings of DCT that everybody reads. */
  readonly coding: number;
  /** Bits per sample. */
  readonly depth: number;
  /** 1 for grey, 3 for colours of screens, 4 for colours of print. */
  readonly channels: number;
}

/** Reads the first frame header. */
export function jpegFrame(bytes: Uint8Array): JpegFrame | undefined {
  // SOF0 to SOF15, without DHT, JPG and DAC, whose markers lie between them.
  const frame = jpegSegments(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).find(
    ({ marker, content }) =>
      marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker) && content.length >= 6,
  );
  if (!frame) return undefined;
  const { marker, content } = frame;
  const [depth = 0, channels = 0] = [content[0], content[5]];
  return { height: content.readUInt16BE(1), width: content.readUInt16BE(3), coding: marker & 0xf, depth, channels };
}

/** Whether a JPEG has its end. Without it, libjpeg shows what is missing as grey. */
export function hasJpegEnd(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = file.indexOf(0xff, 2); at >= 0; at = file.indexOf(0xff, at)) {
    const marker = file[at + 1] ?? 0;
    if (marker === 0xd9) return true;
    const isFilled = marker === 0xff;
    // In the pixels, 0xff is followed by 0, or by a marker of restart.
    const isAlone = marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    if (isFilled) at += 1;
    else if (isAlone || at + 4 > file.length) at += 2;
    else at += 2 + file.readUInt16BE(at + 2);
  }
  return false;
}

/**
 * Reads the orientation as browsers do: from 1, as it is stored, to 8. Others than 1 are turned or mirrored when they are
 * shown. Chromium 156 reads that of a JPEG, and of a PNG before its pixels; that of a WebP is ignored.
 */
export function orientationOf(bytes: Uint8Array): number {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (pictureFormat(bytes)) {
    case 'jpeg': {
      const isExif = (content: Buffer) => content.toString('latin1', 0, 4) === 'Exif';
      const exif = jpegSegments(file).find(({ marker, content }) => marker === 0xe1 && isExif(content));
      return exif ? orientationIn(exif.content.subarray(6)) : 1;
    }
    case 'png': {
      const first = pngChunks(file).find(({ type }) => type === 'eXIf' || type === 'IDAT');
      return first?.type === 'eXIf' ? orientationIn(first.content) : 1;
    }
    default:
      return 1;
  }
}

/** @param tiff content of Exif */
function orientationIn(tiff: Buffer): number {
  if (tiff.length < 8) return 1;
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const number = (at: number, size: 2 | 4) => {
    if (at + size > tiff.length) return 0;
    return isLittle ? tiff.readUIntLE(at, size) : tiff.readUIntBE(at, size);
  };
  const entries = number(4, 4);
  for (let entry = 0; entry < number(entries, 2); entry++) {
    const at = entries + 2 + entry * 12;
    if (number(at, 2) === 0x0112) return number(at + 8, 2);
  }
  return 1;
}

/**
 * Reads the size from the first chunk: VP8 (lossy), VP8L (lossless) or VP8X (extended). libwebp rejects a different
 * canvas size.
 */
function webpSize(file: Buffer): PictureSize | undefined {
  const kind = file.toString('latin1', 12, 16);
  // A lossless picture of one colour takes less than the header of another kind.
  if (file.length < (kind === 'VP8L' ? 25 : 30)) return undefined;
  switch (kind) {
    case 'VP8 ':
      return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = file.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** Returns whether a file's header declares transparency, which its pixels need not have. */
export function declaresTransparency(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (pictureFormat(bytes)) {
    case 'png':
      return file[25] === 4 || file[25] === 6 || pngChunks(file).some(({ type }) => type === 'tRNS');
    case 'webp': {
      const kind = file.toString('latin1', 12, 16);
      if (kind === 'VP8X') return ((file[20] ?? 0) & 0x10) !== 0;
      return kind === 'VP8L' && ((file[24] ?? 0) & 0x10) !== 0;
    }
    default:
      return false;
  }
}

/** Returns whether a file is an APNG or an animated WebP. */
export function isAnimated(bytes: Uint8Array, format: PictureFormat): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (format === 'webp') return file.toString('latin1', 12, 16) === 'VP8X' && ((file[20] ?? 0) & 0x02) !== 0;
  return format === 'png' && pngChunks(file).some(({ type }) => type === 'acTL');
}

/** The Paeth predictor of the PNG specification. */
export function nearest(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const toLeft = Math.abs(estimate - left);
  const toUp = Math.abs(estimate - up);
  const toCorner = Math.abs(estimate - corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Parts of a PNG with 8 bits per sample. */
export interface PngParts {
  readonly width: number;
  readonly height: number;
  /** 0: grey, 2: RGB, 4: grey and alpha, 6: RGBA. */
  readonly colourType: 0 | 2 | 4 | 6;
  /** Type and content of the chunks before the pixels. */
  readonly extras: readonly (readonly [string, Uint8Array])[];
  /** The filtered rows, deflated. */
  readonly pixels: Uint8Array;
}

export function pngFile({ width, height, colourType, extras, pixels }: PngParts): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, colourType], 8);
  const chunks = [['IHDR', header] as const, ...extras, ['IDAT', pixels] as const, ['IEND', Buffer.alloc(0)] as const];
  return Buffer.concat([signature, ...chunks.map(([type, content]) => chunkOf(type, content))]);
}

function chunkOf(type: string, content: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(content.length, 0);
  framed.set(named, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}
