/** What is coded in a granule of one channel. */
interface Granule {
  /** `part2_3_length`. */
  readonly bits: number;
  /** `global_gain`. */
  readonly gain: number;
  /** Frequency lines by the largest value that their Huffman table has, as upper bounds of both. */
  readonly lines: readonly (readonly [count: number, largest: number])[];
}

/** The side information of a frame of MPEG layer III: ISO 11172-3 and 13818-3, 2.4.1.7. */
export interface Mp3Side {
  /** Bytes from the start of the frame. */
  readonly start: number;
  readonly end: number;
  /** How far before {@link end} the frame's sound begins, in bytes of the frames before it; `main_data_begin`. */
  readonly reservoir: number;
  readonly granules: readonly Granule[];
}

/** @param frame a whole frame of layer III */
export function readSide(frame: Uint8Array): Mp3Side {
  const [, second = 0, , fourth = 0] = frame;
  const version = (second >> 3) & 3;
  const isVersion1 = version === 3;
  const channels = fourth >> 6 === 3 ? 1 : 2;
  const start = hasChecksum(frame) ? 6 : 4;
  // Skips main_data_begin, the private bits and, in version 1, four bits of scfsi per channel.
  const first = isVersion1 ? (channels === 1 ? 18 : 20) : channels === 1 ? 9 : 10;
  const length = isVersion1 ? 59 : 63;
  const count = (isVersion1 ? 2 : 1) * channels;
  const from = start * 8;
  const granules = Array.from({ length: count }, (_, index) =>
    readGranule(frame, from + first + index * length, version),
  );
  const reservoir = bitsAt(frame, from, isVersion1 ? 9 : 8);
  return { start, end: start + (first + count * length) / 8, reservoir, granules };
}

/**
 * Makes a frame silent. The bytes of later frames in it stay.
 *
 * @param reservoir bytes before it that later frames need; a decoder forgets what lies before those
 */
export function mute(frame: Uint8Array, reservoir: number): void {
  const { start, end } = readSide(frame);
  const isVersion1 = ((frame[1] ?? 0) & 0x18) === 0x18;
  // A decoder keeps no more than a later frame can name.
  const kept = Math.min(reservoir, Math.max(0, (isVersion1 ? 511 : 255) - (frame.length - end)));
  frame.fill(0, start, end);
  frame[start] = isVersion1 ? kept >> 1 : kept;
  if (isVersion1) frame[start + 1] = (kept & 1) << 7;
}

export function hasChecksum([, second = 0]: Uint8Array): boolean {
  return (second & 1) === 0;
}

/** Frequency lines of a granule. */
const lineCount = 576;

function readGranule(frame: Uint8Array, at: number, version: number): Granule {
  const bits = bitsAt(frame, at, 12);
  const big = Math.min(lineCount, 2 * bitsAt(frame, at + 12, 9));
  const gain = bitsAt(frame, at + 21, 8);
  const window = at + (version === 3 ? 33 : 38);
  const isSwitched = bitsAt(frame, window, 1) === 1;
  const tables = isSwitched ? [4, 9] : [1, 6, 11];
  // The bands of version 2.5 are up to twice as wide.
  const scale = version === 0 ? 2 : 1;
  const [one, two] = [bitsAt(frame, window + 16, 4), bitsAt(frame, window + 20, 3)];
  const ends = isSwitched ? [switchedEnd] : [one, one + two + 1].map((band) => bandEnds[band] ?? lineCount);
  const lines = tables.map((offset, index): readonly [number, number] => {
    const table = bitsAt(frame, window + offset, 5);
    return [Math.min(big, scale * (ends[index] ?? big)), largestOf(table)];
  });
  return { bits, gain, lines: [...lines, [lineCount - big, 1]] };
}

/** End of the first region where the kind of blocks changes, at the sample rate with the widest bands. */
const switchedEnd = 54;
/** Ends of the bands of long blocks, at the sample rate with the widest. */
const bandEnds = [6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 116, 140, 168, 200, 240, 296, 364, 464];

const largestOfTable = [0, 1, 2, 2, 0, 3, 3, 5, 5, 5, 7, 7, 7, 15, 0, 15];
/** `linbits` of the tables from 16 on, which add to 15. */
const furtherBits = [1, 2, 3, 4, 6, 8, 10, 13, 4, 5, 6, 7, 8, 9, 11, 13];

function largestOf(table: number): number {
  return largestOfTable[table] ?? 15 + 2 ** (furtherBits[table - 16] ?? 13) - 1;
}

/** Returns the amplitude of one quantisation step for a `global_gain`, which doubles with each 4. */
export function amplitudeOf(gain: number): number {
  return 2 ** (gain / 4);
}

/** The `global_gain` of a step of 1. */
const unitGain = 210;
/** What the filters of a decoder add to the mean of all lines: 18 dB, measured with noise. */
const synthesisGain = 8;

/**
 * Returns an upper bound of the mean amplitude that a frame decodes to, where 1 is full scale. Scale factors only make
 * lines quieter, and so does every way to join channels.
 */
export function loudestOf({ granules }: Mp3Side): number {
  return Math.max(
    ...granules.map(({ bits, gain, lines }) => {
      if (bits === 0) return 0;
      const power = lines.reduce((sum, [count, largest]) => sum + count * largest ** (8 / 3), 0);
      return synthesisGain * Math.sqrt(power / lineCount) * amplitudeOf(gain - unitGain);
    }),
  );
}

export function bitsAt(data: Uint8Array, offset: number, count: number): number {
  let value = 0;
  for (let bit = offset; bit < offset + count; bit++) {
    value = value * 2 + (((data[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1);
  }
  return value;
}
