import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { framesOf, sevenBit } from '../marks/containers.ts';
import { addressOf, type DigitalSource, sourceProperty } from '../marks/DigitalSource.ts';
import {
  adtsFormat,
  endOfRun,
  type FrameFormat,
  findFrame,
  isApe,
  leadingTag,
  type MeasuredFrame,
  mp3Format,
} from './frames.ts';
import { type KeptSteps, type Silences, shortenJoints, silencesOf } from './joints.ts';
import { mute } from './mp3Side.ts';
import { type Sample, samples } from './samples.ts';
import { readBytes, readWavFormat, wavChunks } from './wavFile.ts';

/**
 * Why parts cannot be joined.
 * - `kind`: files of this kind cannot be joined
 * - `unreadable`: a part is not of this kind, or has a coding that cannot be joined
 * - `formatsDiffer`: a part differs from the first in sample rate, number of channels or coding
 * - `tooLarge`: the result would exceed the maximum file size of this kind
 */
export type NotJoinedReason = 'kind' | 'unreadable' | 'formatsDiffer' | 'tooLarge';

/** Some bytes of the joined file. */
export interface SpeechPiece {
  readonly bytes: Uint8Array;
  /** Index of the part that the sound belongs to; undefined for a header, a tag or padding. */
  readonly part?: number;
  /** Duration of the sound. */
  readonly seconds: number;
}

export type JoinedSpeech =
  | {
      readonly joined: true;
      /** The joined file, read lazily from the parts and repeatable. Rejects when a part cannot be read. */
      readonly data: AsyncIterable<SpeechPiece>;
      /** Duration of the silence that was cut from each part, in seconds. */
      readonly cut: readonly number[];
    }
  | {
      readonly joined: false;
      readonly reason: NotJoinedReason;
      /** Index of the part that prevents joining. */
      readonly part?: number;
    };

// Not with mediabunny: it refuses a part of a single frame, frames after long padding and AAC frames of several blocks,
// takes bytes in a trailing tag for frames, keeps a VBRI frame, and would need a thread and a copy of the parts.

export interface JoinOptions {
  /** Origin to mark in the joined file, if it is MP3 or WAV; no mark if absent. */
  readonly mark?: DigitalSource;
  /** Whether the tag of the first part is left out. */
  readonly dropsTag?: boolean;
}

/** Extensions of the files that can be joined. */
export const joinedKinds: readonly string[] = ['mp3', 'wav', 'aac'];

/**
 * Joins spoken parts into one valid file of the same kind, without decoding: `mp3` and `aac` (ADTS) frame by frame,
 * `wav` with a new header. Holds only a few kilobytes in memory, and the loudness of a part.
 *
 * Where parts meet, the silence at the end of one and at the start of the next is shortened to one pause, as
 * {@link shortenJoints} says: in MP3 by whole frames, in WAV by samples. It stays where it cannot be measured for
 * certain: in AAC, in frames with a checksum, and in samples that are not linear.
 *
 * Other kinds cannot be joined: `flac`, `ogg` and `opus` number their samples across the file, and `pcm` does not say
 * whether two parts have the same format.
 *
 * Content Credentials of a part say what that part is, so they are dropped.
 *
 * @param kind extension of the parts, detected from their bytes
 * @param files paths in speaking order
 * @throws Error of node:fs when a part cannot be read
 */
export async function joinSpeech(
  kind: string,
  files: readonly string[],
  options: JoinOptions = {},
): Promise<JoinedSpeech> {
  switch (kind) {
    case 'mp3':
      return joinFrames(mp3Format, files, options);
    case 'aac':
      return joinFrames(adtsFormat, files, options);
    case 'wav':
      return joinWav(files, options);
    default:
      return { joined: false, reason: 'kind' };
  }
}

/** Returns the origin to mark in a joined file of a kind; undefined for AAC, which has no place for a mark. */
export function markFor(kind: string): DigitalSource | undefined {
  return kind === 'mp3' || kind === 'wav' ? 'trainedAlgorithmicMedia' : undefined;
}

/** Returns only the bytes of the pieces. */
export async function* bytesOf(pieces: AsyncIterable<SpeechPiece>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of pieces) yield bytes;
}

const windowLength = 65_536;
const maxTagBytes = 1_000_000;

/**
 * Joins the frames of several files. Drops trailing tags and index frames: they describe the length of one part, and a
 * player would stop there.
 */
async function joinFrames(format: FrameFormat, files: readonly string[], options: JoinOptions): Promise<JoinedSpeech> {
  let setup: string | undefined;
  for (const [part, path] of files.entries()) {
    await using file = await open(path);
    const found = await firstSetup(file, format);
    if (found === undefined) return { joined: false, reason: 'unreadable', part };
    if (found !== (setup ?? found)) return { joined: false, reason: 'formatsDiffer', part };
    setup = found;
  }
  if (setup === undefined) return { joined: false, reason: 'unreadable' };
  const kept = await keptFrames(format, files);
  const cut = files.map((_, index) => kept[index]?.cut ?? 0);
  return { joined: true, cut, data: { [Symbol.asyncIterator]: () => framesOfAll(format, files, kept, options) } };
}

async function firstSetup(file: FileHandle, format: FrameFormat): Promise<string | undefined> {
  for await (const run of runsOfFrames(file, format, await findSound(file))) return format.read(run, 0)?.setup;
  return undefined;
}

async function* framesOfAll(
  format: FrameFormat,
  files: readonly string[],
  kept: readonly (KeptFrames | undefined)[],
  { mark, dropsTag }: JoinOptions,
): AsyncGenerator<SpeechPiece> {
  for (const [part, path] of files.entries()) {
    await using file = await open(path);
    const sound = await findSound(file);
    if (part === 0 && format.hasTag) {
      const kept = dropsTag ? Buffer.alloc(0) : await keptTag(file, sound);
      yield { bytes: mark ? withMark(kept, mark) : kept, seconds: 0 };
    }
    let first = 0;
    for await (const run of soundOf(file, format, sound)) {
      const { bytes, seconds, frames } = cutRun(run, format, first, kept[part]);
      if (bytes.length > 0) yield { part, bytes, seconds };
      first += frames;
    }
  }
}

/** Returns what is kept of a run. @param first number of its first frame in the part */
function cutRun(run: Uint8Array, format: FrameFormat, first: number, kept: KeptFrames | undefined) {
  const { start = 0, end = Number.POSITIVE_INFINITY, muted } = kept ?? {};
  let [frames, seconds, from, to] = [0, 0, 0, 0];
  for (const { frame, length } of eachFrame(run, format)) {
    const index = first + frames++;
    if (index < start) from += frame.length;
    if (index < end) to += frame.length;
    if (start <= index && index < end) seconds += length;
    const reservoir = muted?.get(index);
    if (reservoir !== undefined) mute(frame, reservoir);
  }
  return { bytes: run.subarray(from, Math.max(from, to)), seconds, frames };
}

function* eachFrame(run: Uint8Array, format: FrameFormat) {
  for (let offset = 0; offset < run.length; ) {
    const read = format.read(run, offset);
    if (!read) return;
    yield { frame: run.subarray(offset, offset + read.length), length: read.seconds };
    offset += read.length;
  }
}

/** The frames that are kept of a part. */
interface KeptFrames extends KeptSteps {
  /** Quiet frames whose sound began in frames that are not kept, and the bytes that are kept before each. */
  readonly muted: ReadonlyMap<number, number>;
  /** Duration of those that are not kept, in seconds. */
  readonly cut: number;
}

async function keptFrames(format: FrameFormat, files: readonly string[]): Promise<readonly (KeptFrames | undefined)[]> {
  const parts: (QuietFrames | undefined)[] = [];
  // A file alone has no joints.
  for (const path of files.length > 1 ? files : []) parts.push(await quietFrames(format, path));
  return shortenJoints(parts).map((kept, index) => {
    const part = parts[index];
    return kept && part && withMuted(kept, part);
  });
}

/** Silences in frames. */
interface QuietFrames extends Silences {
  /** The quiet frames at the start. */
  readonly first: readonly MeasuredFrame[];
}

/**
 * A frame is quiet if it is 60 dB below the loudest. The bound of a loud MP3 frame may be 30 dB above what it decodes to,
 * so a quiet frame is also at most at 52 dB below full scale.
 */
const quietShare = 0.001;
const quietLimit = 0.0025;

/** @returns undefined if a frame cannot be measured */
async function quietFrames(format: FrameFormat, path: string): Promise<QuietFrames | undefined> {
  await using file = await open(path);
  const measured: MeasuredFrame[] = [];
  let step = 0;
  for await (const run of soundOf(file, format, await findSound(file))) {
    for (const { frame, length } of eachFrame(run, format)) {
      const one = format.measure?.(frame);
      if (!one) return undefined;
      step = length;
      measured.push(one);
    }
  }
  const loudness = measured.map((one) => one.loudness);
  const silences = silencesOf({ step, loudness, quietShare, quietLimit });
  const reservoir = measured.reduce((most, one) => Math.max(most, one.reservoir), 0);
  const first = measured.slice(0, silences.lead);
  // The last quiet frame is not muted, because it overlaps with the sound after it.
  let start = Math.max(0, first.length - 1);
  while (start > 0 && roomIn(first.slice(start, -1)) < reservoir) start--;
  return { ...silences, first, leastLead: first.length - start };
}

function roomIn(frames: readonly MeasuredFrame[]): number {
  return frames.reduce((sum, { room }) => sum + room, 0);
}

/** Mutes frames whose sound began in those that are cut: a decoder would take the end of the part before for it. */
function withMuted({ start, end }: KeptSteps, { first, step, steps }: QuietFrames): KeptFrames {
  const muted = new Map<number, number>();
  let room = 0;
  for (const [offset, frame] of first.slice(start).entries()) {
    if (start > 0 && frame.reservoir > room) muted.set(start + offset, room);
    room += frame.room;
  }
  return { start, end, muted, cut: (start + steps - end) * step };
}

/** Returns the tag of the first part, or nothing if it describes that part only: its length, or its credentials. */
async function keptTag(file: FileHandle, { tagLength }: SoundRange): Promise<Buffer> {
  const tag = tagLength <= maxTagBytes ? await readBytes(file, 0, tagLength) : Buffer.alloc(0);
  const isOfPart = /(TLEN|MLLT)\0|TLE\0\0|application\/(?:x-)?c2pa/.test(tag.toString('latin1'));
  return isOfPart ? Buffer.alloc(0) : tag;
}

/** Adds a mark to an ID3v2 tag. A tag of another version, or with a special layout, is replaced. */
function withMark(tag: Buffer, mark: DigitalSource): Buffer {
  const [version = 0, flags = 0] = [tag[3], tag[5]];
  const frames = (version === 3 || version === 4) && flags === 0 ? framesIn(tag, version) : Buffer.alloc(0);
  // In ISO 8859-1, the only encoding of both versions. Short enough that its length is written the same in both.
  const text = Buffer.from(`\0${sourceProperty}\0${addressOf(mark)}`, 'latin1');
  const head = Buffer.alloc(10);
  head.write('TXXX', 'latin1');
  head[7] = text.length;
  const content = Buffer.concat([frames, head, text]);
  const start = Buffer.from([0x49, 0x44, 0x33, frames.length > 0 ? version : 3, 0, 0, 0, 0, 0, 0]);
  for (const index of [0, 1, 2, 3]) start[9 - index] = (content.length >> (7 * index)) & 127;
  return Buffer.concat([start, content]);
}

/** Returns the whole frames of a tag, without its padding and without earlier marks. */
function framesIn(tag: Buffer, version: 3 | 4): Buffer {
  const frames = [...framesOf(tag.subarray(10), version)];
  const kept = frames.filter(({ id, frame }) => id !== 'TXXX' || !frame.includes(sourceProperty));
  return Buffer.concat(kept.map(({ frame }) => frame));
}

/** Yields pieces of a file with whole frames, without the one that holds an index. */
async function* soundOf(file: FileHandle, format: FrameFormat, sound: SoundRange): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const run of runsOfFrames(file, format, sound)) {
    const length = format.read(run, 0)?.length ?? 0;
    yield isFirst && format.isIndex(run.subarray(0, length)) ? run.subarray(length) : run;
    isFirst = false;
  }
}

/** Yields pieces of a file with whole frames of one setup. Skips an incomplete frame at the end. */
async function* runsOfFrames(file: FileHandle, format: FrameFormat, sound: SoundRange): AsyncGenerator<Uint8Array> {
  let setup: string | undefined;
  let inStep = false;
  for (let position = sound.start; position < sound.end; ) {
    const window = await readBytes(file, position, Math.min(windowLength, sound.end - position));
    if (window.length === 0) return;
    const isLast = position + window.length >= sound.end;
    // Read a frame only if the header after it is in the window, too.
    const safe = isLast ? window.length : window.length - format.maxFrameBytes - format.headerLength;
    let offset = 0;
    while (offset < safe) {
      const start: number = inStep ? offset : findFrame(window, offset, safe, format, setup);
      if (start < safe) setup ??= format.read(window, start)?.setup;
      offset = endOfRun(window, start, safe, format, setup);
      inStep = offset > start;
      if (inStep) yield window.subarray(start, offset);
    }
    position += offset;
  }
}

interface SoundRange {
  /** Byte range of the sound; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /** Length of the ID3v2 tag at the start of the file; 0 without one. */
  readonly tagLength: number;
}

/** Finds the sound between the tags at the start (ID3v2, APE) and the end (ID3, APE, Lyrics3) of a file. */
async function findSound(file: FileHandle): Promise<SoundRange> {
  const { size } = await file.stat();
  let start = 0;
  let tagLength = 0;
  let length: number;
  do {
    const head = await readBytes(file, start, 32);
    length = leadingTag(head);
    if (start === 0 && head.toString('latin1', 0, 3) === 'ID3') tagLength = length;
    start += length;
  } while (length > 0 && start < size);
  let end = size;
  do {
    length = trailingTag(await readBytes(file, Math.max(start, end - 355), Math.min(355, end - start)));
    end -= length;
  } while (length > 0 && end > start);
  return { start: Math.min(start, size), end: Math.max(start, end), tagLength: tagLength <= size ? tagLength : 0 };
}

/** Returns the length of the tag that ends here; 0 when there is none. */
function trailingTag(tail: Buffer): number {
  const at = (fromEnd: number, length: number) =>
    fromEnd <= tail.length ? tail.toString('latin1', tail.length - fromEnd, tail.length - fromEnd + length) : '';
  if (at(128, 3) === 'TAG') return at(355, 4) === 'TAG+' ? 355 : 128;
  if (at(10, 3) === '3DI') return 20 + sevenBit(tail, tail.length - 4);
  if (at(9, 9) === 'LYRICS200' && /^\d{6}$/.test(at(15, 6))) return Number(at(15, 6)) + 15;
  const footer = tail.length - 32;
  if (footer < 0 || !isApe(tail, footer)) return 0;
  const hasHeader = tail.readUInt32LE(footer + 20) >>> 31 === 1;
  return tail.readUInt32LE(footer + 12) + (hasHeader ? 32 : 0);
}

const maxSize = 0xffff_ffff;
/** Codings with independent samples: PCM, floating point, A-law, µ-law. */
const joinable = [1, 3, 6, 7];
const pcm = 1;
const float = 3;

/** Joins the samples of several files under one header. Drops other chunks, which describe a single part. */
async function joinWav(files: readonly string[], { mark }: JoinOptions): Promise<JoinedSpeech> {
  const parts: WavPart[] = [];
  for (const [part, path] of files.entries()) {
    await using file = await open(path);
    const found = await readWavParts(file, path, part);
    if (found.length === 0) return { joined: false, reason: 'unreadable', part };
    for (const sound of found) {
      if (!joinable.includes(sound.coding)) return { joined: false, reason: 'unreadable', part };
      if (sound.setup !== (parts[0]?.setup ?? sound.setup)) return { joined: false, reason: 'formatsDiffer', part };
      parts.push(sound);
    }
  }
  const [first] = parts;
  if (!first) return { joined: false, reason: 'unreadable' };
  if (headerOf(first, 0, mark).length + lengthOf(parts) > maxSize) return { joined: false, reason: 'tooLarge' };
  const kept = await keptSamples(parts);
  const length = lengthOf(kept);
  const header = headerOf(first, length, mark);
  const cut = files.map((_, index) => {
    const ofPart = (list: readonly WavPart[]) => lengthOf(list.filter(({ part }) => part === index));
    return (ofPart(parts) - ofPart(kept)) / first.blockLength / first.sampleRate;
  });
  return { joined: true, cut, data: { [Symbol.asyncIterator]: () => samplesOfAll(header, kept, length) } };
}

function lengthOf(parts: readonly WavPart[]): number {
  return parts.reduce((sum, { end, start }) => sum + end - start, 0);
}

async function* samplesOfAll(
  header: Uint8Array,
  parts: readonly WavPart[],
  length: number,
): AsyncGenerator<SpeechPiece> {
  yield { bytes: header, seconds: 0 };
  for (const { part, path, start, end, blockLength, sampleRate } of parts) {
    // The stream's `end` is inclusive, so it cannot express an empty part.
    const chunks = end > start ? createReadStream(path, { start, end: end - 1 }) : [];
    for await (const bytes of chunks) yield { part, bytes, seconds: bytes.length / blockLength / sampleRate };
  }
  if (length % 2 === 1) yield { bytes: new Uint8Array(1), seconds: 0 };
}

/** Duration of the steps in which samples are measured, in seconds. */
const sampleStep = 0.01;
/** A sample is quiet if it is at most this share of the loudest: 48 dB below it. */
const quietSample = 1 / 256;

/** Returns the parts without the silence that is cut where two of them meet. */
async function keptSamples(parts: readonly WavPart[]): Promise<readonly WavPart[]> {
  // A file alone has no joints.
  if (parts.every(({ part }) => part === 0)) return parts;
  const silences: (Silences | undefined)[] = [];
  for (const part of parts) silences.push(await quietSamples(part));
  // What a service has sent in pieces has no joints in between.
  const kept = shortenJoints(silences, (index) => parts[index - 1]?.part !== parts[index]?.part);
  return parts.map((part, index) => {
    const { start, end } = kept[index] ?? {};
    if (start === undefined || end === undefined) return part;
    const at = (step: number) => Math.min(part.end, part.start + step * stepBytes(part));
    return { ...part, start: at(start), end: at(end) };
  });
}

function stepBytes({ blockLength, sampleRate }: WavPart): number {
  return Math.max(1, Math.round(sampleStep * sampleRate)) * blockLength;
}

/** @returns undefined for a coding whose samples are not read */
async function quietSamples(part: WavPart): Promise<Silences | undefined> {
  const { path, start, end, sample, sampleRate, blockLength } = part;
  if (!sample) return undefined;
  await using file = await open(path);
  const bytes = stepBytes(part);
  const loudness: number[] = [];
  const windowBytes = bytes * stepsAtOnce;
  for (let position = start; position < end; position += windowBytes) {
    const window = await readBytes(file, position, Math.min(windowBytes, end - position));
    for (let offset = 0; offset < window.length; offset += bytes) {
      loudness.push(loudestIn(window.subarray(offset, offset + bytes), sample));
    }
  }
  return silencesOf({ step: bytes / blockLength / sampleRate, loudness, quietShare: quietSample });
}

/** Steps that are read from a file at a time. */
const stepsAtOnce = 100;

function loudestIn(bytes: Uint8Array, { bytes: size, read }: Sample): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let loudest = 0;
  for (let offset = 0; offset + size <= bytes.length; offset += size) {
    loudest = Math.max(loudest, Math.abs(read(view, offset)));
  }
  return loudest;
}

function headerOf({ format, coding, blockLength }: WavPart, length: number, mark: DigitalSource | undefined): Buffer {
  const data = Buffer.alloc(8, 'data');
  data.writeUInt32LE(Math.min(length, maxSize), 4);
  const counted = coding === pcm ? [] : [fact(Math.min(length / blockLength, maxSize))];
  const marks = mark ? [chunk('LIST', Buffer.concat([Buffer.from('INFO'), comment(mark)]))] : [];
  const chunks = Buffer.concat([chunk('fmt ', format), ...counted, ...marks, data]);
  const riff = Buffer.from('RIFF....WAVE');
  riff.writeUInt32LE(Math.min(4 + chunks.length + length + (length % 2), maxSize), 4);
  return Buffer.concat([riff, chunks]);
}

/** Returns the comment of a file, which ends with a zero byte. */
function comment(mark: DigitalSource): Buffer {
  return chunk('ICMT', Buffer.from(`${sourceProperty}: ${addressOf(mark)}\0`, 'latin1'));
}

/** Returns the `fact` chunk, which all codings except PCM need: the number of samples per channel. */
function fact(samples: number): Buffer {
  const content = Buffer.alloc(4);
  content.writeUInt32LE(samples);
  return chunk('fact', content);
}

/** Returns a chunk, padded to an even length. The padding does not count towards its size. */
function chunk(id: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8, id);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

interface WavPart {
  /** Index of the file. */
  readonly part: number;
  readonly path: string;
  /** Content of the `fmt ` chunk. */
  readonly format: Buffer;
  readonly coding: number;
  readonly blockLength: number;
  readonly sampleRate: number;
  /** How the samples are read; undefined for those that are not. */
  readonly sample: Sample | undefined;
  /** Equal for parts that can be joined. */
  readonly setup: string;
  /** Byte range of the samples; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

const maxFormatBytes = 4096;

/**
 * Finds the format and samples of a WAV file, in any chunk order; those of each, where a service has sent several in one
 * body. Leaves out what lacks either.
 *
 * @param from position of the file's header
 */
async function readWavParts(file: FileHandle, path: string, part: number, from = 0): Promise<readonly WavPart[]> {
  const { size } = await file.stat();
  const parts: WavPart[] = [];
  let whole: { readonly end: number; format?: Buffer; samples?: Range } | undefined;
  const close = () => {
    const found = whole?.format && whole.samples && partOf(path, part, whole.format, whole.samples);
    if (found) parts.push(found);
  };
  for await (const { id, start, length } of wavChunks(file, from)) {
    if (id === 'WAVE') {
      close();
      whole = { end: start + length };
    }
    if (!whole) return [];
    if (id === 'fmt ') whole.format ??= await readBytes(file, start, Math.min(length, maxFormatBytes));
    if (id !== 'data' || whole.samples) continue;
    // A streaming service does not know the length yet and writes 0, the maximum, or a guess beyond the end.
    const isOpen = length === 0 ? whole.end !== size : start + length > size;
    const next = isOpen ? await nextWav(file, start, size) : undefined;
    whole.samples = { start, end: next ?? (isOpen ? size : start + length) };
    if (!isOpen) continue;
    close();
    return next === undefined ? parts : [...parts, ...(await readWavParts(file, path, part, next))];
  }
  close();
  return parts;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Bytes of a header up to the name of its first chunk. */
const headerBytes = 16;

/** Returns the position of the next header of a WAV file. */
async function nextWav(file: FileHandle, from: number, size: number): Promise<number | undefined> {
  for (let position = from; position < size; position += windowLength - headerBytes) {
    const window = (await readBytes(file, position, windowLength)).toString('latin1');
    const found = window.search(/RIFF[\s\S]{4}WAVEfmt /);
    if (found >= 0) return position + found;
  }
  return undefined;
}

function partOf(path: string, part: number, format: Buffer, { start, end }: Range): WavPart | undefined {
  const { coding, blockLength, channels, sampleRate, bits } = readWavFormat(format) ?? {};
  if (!coding || !blockLength || !sampleRate) return undefined;
  return {
    part,
    path,
    format,
    coding,
    blockLength,
    sampleRate,
    sample: sampleOf(coding, bits, blockLength / (channels ?? 1)),
    setup: [coding, blockLength, channels, sampleRate, bits].join(' '),
    start,
    // An incomplete sample at the end would swap the channels of the next part.
    end: end - ((end - start) % blockLength),
  };
}

/** @param bytes of a sample of one channel */
function sampleOf(coding: number, bits: number | undefined, bytes: number): Sample | undefined {
  const kind = coding === pcm ? (bits === 8 ? 'u' : 's') : coding === float ? 'f' : undefined;
  const sample = Object.entries(samples).find(([name]) => name === `pcm-${kind}${bits}`)?.[1];
  return sample?.bytes === bytes ? sample : undefined;
}
