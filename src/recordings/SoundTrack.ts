import { stat } from 'node:fs/promises';
import type { AudioCodec, InputAudioTrack, OutputFormat } from 'mediabunny';
import {
  ADTS,
  EncodedPacketSink,
  FilePathSource,
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
  QTFF,
  WAVE,
  WavOutputFormat,
  WEBM,
} from 'mediabunny';

/** The file format that a codec is copied into: one that services take and that holds it as it is. */
interface SoundFormat {
  /** Without the dot. */
  readonly extension: string;
  readonly create: () => OutputFormat;
  /** About what the format needs for a packet beside its data, in bytes. */
  readonly bytesPerPacket: number;
}

/** The first sound track of a recording. */
export interface SoundTrack {
  readonly track: InputAudioTrack;
  readonly codec: AudioCodec;
  readonly format: SoundFormat;
  /** Seconds, as the file tells; undefined where it does not. */
  readonly duration: number | undefined;
  /** Size of the whole file, in bytes. */
  readonly bytes: number;
}

export type OpenedSound =
  | { readonly type: 'track'; readonly sound: SoundTrack; readonly hasPicture: boolean }
  | { readonly type: 'noSound' }
  | { readonly type: 'unreadable'; readonly reason: string };

/** Its index stands at the end: in front it would need all of it in memory, or a third more room. */
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

/** Opens a recording to copy its sound. Nothing is decoded. */
export async function openSound<T>(file: string, work: (opened: OpenedSound) => Promise<T> | T): Promise<T> {
  using input = new Input({ source: new FilePathSource(file, { maxCacheSize: 2 ** 20 }), formats: containers });
  if (!(await input.canRead())) return await work({ type: 'unreadable', reason: 'its container is not known' });
  const tracks = await input.getTracks();
  const hasPicture = tracks.some((one) => one.isVideoTrack());
  const track = tracks.find((one) => one.isAudioTrack());
  // A file that breaks off may show no track at all.
  if (!track) return await work(hasPicture ? { type: 'noSound' } : { type: 'unreadable', reason: 'it has no tracks' });
  const codec = await track.getCodec();
  const format = codec ? formats[codec] : undefined;
  if (!codec || !format) {
    const name = codec ?? (await track.getCodecParameterString()) ?? 'unknown';
    return await work({ type: 'unreadable', reason: `its codec (${name}) fits no file that services take` });
  }
  const duration = (await input.getDurationFromMetadata([track])) ?? undefined;
  const { size: bytes } = await stat(file);
  return await work({ type: 'track', sound: { track, codec, format, duration, bytes }, hasPicture });
}

/** How often progress is told, in seconds of sound. */
const progressEvery = 30;

/**
 * The packets of a track, in order.
 *
 * @param isDataNeeded whether more than their size and time is needed
 * @throws Error for a file that gives more bytes than it has
 */
export async function* packetsOf(
  { track, bytes, duration = Number.POSITIVE_INFINITY }: SoundTrack,
  isDataNeeded: boolean,
  onProgress: (share: number) => void,
) {
  let told = Number.NEGATIVE_INFINITY;
  let read = 0;
  const sink = new EncodedPacketSink(track);
  for await (const packet of sink.packets(undefined, undefined, { metadataOnly: !isDataNeeded })) {
    read += packet.byteLength;
    // Sound without compression may be stored as larger samples than it is read as, but never twice as large.
    if (read > 2 * bytes) throw new Error('the reader finds more sound than there is');
    if (packet.timestamp >= told + progressEvery) {
      told = packet.timestamp;
      onProgress(Math.max(0, Math.min(1, packet.timestamp / duration)));
    }
    yield packet;
  }
}
