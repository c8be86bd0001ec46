import { ADTS, type AudioCodec, type EncodedPacket, EncodedPacketSink, type InputFormat, MP3 } from 'mediabunny';
import { leadingTag } from './frames.ts';
import { amplitudeOf, bitsAt, readSide } from './mp3Side.ts';
import type { RecordingFile } from './RecordingFile.ts';
import type { RecordingResults } from './readRecording.ts';
import { held, type OpenedSound, openSound, packetsOf, type SoundTrack, steadyPackets } from './SoundTrack.ts';
import { type Sample, samples } from './samples.ts';

/** Size and loudness of a track, in steps of {@link stepSeconds}. */
export interface SoundSteps {
  /** Size of each step in a file. */
  readonly bytes: readonly number[];
  /** Loudness of each step, in any unit. */
  readonly loudness: readonly number[];
}

const stepSeconds = 0.1;
/** Measures a track in steps of {@link stepSeconds}, without decoding it. */
export async function measureLoudness(sound: SoundTrack, onProgress: (share: number) => void): Promise<SoundSteps> {
  const loudness = loudnessFor(sound.codec);
  const bytes: number[] = [];
  const sums: number[] = [];
  const counts: number[] = [];
  for await (const { packet } of steadyPackets(sound, loudness.isDataNeeded, onProgress)) {
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

/** Number of columns of a waveform. More than a panel shows. */
const columns = 1000;
/** Packets that are measured for each column. */
const samplesPerColumn = 3;

/**
 * Measures a recording for a waveform, without decoding it. Reads a few packets of each column, so that long recordings
 * take no longer than short ones.
 *
 * @param seconds its duration, which some containers tell only at the end of a long search
 */
export async function peaksOf(
  recording: RecordingFile,
  seconds: number,
  onProgress: (share: number) => void,
): Promise<RecordingResults['peaks']> {
  return openSound(
    recording,
    async (opened) => {
      if (opened.type !== 'track') return opened;
      const { sound, container } = opened;
      const isStream = container === MP3 || container === ADTS;
      const measured = isStream
        ? await peaksOfStream(recording, container, sound, onProgress)
        : await peaksOfTrack(sound, seconds, onProgress);
      return { type: 'peaks', peaks: inPercent(measured) };
    },
    { onProgress },
  );
}

async function peaksOfTrack(
  { track, codec, format }: SoundTrack,
  seconds: number,
  onProgress: (share: number) => void,
) {
  const loudness = loudnessFor(codec);
  const sink = new EncodedPacketSink(track);
  const options = { metadataOnly: !loudness.isDataNeeded };
  const peaks: number[] = [];
  for (let column = 0; column < columns; column++) {
    let loudest = 0;
    for (let sample = 0; sample < samplesPerColumn; sample++) {
      const packet = await sink.getPacket(((column + sample / samplesPerColumn) * seconds) / columns, options);
      if (packet) loudest = Math.max(loudest, loudness.of(loudness.isDataNeeded ? held(packet, format) : packet));
    }
    peaks.push(loudest);
    onProgress(column / columns);
  }
  return peaks;
}

/** Bytes that hold a few frames of any bit rate. */
const sliceBytes = 16_384;

/**
 * Measures frames without an index, which can only be read from the start to the end: opens the file once per column,
 * at the place of the column. Positions in bytes stand for positions in time, which is exact for a constant bit rate.
 */
async function peaksOfStream(
  recording: RecordingFile,
  container: InputFormat,
  { codec }: SoundTrack,
  onProgress: (share: number) => void,
) {
  const loudness = loudnessFor(codec);
  const header = Buffer.alloc(32);
  await recording.read(header, 0);
  // A tag may hold a picture, which takes no time.
  const head = Math.min(recording.size, leadingTag(header));
  const peaks: number[] = [];
  for (let column = 0; column < columns; column++) {
    const start = head + Math.floor(((recording.size - head) * column) / columns);
    const slice: RecordingFile = {
      path: recording.path,
      size: Math.min(sliceBytes, recording.size - start),
      read: (memory, position) => recording.read(memory, start + position),
    };
    const measure = async (opened: OpenedSound) => {
      let loudest = 0;
      let count = 0;
      if (opened.type !== 'track') return loudest;
      for await (const packet of packetsOf(opened.sound, loudness.isDataNeeded, () => undefined)) {
        loudest = Math.max(loudest, loudness.of(packet));
        if (++count === samplesPerColumn) break;
      }
      return loudest;
    };
    // A slice inside a tag has no frames.
    peaks.push(await openSound(slice, measure, { among: [container] }).catch(() => 0));
    onProgress(column / columns);
  }
  return peaks;
}

/** Returns loudness in percent of its range, leaving out rare outliers. */
function inPercent(loudness: readonly number[]): readonly number[] {
  const sorted = loudness.toSorted((one, other) => one - other);
  const least = sorted[0] ?? 0;
  const most = sorted[Math.floor(sorted.length * 0.98)] ?? 0;
  if (most <= least) return loudness.map(() => 0);
  return loudness.map((one) => Math.min(100, Math.round(((one - least) / (most - least)) * 100)));
}

export function stepOf(timestamp: number): number {
  return Math.max(0, Math.floor(timestamp / stepSeconds));
}

/**
 * Returns a loudness measure that needs no decoding: samples for PCM, scale factors for MP3 and AAC, otherwise the
 * packet size. Encoders with a variable bit rate use few bytes for silence; with a constant bit rate, the size says
 * nothing.
 */
function loudnessFor(codec: AudioCodec): { readonly isDataNeeded: boolean; of(packet: EncodedPacket): number } {
  const sample = samples[codec];
  if (sample) return { isDataNeeded: true, of: ({ data }) => meanOf(data, sample) };
  if (codec === 'mp3') return { isDataNeeded: true, of: ({ data }) => mp3Loudness(data) };
  if (codec === 'aac') return { isDataNeeded: true, of: ({ data }) => aacLoudness(data) };
  return { isDataNeeded: false, of: ({ byteLength, duration }) => byteLength / Math.max(duration, 0.001) };
}

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

/**
 * Returns the loudness of an MPEG audio frame. For layer 3, sums the step size times the bits used by each granule:
 * `global_gain` and `part2_3_length` of ISO 11172-3, 2.4.1.7. For other layers, uses the frame size.
 */
function mp3Loudness(data: Uint8Array): number {
  const [, second = 0] = data;
  const isLayer3 = ((second >> 1) & 3) === 1;
  if (!isLayer3 || data.length < 40) return data.length;
  return readSide(data).granules.reduce((sum, { bits, gain }) => sum + bits * amplitudeOf(gain), 0);
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
