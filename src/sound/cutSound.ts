import { basename, extname, join } from 'node:path';
import type { AudioCodec, EncodedPacket } from 'mediabunny';
import type { CopiedSound, SoundPart } from './readRecording.ts';
import type { RecordingFile, SoundTrack } from './SoundTrack.ts';
import { openSound, packetsOf, SoundWriter } from './SoundTrack.ts';

/** Space reserved in each file for what is not packets: header, index and cover images. */
const headBytes = 4096;

/** Cuts the sound of a recording at quiet places into files of at most `partBytes`. Copies packets without decoding. */
export async function cutSound(
  recording: RecordingFile,
  folder: string,
  partBytes: number,
  onProgress: (share: number) => void,
): Promise<CopiedSound> {
  const { path } = recording;
  return openSound(recording, async (opened): Promise<CopiedSound> => {
    if (opened.type !== 'track') return opened;
    const { sound } = opened;
    const cuts = planParts(await measure(sound, (share) => onProgress(share / 2)), partBytes - headBytes);
    if (!cuts) return { type: 'unreadable', reason: 'a tenth of a second of it is larger than the part size' };
    const target = (part: number) =>
      join(folder, `${basename(path, extname(path))}-part-${part + 1}.${sound.format.extension}`);
    return { type: 'parts', parts: await writeParts(sound, cuts, target, (share) => onProgress(0.5 + share / 2)) };
  });
}

async function measure(sound: SoundTrack, onProgress: (share: number) => void): Promise<SoundSteps> {
  const loudness = loudnessFor(sound.codec);
  const bytes: number[] = [];
  const sums: number[] = [];
  const counts: number[] = [];
  for await (const packet of packetsOf(sound, loudness.isDataNeeded, onProgress)) {
    const step = stepOf(packet.timestamp);
    for (let next = bytes.length; next <= step; next++) [bytes[next], sums[next], counts[next]] = [0, 0, 0];
    bytes[step] = (bytes[step] ?? 0) + packet.byteLength + sound.format.bytesPerPacket;
    sums[step] = (sums[step] ?? 0) + loudness.of(packet);
    counts[step] = (counts[step] ?? 0) + 1;
  }
  // A step in which no packet starts is as loud as the one before.
  let last = 0;
  const loud = sums.map((sum, step) => {
    const count = counts[step] ?? 0;
    if (count > 0) last = sum / count;
    return last;
  });
  return { bytes, loudness: loud };
}

async function writeParts(
  sound: SoundTrack,
  cuts: readonly number[],
  target: (part: number) => string,
  onProgress: (share: number) => void,
): Promise<readonly SoundPart[]> {
  const parts: SoundPart[] = [];
  let writer = await SoundWriter.open(sound, target(0));
  for await (const packet of packetsOf(sound, true, onProgress)) {
    const cut = cuts[parts.length];
    if (cut !== undefined && stepOf(packet.timestamp) >= cut) {
      parts.push(await writer.finish());
      writer = await SoundWriter.open(sound, target(parts.length));
    }
    await writer.add(packet);
  }
  return [...parts, await writer.finish()];
}

function stepOf(timestamp: number): number {
  return Math.max(0, Math.floor(timestamp / stepSeconds));
}

/** Size and loudness of a track, in steps of {@link stepSeconds}. */
export interface SoundSteps {
  /** Size of each step in a file. */
  readonly bytes: readonly number[];
  /** Loudness of each step, in any unit. */
  readonly loudness: readonly number[];
}

const stepSeconds = 0.1;
/** Number of steps over which the loudness of a pause is averaged. */
const pauseSteps = 4;
/** Maximum distance of a cut from the even position, in steps. */
const reachSteps = 300;
const clearlyQuieter = 0.9;
/** Maximum planned fill of a part, which leaves room for a pause after the even position. */
const maxFill = 0.9;

/**
 * Plans where to cut a sound into parts of at most `partBytes`. Parts are even, except that each cut moves to the
 * quietest place nearby.
 *
 * @returns the first step of each part after the first; undefined when a single step is too large
 */
export function planParts({ bytes, loudness }: SoundSteps, partBytes: number): readonly number[] | undefined {
  if (bytes.some((one) => one > partBytes)) return undefined;
  const cuts: number[] = [];
  const until = sums(bytes);
  const total = until.at(-1) ?? 0;
  for (let start = 0; ; ) {
    const before = until[start] ?? 0;
    const left = total - before;
    if (left <= partBytes) return cuts;
    const even = before + left / Math.ceil(left / (partBytes * maxFill));
    // The last step at which the part is small enough.
    const last = lastBelow(until, before + partBytes);
    const middle = Math.min(lastBelow(until, even), last);
    const from = Math.max(start + 1, middle - reachSteps, Math.ceil((start + middle) / 2));
    start = quietest(loudness, from, Math.min(last, middle + reachSteps), middle);
    cuts.push(start);
  }
}

/** Returns the middle of the quietest pause, or the even position when nothing nearby is clearly quieter. */
function quietest(loudness: readonly number[], from: number, to: number, middle: number): number {
  let best = Math.max(from, Math.min(middle, to));
  let least = around(loudness, best);
  for (let distance = 1; distance <= reachSteps; distance++) {
    for (const step of [middle - distance, middle + distance]) {
      if (step < from || step > to) continue;
      const loud = around(loudness, step);
      // With equal loudness everywhere, as in sound of a constant bit rate, noise must not decide.
      if (loud < least * clearlyQuieter) [best, least] = [step, loud];
    }
  }
  return best;
}

function around(loudness: readonly number[], step: number): number {
  const pause = loudness.slice(Math.max(0, step - pauseSteps / 2), step + pauseSteps / 2);
  return pause.reduce((sum, one) => sum + one, 0) / Math.max(1, pause.length);
}

function sums(numbers: readonly number[]): readonly number[] {
  let sum = 0;
  return [0, ...numbers.map((number) => (sum += number))];
}

/** Returns the last step that has at most this many bytes before it. */
function lastBelow(until: readonly number[], maxBytes: number): number {
  let low = 0;
  let high = until.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((until[middle] ?? 0) <= maxBytes) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Measures the loudness of packets, in a unit that depends on the codec. */
interface Loudness {
  readonly isDataNeeded: boolean;
  of(packet: EncodedPacket): number;
}

/**
 * Returns a loudness measure that needs no decoding: samples for PCM, scale factors for MP3 and AAC, otherwise the
 * packet size. Encoders with a variable bit rate use few bytes for silence; with a constant bit rate, the size says
 * nothing.
 */
function loudnessFor(codec: AudioCodec): Loudness {
  const sample = samples[codec];
  if (sample) return { isDataNeeded: true, of: ({ data }) => meanOf(data, sample) };
  if (codec === 'mp3') return { isDataNeeded: true, of: ({ data }) => mp3Loudness(data) };
  if (codec === 'aac') return { isDataNeeded: true, of: ({ data }) => aacLoudness(data) };
  return { isDataNeeded: false, of: ({ byteLength, duration }) => byteLength / Math.max(duration, 0.001) };
}

interface Sample {
  readonly bytes: number;
  read(view: DataView, offset: number): number;
}

const samples: Partial<Readonly<Record<AudioCodec, Sample>>> = {
  'pcm-u8': { bytes: 1, read: (view, offset) => (view.getUint8(offset) - 128) / 128 },
  'pcm-s16': { bytes: 2, read: (view, offset) => view.getInt16(offset, true) / 2 ** 15 },
  // The two upper bytes are exact enough.
  'pcm-s24': { bytes: 3, read: (view, offset) => view.getInt16(offset + 1, true) / 2 ** 15 },
  'pcm-s32': { bytes: 4, read: (view, offset) => view.getInt32(offset, true) / 2 ** 31 },
  'pcm-f32': { bytes: 4, read: (view, offset) => view.getFloat32(offset, true) },
};
/** Samples per measured sample. A prime, so that all channels are measured. */
const stride = 7;

function meanOf(data: Uint8Array, { bytes, read }: Sample): number {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let sum = 0;
  let count = 0;
  for (let offset = 0; offset + bytes <= data.length; offset += bytes * stride) {
    sum += Math.abs(read(view, offset));
    count++;
  }
  return count === 0 ? 0 : sum / count;
}

/** Returns the amplitude of one quantisation step for a `global_gain`, which doubles with each 4. */
function amplitudeOf(gain: number): number {
  return 2 ** (gain / 4);
}

/**
 * Returns the loudness of an MPEG audio frame. For layer 3, sums the step size times the bits used by each granule:
 * `global_gain` and `part2_3_length` of ISO 11172-3, 2.4.1.7. For other layers, uses the frame size.
 */
function mp3Loudness(data: Uint8Array): number {
  const [, second = 0, , fourth = 0] = data;
  const isLayer3 = ((second >> 1) & 3) === 1;
  if (!isLayer3 || data.length < 40) return data.length;
  const isVersion1 = ((second >> 3) & 3) === 3;
  const channels = fourth >> 6 === 3 ? 1 : 2;
  const side = (second & 1 ? 4 : 6) * 8;
  // Skips main_data_begin, the private bits and, in version 1, four bits of scfsi per channel.
  const first = isVersion1 ? side + (channels === 1 ? 18 : 20) : side + (channels === 1 ? 9 : 10);
  const granule = isVersion1 ? 59 : 63;
  const granules = (isVersion1 ? 2 : 1) * channels;
  let sum = 0;
  for (let index = 0; index < granules; index++) {
    const offset = first + index * granule;
    sum += bitsAt(data, offset, 12) * amplitudeOf(bitsAt(data, offset + 21, 8));
  }
  return sum;
}

/**
 * Returns the `global_gain` (ISO 13818-7, 6.3) of a frame's first channel; 0 when the frame starts with another
 * element. It describes the lowest band only and has outliers, so it stays logarithmic, which keeps them from
 * dominating a mean. It is a rough estimate.
 */
function aacLoudness(data: Uint8Array): number {
  const element = bitsAt(data, 0, 3);
  if (element === 0) return bitsAt(data, 7, 8);
  if (element !== 1) return 0;
  const hasCommonWindow = bitsAt(data, 7, 1) === 1;
  return bitsAt(data, hasCommonWindow ? 8 + commonWindowBits(data, 8) : 8, 8);
}

/** Returns the length in bits of `ics_info` and the mask of a channel pair. */
function commonWindowBits(data: Uint8Array, offset: number): number {
  const isShort = bitsAt(data, offset + 1, 2) === 2;
  const bands = isShort ? bitsAt(data, offset + 4, 4) : bitsAt(data, offset + 4, 6);
  const grouping = isShort ? bitsAt(data, offset + 8, 7) : 0;
  const groups = isShort ? 8 - grouping.toString(2).replaceAll('0', '').length : 1;
  const info = isShort ? 15 : 11;
  return info + 2 + (bitsAt(data, offset + info, 2) === 1 ? groups * bands : 0);
}

function bitsAt(data: Uint8Array, offset: number, count: number): number {
  let value = 0;
  for (let bit = offset; bit < offset + count; bit++) {
    value = value * 2 + (((data[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1);
  }
  return value;
}
