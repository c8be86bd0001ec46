import type { FileHandle } from 'node:fs/promises';
import { software } from '../speech/Sound.ts';

/** The properties of a recording's audio track. */
export interface SoundFacts {
  /** Name of the codec, for people. */
  readonly codec: string;
  /** Seconds. */
  readonly duration: number;
  readonly channels: number;
  /** Samples per second. */
  readonly sampleRate: number;
  /** Bits per second. */
  readonly bitrate?: number | undefined;
}

/** Reads `length` bytes, or fewer at the end of the file. */
export async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

export interface WavFacts {
  readonly codec: string;
  /** Bits per sample. */
  readonly bits: number;
  readonly channels: number;
  /** Samples per second. */
  readonly sampleRate: number;
  /** Seconds. */
  readonly duration: number;
  /** Texts that the sandbox spoke, one for each of its files that were joined into this one. */
  readonly texts: readonly string[];
  /** Byte ranges of the samples in the file. */
  readonly data: readonly { readonly start: number; readonly length: number }[];
}

const maxChunks = 10_000;
const maxInfoBytes = 1_000_000;
const codecs: ReadonlyMap<number, string> = new Map([
  [1, 'PCM'],
  [2, 'ADPCM'],
  [3, 'floating point PCM'],
  [6, 'A-law'],
  [7, 'µ-law'],
  [0x11, 'ADPCM'],
]);

/**
 * Reads the chunks of a WAV file, or of several concatenated ones. Returns undefined without a format or samples.
 */
export async function readWav(file: FileHandle): Promise<WavFacts | undefined> {
  const { size } = await file.stat();
  const texts: string[] = [];
  const data: { readonly start: number; readonly length: number }[] = [];
  let format: Buffer | undefined;
  let offset = 0;
  for (let count = 0; count < maxChunks && offset + 8 <= size; count++) {
    const head = await readBytes(file, offset, 12);
    const id = head.toString('latin1', 0, 4);
    const start = offset + 8;
    const length = Math.min(head.readUInt32LE(4), size - start);
    if (id === 'RIFF' && head.toString('latin1', 8, 12) === 'WAVE') {
      offset += 12;
      continue;
    }
    if (id === 'fmt ' && length >= 16) format ??= await readBytes(file, start, Math.min(length, 26));
    if (id === 'LIST' && length <= maxInfoBytes) texts.push(...spokenTextsOfList(await readBytes(file, start, length)));
    if (id === 'data' && length > 0) data.push({ start, length });
    offset = start + length + (length % 2);
  }
  return format && factsOfFormat(format, data, texts);
}

function factsOfFormat(format: Buffer, data: WavFacts['data'], texts: readonly string[]): WavFacts | undefined {
  const extensible = format.readUInt16LE(0) === 0xfffe && format.length >= 26;
  const channels = format.readUInt16LE(2);
  const sampleRate = format.readUInt32LE(4);
  const bytesPerSecond = format.readUInt32LE(8);
  if (data.length === 0 || channels === 0 || sampleRate === 0 || bytesPerSecond === 0) return undefined;
  return {
    codec: codecs.get(format.readUInt16LE(extensible ? 24 : 0)) ?? 'an uncommon encoding',
    bits: format.readUInt16LE(14),
    channels,
    sampleRate,
    duration: data.reduce((sum, { length }) => sum + length, 0) / bytesPerSecond,
    texts,
    data,
  };
}

function spokenTextsOfList(list: Buffer): readonly string[] {
  if (list.toString('latin1', 0, 4) !== 'INFO') return [];
  const entries = new Map<string, string>();
  let offset = 4;
  while (offset + 8 <= list.length) {
    const length = list.readUInt32LE(offset + 4);
    const value = list.subarray(offset + 8, offset + 8 + length);
    entries.set(list.toString('latin1', offset, offset + 4), value.toString('utf8').replace(/\0$/, ''));
    offset += 8 + length + (length % 2);
  }
  const text = entries.get('ICMT');
  return entries.get('ISFT') === software && text !== undefined ? [text] : [];
}

export interface SpokenTexts {
  readonly texts: readonly string[];
  /** Total size of the tags between the parts of a joined file, in bytes. */
  readonly innerBytes: number;
}

const tagSignature = Buffer.from('ID3\x04\0\0', 'latin1');
const headBytes = 10;
const maxTagBytes = 1_000_000;
const tagWindowBytes = 1 << 20;

/** Finds the sandbox's own tags. A file joined from several has one before each part. */
export async function readSpokenTexts(file: FileHandle): Promise<SpokenTexts> {
  const { size } = await file.stat();
  const texts: string[] = [];
  let innerBytes = 0;
  let offset = 0;
  while (offset < size) {
    const window = await readBytes(file, offset, tagWindowBytes);
    const at = window.indexOf(tagSignature);
    if (at < 0) {
      // A tag's signature may begin in this window and end in the next.
      offset += Math.max(1, window.length - tagSignature.length + 1);
      continue;
    }
    const tagStart = offset + at;
    const head = await readBytes(file, tagStart, headBytes);
    const length = head.length === headBytes ? sevenBitLength(head, 6) : 0;
    const text =
      length > 0 && length <= maxTagBytes
        ? spokenTextOfTag(await readBytes(file, tagStart + headBytes, length))
        : undefined;
    if (text === undefined) {
      offset = tagStart + tagSignature.length;
      continue;
    }
    texts.push(text);
    if (tagStart > 0) innerBytes += headBytes + length;
    offset = tagStart + headBytes + length;
  }
  return { texts, innerBytes };
}

/** Returns the text of a tag, or undefined if the sandbox did not write it. */
function spokenTextOfTag(frames: Buffer): string | undefined {
  const contents = new Map<string, Buffer>();
  let offset = 0;
  while (offset + headBytes <= frames.length) {
    const length = sevenBitLength(frames, offset + 4);
    const content = frames.subarray(offset + headBytes, offset + headBytes + length);
    contents.set(frames.toString('latin1', offset, offset + 4), content);
    offset += headBytes + length;
  }
  // One byte for the encoding, then the software's name.
  if (contents.get('TSSE')?.toString('utf8', 1) !== software) return undefined;
  // One byte for the encoding, three for the language, one that ends the empty description.
  return contents.get('USLT')?.toString('utf8', 5);
}

function sevenBitLength(bytes: Buffer, offset: number): number {
  return [0, 1, 2, 3].reduce((length, index) => (length << 7) | ((bytes[offset + index] ?? 0) & 0x7f), 0);
}

/** The header of an MPEG audio frame (ISO 11172-3, 13818-3). */
export interface MpegAudioFrame {
  /** 2.5 is the unofficial extension to lower sample rates. */
  readonly version: 1 | 2 | 2.5;
  readonly layer: 1 | 2 | 3;
  /** Bits per second. */
  readonly bitrate: number;
  readonly sampleRate: number;
  readonly channels: 1 | 2;
}

const versions = [2.5, undefined, 2, 1] as const;
const layers = [undefined, 3, 2, 1] as const;
/** Bit rates in kbit/s by version and layer; 2 stands for 2 and 2.5. */
const bitrates: Readonly<Record<string, readonly number[]>> = {
  '1,1': [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1,2': [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1,3': [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2,1': [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2,2': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2,3': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const sampleRates = [44_100, 48_000, 32_000];

/** Parses a four-byte header. Returns undefined if it is invalid. */
export function readMpegAudioFrame([first = 0, second = 0, third = 0, fourth = 0]: Uint8Array):
  | MpegAudioFrame
  | undefined {
  const version = versions[(second >> 3) & 3];
  const layer = layers[(second >> 1) & 3];
  const rate = sampleRates[(third >> 2) & 3];
  if (first !== 0xff || second < 0xe0 || !version || !layer || !rate) return undefined;
  const kilobits = bitrates[`${version === 1 ? 1 : 2},${layer}`]?.[(third >> 4) - 1];
  if (!kilobits) return undefined;
  const divisor = { 1: 1, 2: 2, 2.5: 4 }[version];
  return { version, layer, bitrate: kilobits * 1000, sampleRate: rate / divisor, channels: fourth >> 6 === 3 ? 1 : 2 };
}

/** Finds the first frame in these bytes. */
function findMpegAudioFrame(bytes: Buffer): MpegAudioFrame | undefined {
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const frame = readMpegAudioFrame(bytes.subarray(at, at + 4));
    if (frame) return frame;
  }
  return undefined;
}

/** Size of the parts read at the start and end of a file: each holds some audio packets. */
const programWindowBytes = 2 << 20;
const ticksPerSecond = 90_000;

interface Packet {
  /** Presentation time of the first frame that begins in it, in ticks. */
  readonly time: number | undefined;
  readonly sound: Buffer;
}

/** Reads the properties of the audio in an MPEG program stream (ISO 11172-1, 13818-1), undefined if it has none. */
export async function readMpegProgram(file: FileHandle): Promise<SoundFacts | undefined> {
  const { size } = await file.stat();
  const first = packetsOf(await readBytes(file, 0, programWindowBytes));
  const last = packetsOf(await readBytes(file, Math.max(0, size - programWindowBytes), programWindowBytes));
  const frame = first.map(({ sound }) => findMpegAudioFrame(sound)).find((found) => found !== undefined);
  const from = first.find(({ time }) => time !== undefined)?.time;
  const until = last.findLastIndex(({ time }) => time !== undefined);
  const to = last[until]?.time;
  if (!frame || from === undefined || to === undefined) return undefined;
  const tail = last.slice(until).reduce((sum, { sound }) => sum + sound.length, 0);
  const duration = (to - from) / ticksPerSecond + (tail * 8) / frame.bitrate;
  return duration > 0 ? { ...factsOfFrame(frame), duration } : undefined;
}

function factsOfFrame({ version, layer, channels, sampleRate, bitrate }: MpegAudioFrame): Omit<SoundFacts, 'duration'> {
  return { codec: `MPEG ${version} Layer ${layer}`, channels, sampleRate, bitrate };
}

/** Returns the packets of the first audio stream. */
function packetsOf(bytes: Buffer): readonly Packet[] {
  const packets: Packet[] = [];
  let stream: number | undefined;
  let offset = bytes.indexOf('\0\0\x01', 0, 'latin1');
  while (offset >= 0 && offset + 6 <= bytes.length) {
    const code = bytes[offset + 3] ?? 0;
    const end = offset + 6 + bytes.readUInt16BE(offset + 4);
    const isSound = code >= 0xc0 && code <= 0xdf && end <= bytes.length;
    if (isSound) {
      stream ??= code;
      if (stream === code) packets.push(packetOf(bytes.subarray(offset + 6, end)));
    }
    offset = bytes.indexOf('\0\0\x01', isSound ? end : offset + 3, 'latin1');
  }
  return packets;
}

function packetOf(packet: Buffer): Packet {
  const isMpeg2 = ((packet[0] ?? 0) & 0xc0) === 0x80;
  return isMpeg2 ? packetOfMpeg2(packet) : packetOfMpeg1(packet);
}

function packetOfMpeg2(packet: Buffer): Packet {
  const [, flags = 0, headLength = 0] = packet;
  return { time: flags & 0x80 ? timeOf(packet, 3) : undefined, sound: packet.subarray(3 + headLength) };
}

function packetOfMpeg1(packet: Buffer): Packet {
  let offset = 0;
  while (packet[offset] === 0xff) offset++;
  // Skip the size of the decoder's buffer.
  if (((packet[offset] ?? 0) & 0xc0) === 0x40) offset += 2;
  const kind = (packet[offset] ?? 0) >> 4;
  if (kind === 2) return { time: timeOf(packet, offset), sound: packet.subarray(offset + 5) };
  if (kind === 3) return { time: timeOf(packet, offset), sound: packet.subarray(offset + 10) };
  return { time: undefined, sound: packet.subarray(offset + 1) };
}

/** Reads a timestamp: 33 bits in five bytes, separated by marker bits. */
function timeOf(bytes: Buffer, offset: number): number | undefined {
  if (offset + 5 > bytes.length) return undefined;
  const high = ((bytes[offset] ?? 0) >> 1) & 7;
  return high * 2 ** 30 + (bytes.readUInt16BE(offset + 1) >> 1) * 2 ** 15 + (bytes.readUInt16BE(offset + 3) >> 1);
}
