import type { FrameFormat } from './FrameFormat.ts';

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
const layerThree = 1;

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
};

function readHeader(bytes: Uint8Array, offset: number) {
  const [sync = 0, second = 0, third = 0, fourth = 0] = bytes.subarray(offset, offset + 4);
  const number = (second >> 3) & 3;
  const version = versions[number];
  if (sync !== 0xff || second >> 5 !== 7 || ((second >> 1) & 3) !== layerThree || !version) return undefined;
  const bitRate = version.bitRates[third >> 4];
  const sampleRate = version.sampleRates[(third >> 2) & 3];
  const isReservedEmphasis = (fourth & 3) === 2;
  if (!bitRate || !sampleRate || isReservedEmphasis) return undefined;
  return { version, number, bitRate, sampleRate, padding: (third >> 1) & 1, isMono: fourth >> 6 === 3 };
}
