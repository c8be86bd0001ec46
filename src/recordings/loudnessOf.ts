import type { AudioCodec, EncodedPacket } from 'mediabunny';

/** How loud a packet is, in a unit of its codec. */
export interface Loudness {
  readonly isDataNeeded: boolean;
  of(packet: EncodedPacket): number;
}

/**
 * How loud packets are, told without decoding: by the samples where there are such, by the bits that MP3 frames use of
 * their room, else by size. Encoders of a variable bit rate spend few bytes on silence; where all packets are of one
 * size, it tells nothing.
 */
export function loudnessFor(codec: AudioCodec): Loudness {
  const sample = samples[codec];
  if (sample) return { isDataNeeded: true, of: ({ data }) => meanOf(data, sample) };
  if (codec === 'mp3') return { isDataNeeded: true, of: ({ data }) => mp3Bits(data) };
  return { isDataNeeded: false, of: ({ byteLength, duration }) => byteLength / Math.max(duration, 0.001) };
}

interface Sample {
  readonly bytes: number;
  read(view: DataView, offset: number): number;
}

const samples: Partial<Readonly<Record<AudioCodec, Sample>>> = {
  'pcm-u8': { bytes: 1, read: (view, offset) => (view.getUint8(offset) - 128) / 128 },
  'pcm-s16': { bytes: 2, read: (view, offset) => view.getInt16(offset, true) / 2 ** 15 },
  // The two upper bytes tell enough.
  'pcm-s24': { bytes: 3, read: (view, offset) => view.getInt16(offset + 1, true) / 2 ** 15 },
  'pcm-s32': { bytes: 4, read: (view, offset) => view.getInt32(offset, true) / 2 ** 31 },
  'pcm-f32': { bytes: 4, read: (view, offset) => view.getFloat32(offset, true) },
};
/** Every so many samples one is looked at; a prime, so that all channels are. */
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
 * The bits that a frame uses (`part2_3_length` of ISO 11172-3, 2.4.1.7), which in a file of a constant bit rate is less
 * than it has in silence. The size of frames of other layers.
 */
function mp3Bits(data: Uint8Array): number {
  const [, second = 0, , fourth = 0] = data;
  const isLayer3 = ((second >> 1) & 3) === 1;
  if (!isLayer3 || data.length < 40) return data.length * 8;
  const isVersion1 = ((second >> 3) & 3) === 3;
  const channels = fourth >> 6 === 3 ? 1 : 2;
  const side = (second & 1 ? 4 : 6) * 8;
  // Behind main_data_begin, private bits and, in version 1, four bits of scfsi for each channel.
  const first = isVersion1 ? side + (channels === 1 ? 18 : 20) : side + (channels === 1 ? 9 : 10);
  const granule = isVersion1 ? 59 : 63;
  const granules = (isVersion1 ? 2 : 1) * channels;
  let sum = 0;
  for (let index = 0; index < granules; index++) sum += bitsAt(data, first + index * granule, 12);
  return sum;
}

function bitsAt(data: Uint8Array, offset: number, count: number): number {
  let value = 0;
  for (let bit = offset; bit < offset + count; bit++) {
    value = value * 2 + (((data[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1);
  }
  return value;
}
