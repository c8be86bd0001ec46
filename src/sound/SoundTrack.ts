import { stat } from 'node:fs/promises';
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
import { ClockMaker, SteadyTime } from './Clock.ts';
import { chooseTracks } from './chooseTracks.ts';
import { adtsFormat, leadingTag, mpegFormat } from './frames.ts';
import { heardSeconds } from './heardSeconds.ts';
import { type Link, linksOf } from './links.ts';
import { secondsOfCoded } from './mendedWav.ts';
import type { RecordingFile } from './RecordingFile.ts';
import {
  type RecordingResults,
  type SoundFacts,
  type SoundPart,
  speechBytesPerSecond,
  type TrackFacts,
} from './readRecording.ts';

/** File format to copy a codec into. Services accept it, and it holds the codec without loss. */
interface SoundFormat {
  /** File extension without the dot. */
  readonly extension: string;
  readonly create: () => OutputFormat;
  /** Approximate overhead per packet in bytes. */
  readonly bytesPerPacket: number;
  /** For samples that it cannot hold as they are: their form in it. */
  readonly holds?: { readonly codec: AudioCodec; readonly of: (data: Uint8Array) => Uint8Array };
}

/** The sound track of a recording that is copied. */
export interface SoundTrack {
  readonly track: InputAudioTrack;
  /** In the copy. */
  readonly codec: AudioCodec;
  readonly format: SoundFormat;
  /** Duration in seconds according to the file, if it says so. */
  readonly duration: number | undefined;
  /** Size of the whole file, in bytes. */
  readonly bytes: number;
}

export interface TrackOpened {
  readonly type: 'track';
  readonly sound: SoundTrack;
  readonly hasPicture: boolean;
  /** Number of sound tracks. */
  readonly tracks: number;
  readonly container: InputFormat;
}

export type OpenedSound =
  | TrackOpened
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
const holding = (codec: AudioCodec, of: (data: Uint8Array) => Uint8Array): SoundFormat => ({
  ...wav,
  holds: { codec, of },
});
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
  'pcm-f64': wav,
  'pcm-s8': holding('pcm-u8', (data) => data.map((sample) => sample ^ 0x80)),
  'pcm-s16be': holding('pcm-s16', (data) => inReverse(data, 2)),
  'pcm-s24be': holding('pcm-s24', (data) => inReverse(data, 3)),
  'pcm-s32be': holding('pcm-s32', (data) => inReverse(data, 4)),
  'pcm-f32be': holding('pcm-f32', (data) => inReverse(data, 4)),
  'pcm-f64be': holding('pcm-f64', (data) => inReverse(data, 8)),
  alaw: wav,
  ulaw: wav,
};

/** Reverses the bytes of each sample. */
function inReverse(data: Uint8Array, width: number): Uint8Array {
  return data.map((_, index) => data[index + width - 1 - 2 * (index % width)] ?? 0);
}

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

/** Which sound track of a recording is opened. */
export interface TrackChoice {
  /** Its place among the sound tracks, from 1; default: the first that {@link chooseTracks} finds. */
  readonly track?: number;
  /** The only containers that the recording may have; default: all. */
  readonly among?: InputFormat[];
  readonly onProgress?: (share: number) => void;
}

/** Opens a recording to copy its sound, without decoding it. */
export async function openSound<T>(
  recording: RecordingFile,
  work: (opened: OpenedSound) => Promise<T> | T,
  { track: number, among, onProgress = () => undefined }: TrackChoice = {},
): Promise<T> {
  using input = inputOf(recording, among);
  if (!(await input.canRead())) return await work({ type: 'unreadable', reason: 'its container is not known' });
  const { size: bytes } = recording;
  const hasPicture = (await input.getVideoTracks()).length > 0;
  const tracks = await input.getAudioTracks();
  const [first] = tracks;
  // A truncated file may have no tracks at all.
  if (!first) return await work(hasPicture ? { type: 'noSound' } : { type: 'unreadable', reason: 'it has no tracks' });
  const wanted = number === undefined ? undefined : tracks[number - 1];
  const track = wanted ?? (await chooseTracks(tracks, isCopied, bytes, onProgress))[0];
  const codec = await track?.getCodec();
  const format = codec ? formats[codec] : undefined;
  if (!track || !codec || !format) return await work({ type: 'unreadable', reason: await reasonFor(tracks) });
  const duration = (await input.getDurationFromMetadata([track])) ?? undefined;
  const container = await input.getFormat();
  const sound = { track, codec: format.holds?.codec ?? codec, format, duration, bytes };
  return await work({ type: 'track', sound, hasPicture, tracks: tracks.length, container });
}

async function isCopied(track: InputAudioTrack): Promise<boolean> {
  const codec = await track.getCodec();
  return codec !== null && formats[codec] !== undefined;
}

/** Returns why no track is copied: the codec of the first one that cannot be. */
async function reasonFor(tracks: readonly InputAudioTrack[]): Promise<string> {
  for (const track of tracks) {
    if (await isCopied(track)) continue;
    const name = (await track.getCodec()) ?? (await track.getCodecParameterString()) ?? 'unknown';
    return `its codec (${name}) fits no file that services take`;
  }
  return 'it has no such track';
}

/** Finds the sound tracks of a recording that may be meant, the best first. A chain has those of its first link. */
export async function soundTracksOf(
  recording: RecordingFile,
  onProgress: (share: number) => void,
): Promise<RecordingResults['tracks']> {
  if ((await countTracks(recording)) < 2) return { type: 'tracks', count: 1, tracks: [] };
  const links = await openLinks(recording, onProgress);
  if ('type' in links) return links;
  const [first = { recording }] = links;
  using input = inputOf(first.recording);
  const all = await input.getAudioTracks();
  const tracks = await chooseTracks(all, isCopied, first.recording.size, onProgress);
  const facts = tracks.map((track) => trackFactsOf(track, all.indexOf(track) + 1));
  return { type: 'tracks', count: all.length, tracks: await Promise.all(facts) };
}

async function countTracks(recording: RecordingFile): Promise<number> {
  using input = inputOf(recording);
  return (await input.canRead()) ? (await input.getAudioTracks()).length : 0;
}

async function trackFactsOf(track: InputAudioTrack, number: number): Promise<TrackFacts> {
  const [language, name] = [await track.getLanguageCode(), await track.getName()];
  const seconds = lengthIn(await track.getDurationFromMetadata());
  return {
    number,
    ...(language === 'und' ? {} : { language }),
    ...(name ? { name } : {}),
    ...(seconds > 0 ? { seconds } : {}),
  };
}

/** Finds the links of a recording, which are read one after the other. */
export async function openLinks(
  recording: RecordingFile,
  onProgress: (share: number) => void,
): Promise<readonly Link[] | { readonly type: 'unreadable'; readonly reason: string }> {
  using input = inputOf(recording);
  if (!(await input.canRead())) return { type: 'unreadable', reason: 'its container is not known' };
  return await linksOf(recording, await input.getFormat(), onProgress);
}

/** How long a sound is, or an upper bound of that. */
interface MeasuredLength {
  readonly seconds: number;
  readonly isUpperBound: boolean;
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
  const links = await openLinks(recording, onProgress);
  if ('type' in links) return links;
  let seconds = 0;
  let isUpperBound = false;
  for (const link of links) {
    const longest = await longestIn(link, onProgress);
    seconds += longest.seconds;
    isUpperBound ||= longest.isUpperBound;
  }
  // What is between frames may be sound, too, that only other readers find.
  if (links.some((link) => link.seconds !== undefined)) {
    const head = Buffer.alloc(32);
    await recording.read(head, 0);
    const frames = links.reduce((sum, { frameBytes = 0 }) => sum + frameBytes, 0);
    const most = (recording.size - leadingTag(head) - frames) / speechBytesPerSecond;
    if (seconds * credibleFactor < most) {
      seconds += most;
      isUpperBound = true;
    }
  }
  return seconds > 0 ? { type: 'measured', seconds, isUpperBound } : { type: 'noSound' };
}

/** Returns the duration of the longest sound of a link. Services choose one of several tracks, each in its own way. */
async function longestIn(
  { recording, seconds: counted }: Link,
  onProgress: (share: number) => void,
): Promise<MeasuredLength> {
  if (counted !== undefined) return { seconds: counted, isUpperBound: false };
  const { size } = recording;
  const coded = await secondsOfCoded(recording);
  if (coded !== undefined) return credible(coded, size / speechBytesPerSecond);
  using input = inputOf(recording);
  const tracks = await input.getTracks();
  let longest: MeasuredLength = { seconds: 0, isUpperBound: false };
  for (const track of tracks.filter((one) => one.isAudioTrack())) {
    const lowestRate = await lowestBytesPerSecond(track);
    const end = await input.getDurationFromMetadata([track]);
    let measured = credible(end === null ? 0 : lengthIn(end - (await startOf(track))), size / lowestRate);
    if (measured.isUpperBound) {
      const packets = await measurePackets({ track, bytes: size, duration: undefined }, onProgress);
      // If there is only one track, all bytes may be sound, including those that its header does not mention.
      const bytes = tracks.length > 1 ? packets.bytes : size;
      const most = Math.min(bytes / lowestRate, await mostSeconds(track, packets));
      measured = credible(Math.max(lengthIn((end ?? 0) - (await startOf(track))), packets.seconds), most);
    }
    if (measured.seconds > longest.seconds) longest = measured;
  }
  return longest;
}

/** Returns what a file says, unless its bytes may hold much more. */
function credible(seconds: number, most: number): MeasuredLength {
  return seconds * credibleFactor < most ? { seconds: most, isUpperBound: true } : { seconds, isUpperBound: false };
}

/** Returns when a track begins; what is before 0 only prepares the decoder. */
async function startOf(track: InputAudioTrack): Promise<number> {
  return lengthIn(await track.getFirstTimestamp());
}

/** Reads how long a recording or a video is, what its sound is, and the size of its picture, without decoding it. */
export async function examineRecording(
  recording: RecordingFile,
  onProgress: (share: number) => void,
): Promise<RecordingResults['examine']> {
  const links = await openLinks(recording, onProgress);
  if ('type' in links) return links;
  const [first, ...others] = await Promise.all(links.map((link) => examineLink(link, onProgress)));
  if (first?.type !== 'examined') return first ?? { type: 'unreadable', reason: 'it is empty' };
  const seconds = others.reduce((sum, one) => sum + (one.type === 'examined' ? one.seconds : 0), first.seconds);
  const { sound } = first;
  if (others.length === 0 || !sound) return { ...first, seconds };
  const heard = others.reduce((sum, one) => sum + (one.type === 'examined' ? (one.sound?.seconds ?? 0) : 0), 0);
  return { ...first, seconds, sound: { ...sound, seconds: sound.seconds + heard } };
}

async function examineLink(
  { recording, seconds: counted }: Link,
  onProgress: (share: number) => void,
): Promise<RecordingResults['examine']> {
  using input = inputOf(recording);
  const sounds = await input.getAudioTracks();
  const sound = (await chooseTracks(sounds, isCopied, recording.size, onProgress))[0] ?? sounds[0];
  const [picture] = await input.getVideoTracks();
  const longest = picture ?? sound;
  if (!longest) return { type: 'unreadable', reason: 'it has no tracks' };
  const lengthOf = async (track: InputTrack) => {
    const stated = counted ?? lengthIn(await input.getDurationFromMetadata([track]));
    if (stated > 0) return stated;
    return (await measurePackets({ track, bytes: recording.size, duration: undefined }, onProgress)).end;
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

/** The most samples in a packet, and the most bytes for so many: some readers find several in what a file calls one. */
const mostInPacket: Partial<Readonly<Record<AudioCodec, { readonly samples: number; readonly bytes: number }>>> = {
  aac: { samples: 2048, bytes: 6144 },
  mp3: { samples: 1152, bytes: 2881 },
  opus: { samples: 5760, bytes: 61_200 },
  vorbis: { samples: 8192, bytes: 65_536 },
  ac3: { samples: 1536, bytes: 3840 },
  eac3: { samples: 1536, bytes: 4096 },
  dts: { samples: 4096, bytes: 16_384 },
};

/** Returns an upper bound of the duration of packets, whatever their times say. */
async function mostSeconds(
  track: InputAudioTrack,
  { bytes, count }: { readonly bytes: number; readonly count: number },
) {
  const codec = await track.getCodec();
  const most = codec && mostInPacket[codec];
  if (!most) return Number.POSITIVE_INFINITY;
  const rate = Math.min(Math.max(await track.getSampleRate(), minSampleRate), maxSampleRate);
  return (Math.max(count, bytes / most.bytes) * most.samples) / rate;
}

/** Bytes of a sample in a format without loss. A sample of at most 4 bytes is rarely compressed to a tenth. */
const compressedBytes = 0.4;
/** What MP4, QuickTime and Matroska call formats without loss that are not copied here. */
const otherLossless = ['alac', 'A_ALAC', 'A_TTA1', 'A_WAVPACK4', 'A_TRUEHD', 'A_MLP'];

/** Returns the bytes of a sample in a format without loss; undefined for any other. */
async function bytesPerSample(track: InputAudioTrack): Promise<number | undefined> {
  const codec = await track.getCodec();
  if (codec === 'flac' || otherLossless.includes(String(await track.getInternalCodecId()))) return compressedBytes;
  if (codec === 'alaw' || codec === 'ulaw') return 1;
  const bits = codec && /^pcm-[usf](\d+)/.exec(codec)?.[1];
  return bits ? Number(bits) / 8 : undefined;
}

/** Rate and channels are from the header, too, so they are limited to what real recordings have. */
const [minSampleRate, maxSampleRate, maxChannels] = [7350, 192_000, 8];

async function lowestBytesPerSecond(track: InputAudioTrack): Promise<number> {
  const bytes = await bytesPerSample(track);
  if (bytes === undefined) return speechBytesPerSecond;
  const rate = Math.min(await track.getSampleRate(), maxSampleRate);
  const channels = Math.min(await track.getNumberOfChannels(), maxChannels);
  return Math.max(speechBytesPerSecond, bytes * rate * channels);
}

/** Adds up the sizes and durations of all packets, and finds how long they last and when the last one ends. */
async function measurePackets(sound: Packets, onProgress: (share: number) => void) {
  let bytes = 0;
  let count = 0;
  let sum = 0;
  let start: number | undefined;
  let end = 0;
  for await (const packet of packetsOf(sound, false, onProgress)) {
    start ??= lengthIn(packet.timestamp);
    bytes += packet.byteLength;
    count++;
    sum += lengthIn(packet.duration);
    end = Math.max(end, lengthIn(packet.timestamp + packet.duration));
  }
  // There may be gaps between packets, and the times may start again.
  return { bytes, count, seconds: Math.max(sum, end - (start ?? 0)), end: Math.max(sum, end) };
}

type Packets = Pick<SoundTrack, 'bytes' | 'duration'> & {
  readonly track: InputTrack;
  readonly format?: SoundFormat;
};

/** Packets of one stream do not overlap so much, in seconds. */
const restartSeconds = 0.5;

/** Seconds of sound between progress reports. */
const progressSeconds = 30;

/**
 * Yields the packets of a track, in order.
 *
 * @param isDataNeeded whether to read the data, not only the size and time of packets
 * @throws Error for a damaged file that yields more bytes than it has
 */
export async function* packetsOf(
  { track, format, bytes, duration = Number.POSITIVE_INFINITY }: Packets,
  isDataNeeded: boolean,
  onProgress: (share: number) => void,
) {
  let reported = Number.NEGATIVE_INFINITY;
  let read = 0;
  let end = Number.NEGATIVE_INFINITY;
  let shift = 0;
  const sink = new EncodedPacketSink(track);
  for await (const stored of sink.packets(undefined, undefined, { metadataOnly: !isDataNeeded })) {
    // In appended streams the times start again.
    if (stored.timestamp + shift < end - restartSeconds) shift = end - stored.timestamp;
    const packet = shift === 0 ? stored : stored.clone({ timestamp: stored.timestamp + shift });
    end = packet.timestamp + packet.duration;
    read += packet.byteLength;
    // Uncompressed sound may be read as larger samples than it is stored as, but never more than twice as large.
    if (read > 2 * bytes) throw new Error('the reader finds more sound than there is');
    if (packet.timestamp >= reported + progressSeconds) {
      reported = packet.timestamp;
      onProgress(Math.max(0, Math.min(1, packet.timestamp / duration)));
    }
    yield isDataNeeded ? held(packet, format) : packet;
  }
}

/** Returns a packet as its format holds it. */
export function held(packet: EncodedPacket, format: SoundFormat | undefined): EncodedPacket {
  return format?.holds ? packet.clone({ data: format.holds.of(packet.data) }) : packet;
}

/** A packet that claims to last so much longer than it is heard has a gap behind it. In seconds. */
const longerSeconds = 0.05;
/** Packets that end so much before 0 do not prepare the decoder: an edit has left them out. In seconds. */
const preparing = 0.5;

/** A packet at its steady time, which has no gaps. */
export interface SteadyPacket {
  readonly packet: EncodedPacket;
  /** Its time in the recording, and when it ends there. In seconds. */
  readonly plays: number;
  readonly end: number;
  /** How long it is heard. */
  readonly seconds: number;
}

/** Yields the packets that are heard of a track, in order, without the gaps between them. */
export async function* steadyPackets(
  sound: SoundTrack,
  isDataNeeded: boolean,
  onProgress: (share: number) => void,
): AsyncGenerator<SteadyPacket> {
  const config = await sound.track.getDecoderConfig();
  if (!config) throw new Error('the file has no decoder configuration for its sound');
  const heard = heardSeconds(sound.codec, config);
  const time = new SteadyTime();
  for await (const packet of packetsOf(sound, isDataNeeded || heard.needsData, onProgress)) {
    const { timestamp: plays, duration } = packet;
    const end = plays + duration;
    if (end < -preparing) continue;
    const seconds = heard.of(packet);
    const timestamp = time.next(plays, seconds);
    const isLong = duration > seconds + longerSeconds;
    const isAsItIs = timestamp === plays && !isLong;
    const steady = isAsItIs ? packet : packet.clone({ timestamp, ...(isLong ? { duration: seconds } : {}) });
    yield { packet: steady, plays, end, seconds };
  }
}

/** Writes packets of a track into a file whose time starts at the first packet. */
export class SoundWriter {
  readonly #output: Output;
  readonly #source: EncodedAudioPacketSource;
  readonly #file: string;
  readonly #config: AudioDecoderConfig;
  readonly #clock = new ClockMaker();
  #first: number | undefined;
  #start = 0;
  #end = 0;
  #seconds = 0;
  #setup: string | undefined;

  private constructor({ codec, format }: SoundTrack, file: string, config: AudioDecoderConfig) {
    this.#file = file;
    this.#config = format.holds ? { ...config, codec } : config;
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

  async add({ packet, plays, end, seconds }: SteadyPacket): Promise<void> {
    const setup = setupOf(packet.data, this.#config.codec);
    this.#setup ??= setup;
    // One file has one form, and a player would not hear what follows.
    if (setup !== this.#setup) throw new Error(`its form changes at ${plays.toFixed(1)} s`);
    // Packets with negative times only prepare the decoder.
    if (this.#first === undefined) this.#start = Math.max(0, plays);
    this.#first ??= packet.timestamp;
    this.#end = end;
    this.#seconds += seconds;
    this.#clock.add(packet.timestamp, plays);
    const moved = packet.clone({ timestamp: Math.max(0, packet.timestamp - this.#first) });
    await this.#source.add(moved, { decoderConfig: this.#config });
  }

  async finish(): Promise<SoundPart> {
    await this.#output.finalize();
    const { size: bytes } = await stat(this.#file);
    const { clock } = this.#clock;
    return { file: this.#file, bytes, start: this.#start, end: this.#end, seconds: this.#seconds, clock };
  }
}

/** Returns the decoder settings that a packet itself has; undefined if they are only in the container. */
function setupOf(data: Uint8Array, codec: string): string | undefined {
  if (codec === 'mp3') return mpegFormat.read(data, 0)?.setup;
  return codec.startsWith('mp4a') ? adtsFormat.read(data, 0)?.setup : undefined;
}
