import { stat } from 'node:fs/promises';
import type { AudioCodec, EncodedPacket, InputAudioTrack, OutputFormat } from 'mediabunny';
import {
  ADTS,
  CustomSource,
  EncodedAudioPacketSource,
  EncodedPacketSink,
  FilePathTarget,
  FLAC,
  FlacOutputFormat,
  Input,
  MATROSKA,
  MP3,
  MP4,
  MPEG_TS,
  Mp3OutputFormat,
  Mp4OutputFormat,
  OGG,
  OggOutputFormat,
  Output,
  QTFF,
  WAVE,
  WavOutputFormat,
  WEBM,
} from 'mediabunny';
import type { RecordingFile } from './RecordingFile.ts';
import type { SoundPart } from './readRecording.ts';

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
  | { readonly type: 'track'; readonly sound: SoundTrack; readonly hasPicture: boolean }
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

const containers = [MP4, QTFF, MATROSKA, WEBM, MP3, WAVE, OGG, FLAC, ADTS, MPEG_TS];

/** Opens a recording to copy its sound, without decoding it. */
export async function openSound<T>(
  recording: RecordingFile,
  work: (opened: OpenedSound) => Promise<T> | T,
): Promise<T> {
  const source = new CustomSource({
    getSize: () => recording.size,
    read: async (start, end) => {
      const memory = new Uint8Array(end - start);
      await recording.read(memory, start);
      return memory;
    },
    maxCacheSize: 2 ** 20,
    prefetchProfile: 'fileSystem',
  });
  using input = new Input({ source, formats: containers });
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
  return await work({ type: 'track', sound: { track, codec, format, duration, bytes }, hasPicture });
}

/** Seconds of sound between progress reports. */
const progressSeconds = 30;

/**
 * Yields the packets of a track, in order.
 *
 * @param isDataNeeded whether to read the data, not only the size and time of packets
 * @throws Error for a damaged file that yields more bytes than it has
 */
export async function* packetsOf(
  { track, bytes, duration = Number.POSITIVE_INFINITY }: SoundTrack,
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
