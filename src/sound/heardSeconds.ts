import type { AudioCodec, EncodedPacket } from 'mediabunny';
import { adtsFormat, mpegFormat } from './frames.ts';

/** Returns how long decoders hear a packet, in seconds. Containers count a gap behind it as a part of it. */
export type HeardSeconds = (packet: EncodedPacket) => number;

/** Matroska counts in milliseconds. */
const rounding = 0.002;
/** Samples per frame of AAC: 1,024, or 960 if its settings say so. */
const aacSamples = [1024, 960] as const;

/**
 * Returns a function that tells how long packets are.
 *
 * @param needsData whether it reads the data of packets, not only their sizes and times
 */
export function heardSeconds(
  codec: AudioCodec,
  { sampleRate, numberOfChannels, description }: AudioDecoderConfig,
): { readonly needsData: boolean; readonly of: HeardSeconds } {
  const setup = description && bytesOf(description);
  // Durations are rounded, and their sum is exact, so those that fit are kept.
  const atMost = (samples: number): HeardSeconds => {
    const most = samples / sampleRate;
    return ({ duration }) => (duration > 0 && duration < most + rounding ? duration : most);
  };
  const width = /^pcm-[usf](\d+)/.exec(codec)?.[1] ?? (codec === 'alaw' || codec === 'ulaw' ? '8' : undefined);
  if (width !== undefined) {
    const bytesPerSecond = (Number(width) / 8) * numberOfChannels * sampleRate;
    return { needsData: false, of: ({ byteLength }) => byteLength / bytesPerSecond };
  }
  switch (codec) {
    case 'opus':
      return { needsData: true, of: ({ data }) => opusSeconds(data) };
    case 'mp3':
      return { needsData: true, of: ({ data, duration }) => mpegFormat.read(data, 0)?.seconds ?? duration };
    case 'aac': {
      const frame = setup && aacFrameSeconds(setup);
      // Only frames with headers of their own come without settings.
      if (frame === undefined) {
        return { needsData: true, of: ({ data, duration }) => adtsFormat.read(data, 0)?.seconds ?? duration };
      }
      return { needsData: false, of: () => frame };
    }
    case 'flac':
      // The largest block: RFC 9639, 8.2, behind the mark and the header of the block.
      return { needsData: false, of: atMost(setup && setup.length >= 12 ? setup.readUInt16BE(10) : 65_535) };
    case 'vorbis':
      return { needsData: false, of: atMost(setup ? vorbisSamples(setup) : 4096) };
    default:
      return { needsData: false, of: ({ duration }) => duration };
  }
}

function bytesOf(description: NonNullable<AudioDecoderConfig['description']>): Buffer {
  return ArrayBuffer.isView(description)
    ? Buffer.from(description.buffer, description.byteOffset, description.byteLength)
    : Buffer.from(description);
}

/** Returns the duration of an Opus packet: RFC 6716, 3.1. */
function opusSeconds([head = 0, count = 0]: Uint8Array): number {
  const config = head >> 3;
  const frame =
    config < 12
      ? ([0.01, 0.02, 0.04, 0.06][config & 3] ?? 0)
      : config < 16
        ? [0.01, 0.02][config & 1]
        : [0.0025, 0.005, 0.01, 0.02][config & 3];
  const frames = [1, 2, 2, count & 63][head & 3] ?? 1;
  return frames * (frame ?? 0);
}

const aacRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];

/**
 * Returns the duration of a frame, from the settings of AAC: ISO 14496-3, 1.6.2.1. The first rate is that of the frames,
 * also where the decoder doubles it.
 */
function aacFrameSeconds(setup: Buffer): number | undefined {
  if (setup.length < 2) return undefined;
  const bits = setup.readUInt16BE(0);
  const rate = aacRates[(bits >> 7) & 15];
  // Uncommon types and rates have longer settings.
  if (rate === undefined || bits >> 11 === 31) return undefined;
  // With SBR, there is another rate and type before the flag.
  const isPlain = bits >> 11 === 2;
  return (isPlain ? (aacSamples[(bits >> 2) & 1] ?? 1024) : 1024) / rate;
}

/** Returns the samples of a long block that are heard, half of it: Vorbis I, 4.2.2, in a private header of Matroska. */
function vorbisSamples(setup: Buffer): number {
  const at = setup.indexOf('\x01vorbis', 0, 'latin1');
  const sizes = at < 0 ? undefined : setup[at + 28];
  return sizes === undefined ? 4096 : 2 ** (sizes >> 4) / 2;
}
