// Formats of sound whose frames describe themselves: MPEG audio, and AAC in ADTS.
import { sevenBit } from '../marks/containers.ts';
import { hasChecksum, loudestOf, readSide } from './mp3Side.ts';

interface SoundFrame {
  /** Length in bytes, including the header. */
  readonly length: number;
  /** Duration. */
  readonly seconds: number;
  /** Decoder settings, which must be the same in all frames of a file. */
  readonly setup: string;
}

/** An audio format of self-describing frames, which can be split and joined. */
export interface FrameFormat {
  /** Number of bytes that {@link read} needs. */
  readonly headerLength: number;
  /** Maximum frame length in bytes. */
  readonly maxFrameBytes: number;
  /** Whether a file may start with an ID3v2 tag. */
  readonly hasTag: boolean;
  /** Reads the header of the frame at an offset; undefined when there is none. */
  read(bytes: Uint8Array, offset: number): SoundFrame | undefined;
  /** Whether a file's first frame holds only the file's length and index, no sound. */
  isIndex(frame: Uint8Array): boolean;
  /** What can be said of a frame without decoding it; undefined if frames cannot be cut away before or after it. */
  measure?(frame: Uint8Array): MeasuredFrame | undefined;
}

export interface MeasuredFrame {
  /** Never less than it is, in any unit. */
  readonly loudness: number;
  /** Bytes of sound that the frame holds, its own or that of later frames. */
  readonly room: number;
  /** Bytes of its sound that are in the frames before it. */
  readonly reservoir: number;
}

interface Version {
  /** kbit/s, indexed by four bits of the header; 0 is "free format", whose frames have no known length. */
  readonly bitRates: readonly number[];
  readonly sampleRates: readonly number[];
  /** Samples per frame / 8. */
  readonly scale: number;
  /** Size of the side information between the header and the sound. */
  readonly side: { readonly mono: number; readonly stereo: number };
}

const lowBitRates = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const lowSide = { mono: 9, stereo: 17 };
/** MPEG-2.5, none, MPEG-2, MPEG-1: ISO 11172-3, ISO 13818-3. */
const versions: readonly (Version | undefined)[] = [
  { bitRates: lowBitRates, sampleRates: [11_025, 12_000, 8000], scale: 72, side: lowSide },
  undefined,
  { bitRates: lowBitRates, sampleRates: [22_050, 24_000, 16_000], scale: 72, side: lowSide },
  {
    bitRates: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    sampleRates: [44_100, 48_000, 32_000],
    scale: 144,
    side: { mono: 17, stereo: 32 },
  },
];

/** Bit rates of layers I and II in version 1, and of layer I in the lower versions; otherwise they are those of layer III. */
const layerOneRates = [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448];
const layerTwoRates = [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384];
const lowLayerOneRates = [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256];

/** MPEG audio of any layer. */
export const mpegFormat: FrameFormat = {
  headerLength: 4,
  maxFrameBytes: 2881,
  hasTag: true,

  read(bytes, offset) {
    const layer = 4 - (((bytes[offset + 1] ?? 0) >> 1) & 3);
    if (layer === 3) return mp3Format.read(bytes, offset);
    const number = ((bytes[offset + 1] ?? 0) >> 3) & 3;
    const high = layer === 1 ? layerOneRates : layerTwoRates;
    const low = layer === 1 ? lowLayerOneRates : lowBitRates;
    const header = readHeader(bytes, offset, layer, number === 3 ? high : low);
    if (!header) return undefined;
    const { bitRate, sampleRate, padding, isMono } = header;
    const scale = layer === 1 ? 12 : 144;
    const slots = Math.floor((scale * bitRate * 1000) / sampleRate) + padding;
    return {
      length: layer === 1 ? slots * 4 : slots,
      seconds: (layer === 1 ? 384 : 1152) / sampleRate,
      setup: `layer ${layer} ${number} ${sampleRate} ${isMono ? 'mono' : 'stereo'}`,
    };
  },

  isIndex: (frame) => mp3Format.isIndex(frame),
};

/** MPEG layer III. */
export const mp3Format: FrameFormat = {
  headerLength: 4,
  maxFrameBytes: 1441,
  hasTag: true,

  read(bytes, offset) {
    const header = readHeader(bytes, offset);
    if (!header) return undefined;
    const { version, number, bitRate, sampleRate, padding, isMono } = header;
    return {
      length: Math.floor((version.scale * bitRate * 1000) / sampleRate) + padding,
      seconds: (version.scale * 8) / sampleRate,
      setup: `${number} ${sampleRate} ${isMono ? 'mono' : 'stereo'}`,
    };
  },

  isIndex(frame) {
    const header = readHeader(frame, 0);
    if (!header) return false;
    const { side } = header.version;
    const at = 4 + (header.isMono ? side.mono : side.stereo);
    const wordAt = (offset: number) => String.fromCharCode(...frame.subarray(offset, offset + 4));
    // A two-byte checksum may follow the header. The position of VBRI is fixed.
    return [at, at + 2].some((offset) => /^(Xing|Info)$/.test(wordAt(offset))) || wordAt(36) === 'VBRI';
  },

  measure(frame) {
    // A checksum would have to be changed, too.
    if (hasChecksum(frame)) return undefined;
    const side = readSide(frame);
    return { loudness: loudestOf(side), room: frame.length - side.end, reservoir: side.reservoir };
  },
};

function readHeader(bytes: Uint8Array, offset: number, layer = 3, bitRates?: readonly number[]) {
  const [sync = 0, second = 0, third = 0, fourth = 0] = bytes.subarray(offset, offset + 4);
  const number = (second >> 3) & 3;
  const version = versions[number];
  if (sync !== 0xff || second >> 5 !== 7 || ((second >> 1) & 3) !== 4 - layer || !version) return undefined;
  const bitRate = (bitRates ?? version.bitRates)[third >> 4];
  const sampleRate = version.sampleRates[(third >> 2) & 3];
  const isReservedEmphasis = (fourth & 3) === 2;
  if (!bitRate || !sampleRate || isReservedEmphasis) return undefined;
  return { version, number, bitRate, sampleRate, padding: (third >> 1) & 1, isMono: fourth >> 6 === 3 };
}

/** Indexed by four bits of the header; the missing ones are reserved. */
const sampleRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
];

/** AAC in ADTS, where each frame has its own header: ISO 13818-7. */
export const adtsFormat: FrameFormat = {
  headerLength: 7,
  maxFrameBytes: 8191,
  hasTag: false,

  read(bytes, offset) {
    const [sync = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0] = bytes.subarray(
      offset,
      offset + 7,
    );
    // Twelve bits of sync; the layer is 0.
    if (sync !== 0xff || (second & 0xf6) !== 0xf0) return undefined;
    const rate = (third >> 2) & 15;
    const channels = ((third & 1) << 2) | (fourth >> 6);
    const length = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5);
    // Without a channel count, the frame depends on earlier ones, so the file cannot be split.
    const sampleRate = sampleRates[rate];
    if (sampleRate === undefined || channels === 0 || length < 8) return undefined;
    // A frame holds up to four blocks of 1,024 samples.
    const seconds = (((seventh & 3) + 1) * 1024) / sampleRate;
    return { length, seconds, setup: `${(second >> 3) & 1} ${third >> 6} ${rate} ${channels}` };
  },

  isIndex: () => false,
};

/**
 * Finds the first frame that is followed by another one or the end, because bytes that look like a header are common.
 */
export function findFrame(
  window: Buffer,
  from: number,
  to: number,
  format: FrameFormat,
  setup: string | undefined,
): number {
  for (let offset = window.indexOf(0xff, from); offset >= 0 && offset < to; offset = window.indexOf(0xff, offset + 1)) {
    const frame = format.read(window, offset);
    if (!frame || frame.setup !== (setup ?? frame.setup)) continue;
    const next = offset + frame.length;
    if (next === window.length || format.read(window, next)?.setup === frame.setup) return offset;
  }
  return to;
}

export function endOfRun(
  window: Buffer,
  from: number,
  to: number,
  format: FrameFormat,
  setup: string | undefined,
): number {
  let offset = from;
  while (offset < to) {
    const frame = format.read(window, offset);
    if (!frame || frame.setup !== setup || offset + frame.length > window.length) break;
    offset += frame.length;
  }
  return offset;
}

/** Returns the length of the tag that starts here; 0 when there is none. */
export function leadingTag(head: Buffer): number {
  if (head.toString('latin1', 0, 3) === 'ID3' && head.length >= 10) {
    const hasFooter = head[3] === 4 && ((head[5] ?? 0) & 0x10) !== 0;
    return 10 + sevenBit(head, 6) + (hasFooter ? 10 : 0);
  }
  // The size in an APE tag includes the footer but not the header.
  return isApe(head, 0) ? 32 + head.readUInt32LE(12) : 0;
}

export function isApe(bytes: Buffer, offset: number): boolean {
  return bytes.length - offset >= 32 && bytes.toString('latin1', offset, offset + 8) === 'APETAGEX';
}
