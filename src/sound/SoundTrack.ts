import { fstat, read } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import {
  ADTS,
  type AudioCodec,
  CustomSource,
  EncodedAudioPacketSource,
  type EncodedPacket,
  EncodedPacketSink,
  FilePathTarget,
  FLAC,
  FlacOutputFormat,
  Input,
  type InputAudioTrack,
  type InputFormat,
  type InputTrack,
  type InputVideoTrack,
  MATROSKA,
  MP3,
  MP4,
  MPEG_TS,
  Mp3OutputFormat,
  Mp4OutputFormat,
  OGG,
  OggOutputFormat,
  Output,
  type OutputFormat,
  QTFF,
  WAVE,
  WavOutputFormat,
  WEBM,
} from 'mediabunny';
import { type RecordingResults, type SoundFacts, type SoundPart, speechBytesPerSecond } from './readRecording.ts';

const readFrom = promisify(read);
const statOf = promisify(fstat);

/** A recording that is open for reading. */
export interface RecordingFile {
  /** Absolute path, from which the parts get their names. */
  readonly path: string;
  /** Size in bytes when it was opened. */
  readonly size: number;
  /** Reads from a position until the memory is full or the file ends. @returns the number of bytes read */
  read(memory: Uint8Array, position: number): Promise<number>;
}

/**
 * Reads a recording.
 *
 * @param fd descriptor of the file, if it is open already. What is at the path by now may be another file.
 */
export async function withRecording<T>(
  path: string,
  fd: number | undefined,
  work: (recording: RecordingFile) => Promise<T>,
): Promise<T> {
  await using own = fd === undefined ? await open(path) : undefined;
  const opened = fd ?? own?.fd ?? -1;
  const { size } = await statOf(opened);
  return await work({
    path,
    size,
    read: async (memory, position) => (await readFrom(opened, memory, 0, memory.length, position)).bytesRead,
  });
}

/** File format to copy a codec into. Services accept it, and it holds the codec without conversion. */
interface SoundFormat {
  /** File extension without the dot. */
  readonly extension: string;
  readonly create: () => OutputFormat;
  /** Approximate overhead per packet in bytes. */
  readonly bytesPerPacket: number;
}

/** The first sound track of a recording. */
export interface SoundTrack {
  readonly track: InputAudioTrack;
  readonly codec: AudioCodec;
  readonly format: SoundFormat;
  /** Duration in seconds according to the file, if it says so. */
  readonly duration: number | undefined;
  /** Size of the whole file, in bytes. */
  readonly bytes: number;
}

export type OpenedSound =
  | {
      readonly type: 'track';
      readonly sound: SoundTrack;
      readonly hasPicture: boolean;
      readonly container: InputFormat;
    }
  | { readonly type: 'noSound' }
  | { readonly type: 'unreadable'; readonly reason: string };

/** Writes the index at the end. At the start, it would need the whole file in memory, or a third more space. */
const m4a: SoundFormat = {
  extension: 'm4a',
  create: () => new Mp4OutputFormat({ fastStart: false }),
  bytesPerPacket: 16,
};
const ogg: SoundFormat = { extension: 'ogg', create: () => new OggOutputFormat(), bytesPerPacket: 4 };
const wav: SoundFormat = { extension: 'wav', create: () => new WavOutputFormat(), bytesPerPacket: 0 };
const formats: Partial<Readonly<Record<AudioCodec, SoundFormat>>> = {
  aac: m4a,
  mp3: { extension: 'mp3', create: () => new Mp3OutputFormat(), bytesPerPacket: 0 },
  opus: ogg,
  vorbis: ogg,
  flac: { extension: 'flac', create: () => new FlacOutputFormat(), bytesPerPacket: 0 },
  'pcm-u8': wav,
  'pcm-s16': wav,
  'pcm-s24': wav,
  'pcm-s32': wav,
  'pcm-f32': wav,
  alaw: wav,
  ulaw: wav,
};

const containers: InputFormat[] = [MP4, QTFF, MATROSKA, WEBM, MP3, WAVE, OGG, FLAC, ADTS, MPEG_TS];

/** Opens a recording; the input must be disposed. */
function inputOf(recording: RecordingFile, formats = containers): Input {
  const source = new CustomSource({
    getSize: () => recording.size,
    read: async (start, end) => {
      const memory = new Uint8Array(end - start);
      await recording.read(memory, start);
      return memory;
    },
    maxCacheSize: 2 ** 23,
    prefetchProfile: 'fileSystem',
  });
  return new Input({ source, formats });
}

/**
 * Opens a recording to copy its sound, without decoding it.
 *
 * @param among the only containers that it may have; default: all
 */
export async function openSound<T>(
  recording: RecordingFile,
  work: (opened: OpenedSound) => Promise<T> | T,
  among?: InputFormat[],
): Promise<T> {
  using input = inputOf(recording, among);
  if (!(await input.canRead())) return await work({ type: 'unreadable', reason: 'its container is not known' });
  const tracks = await input.getTracks();
  const hasPicture = tracks.some((one) => one.isVideoTrack());
  const track = tracks.find((one) => one.isAudioTrack());
  // A truncated file may have no tracks at all.
  if (!track) return await work(hasPicture ? { type: 'noSound' } : { type: 'unreadable', reason: 'it has no tracks' });
  const codec = await track.getCodec();
  const format = codec ? formats[codec] : undefined;
  if (!codec || !format) {
    const name = codec ?? (await track.getCodecParameterString()) ?? 'unknown';
    return await work({ type: 'unreadable', reason: `its codec (${name}) fits no file that services take` });
  }
  const duration = (await input.getDurationFromMetadata([track])) ?? undefined;
  const { size: bytes } = recording;
  const container = await input.getFormat();
  return await work({ type: 'track', sound: { track, codec, format, duration, bytes }, hasPicture, container });
}

/**
 * Finds out how long the sound of a recording is. A header is cheap to read, but whoever made the file may have written
 * anything into it. Where it claims less than a tenth of what the bytes can hold, the packets count, and where their
 * times are not credible either, the bytes do.
 */
export async function measureSound(
  recording: RecordingFile,
  onProgress: (share: number) => void,
): Promise<RecordingResults['measure']> {
  using input = inputOf(recording);
  if (!(await input.canRead())) return { type: 'unreadable', reason: 'its container is not known' };
  const tracks = await input.getTracks();
  const { size } = recording;
  let longest = 0;
  // Services choose one of several sound tracks, each in its own way.
  for (const track of tracks.filter((one) => one.isAudioTrack())) {
    const lowestRate = await lowestBytesPerSecond(track);
    const isCredible = (seconds: number, bytes: number) => seconds * credibleFactor >= bytes / lowestRate;
    let seconds = lengthIn(await input.getDurationFromMetadata([track]));
    if (!isCredible(seconds, size)) {
      const packets = await measurePackets({ track, bytes: size, duration: undefined }, onProgress);
      // If there is only one track, all bytes may be sound, including those that its header does not mention.
      const bytes = tracks.length > 1 ? packets.bytes : size;
      seconds = Math.max(seconds, packets.seconds);
      if (!isCredible(seconds, bytes)) seconds = bytes / lowestRate;
    }
    longest = Math.max(longest, seconds);
  }
  return longest > 0 ? { type: 'measured', seconds: longest } : { type: 'noSound' };
}

/** Reads how long a recording or a video is, what its sound is, and the size of its picture, without decoding it. */
export async function examineRecording(
  recording: RecordingFile,
  onProgress: (share: number) => void,
): Promise<RecordingResults['examine']> {
  using input = inputOf(recording);
  if (!(await input.canRead())) return { type: 'unreadable', reason: 'its container is not known' };
  const tracks = await input.getTracks();
  const sound = tracks.find((one) => one.isAudioTrack());
  const picture = tracks.find((one) => one.isVideoTrack());
  const longest = picture ?? sound;
  if (!longest) return { type: 'unreadable', reason: 'it has no tracks' };
  const lengthOf = async (track: InputTrack) => {
    // The length of an MP3 file is an estimate from its bytes, and a file of joined files has tags between the sounds.
    const stated = (await track.getCodec()) !== 'mp3' ? lengthIn(await input.getDurationFromMetadata([track])) : 0;
    if (stated > 0) return stated;
    return (await measurePackets({ track, bytes: recording.size, duration: undefined }, onProgress)).seconds;
  };
  const seconds = await lengthOf(longest);
  return {
    type: 'examined',
    seconds,
    sound: sound && (await factsOf(sound, sound === longest ? seconds : await lengthOf(sound))),
    size: picture && (await sizeOf(picture)),
  };
}

async function factsOf(track: InputAudioTrack, seconds: number): Promise<SoundFacts | undefined> {
  const first = await new EncodedPacketSink(track).getFirstPacket();
  const codec = (await track.getCodec()) ?? undefined;
  const [channels, sampleRate] = [await track.getNumberOfChannels(), await track.getSampleRate()];
  if (!first || !(seconds > 0 && channels > 0 && sampleRate > 0)) return undefined;
  return { codec: nameOf(codec, first.data), seconds, channels, sampleRate };
}

/** Returns the size of a video in its own pixels, which need not be square, turned as it is shown. */
async function sizeOf(picture: InputVideoTrack) {
  const [width, height] = [await picture.getCodedWidth(), await picture.getCodedHeight()];
  return (await picture.getRotation()) % 180 === 0 ? { width, height } : { width: height, height: width };
}

const codecNames: Partial<Readonly<Record<AudioCodec, string>>> = {
  aac: 'MPEG-4/AAC',
  flac: 'FLAC',
  opus: 'Opus',
  vorbis: 'Vorbis I',
  alaw: 'A-law',
  ulaw: 'µ-law',
};
const mpegVersions = ['2.5', '', '2', '1'];

/** Returns the name of a codec for people. All layers of MPEG audio share a codec, and their frames tell them apart. */
function nameOf(codec: AudioCodec | undefined, [, second = 0]: Uint8Array): string {
  if (codec === 'mp3') return `MPEG ${mpegVersions[(second >> 3) & 3]} Layer ${4 - ((second >> 1) & 3)}`;
  if (codec?.startsWith('pcm-')) return 'PCM';
  return (codec && codecNames[codec]) ?? codec?.toUpperCase() ?? 'an uncommon encoding';
}

/** A header may claim a tenth of the possible length. The factor is 11, not 10, to allow for headers and tags. */
const credibleFactor = 11;

function lengthIn(seconds: number | null): number {
  return seconds !== null && Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
}

/** Bytes of a sample in a format without loss. A sample of at most 4 bytes is rarely compressed to a tenth. */
const bytesPerSample: Partial<Readonly<Record<AudioCodec, number>>> = {
  flac: 0.4,
  'pcm-u8': 1,
  'pcm-s16': 2,
  'pcm-s24': 3,
  'pcm-s32': 4,
  'pcm-f32': 4,
  alaw: 1,
  ulaw: 1,
};

/** Rate and channels are from the header, too, so they are limited to what real recordings have. */
const [maxSampleRate, maxChannels] = [192_000, 8];

async function lowestBytesPerSecond(track: InputAudioTrack): Promise<number> {
  const codec = await track.getCodec();
  const bytes = codec ? bytesPerSample[codec] : undefined;
  if (bytes === undefined) return speechBytesPerSecond;
  const rate = Math.min(await track.getSampleRate(), maxSampleRate);
  const channels = Math.min(await track.getNumberOfChannels(), maxChannels);
  return Math.max(speechBytesPerSecond, bytes * rate * channels);
}

/** Adds up the sizes of all packets, and finds the end of the last one. */
async function measurePackets(sound: Packets, onProgress: (share: number) => void) {
  let bytes = 0;
  let seconds = 0;
  for await (const packet of packetsOf(sound, false, onProgress)) {
    bytes += packet.byteLength;
    seconds = Math.max(seconds, lengthIn(packet.timestamp + packet.duration));
  }
  return { bytes, seconds };
}

type Packets = Pick<SoundTrack, 'bytes' | 'duration'> & { readonly track: InputTrack };

/** Seconds of sound between progress reports. */
const progressSeconds = 30;

/**
 * Yields the packets of a track, in order.
 *
 * @param isDataNeeded whether to read the data, not only the size and time of packets
 * @throws Error for a damaged file that yields more bytes than it has
 */
export async function* packetsOf(
  { track, bytes, duration = Number.POSITIVE_INFINITY }: Packets,
  isDataNeeded: boolean,
  onProgress: (share: number) => void,
) {
  let reported = Number.NEGATIVE_INFINITY;
  let read = 0;
  const sink = new EncodedPacketSink(track);
  for await (const packet of sink.packets(undefined, undefined, { metadataOnly: !isDataNeeded })) {
    read += packet.byteLength;
    // Uncompressed sound may be read as larger samples than it is stored as, but never more than twice as large.
    if (read > 2 * bytes) throw new Error('the reader finds more sound than there is');
    if (packet.timestamp >= reported + progressSeconds) {
      reported = packet.timestamp;
      onProgress(Math.max(0, Math.min(1, packet.timestamp / duration)));
    }
    yield packet;
  }
}

/** Writes packets of a track into a file whose time starts at the first packet. */
export class SoundWriter {
  readonly #output: Output;
  readonly #source: EncodedAudioPacketSource;
  readonly #file: string;
  readonly #config: AudioDecoderConfig;
  #start: number | undefined;
  #end = 0;

  private constructor({ codec, format }: SoundTrack, file: string, config: AudioDecoderConfig) {
    this.#file = file;
    this.#config = config;
    this.#output = new Output({ format: format.create(), target: new FilePathTarget(file) });
    this.#source = new EncodedAudioPacketSource(codec);
    this.#output.addAudioTrack(this.#source);
  }

  static async open(sound: SoundTrack, file: string): Promise<SoundWriter> {
    const config = await sound.track.getDecoderConfig();
    if (!config) throw new Error('the file has no decoder configuration for its sound');
    const writer = new SoundWriter(sound, file, config);
    await writer.#output.start();
    return writer;
  }

  async add(packet: EncodedPacket): Promise<void> {
    // Packets with negative times only prepare the decoder.
    this.#start ??= packet.timestamp;
    this.#end = packet.timestamp + packet.duration;
    const moved = packet.clone({ timestamp: Math.max(0, packet.timestamp - this.#start) });
    await this.#source.add(moved, { decoderConfig: this.#config });
  }

  async finish(): Promise<SoundPart> {
    await this.#output.finalize();
    const { size: bytes } = await stat(this.#file);
    return { file: this.#file, bytes, start: Math.max(0, this.#start ?? 0), end: this.#end };
  }
}
