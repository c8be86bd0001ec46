import assert from 'node:assert/strict';

export interface Mp3Frames {
  readonly frames: number;
  readonly seconds: number;
  /** The ID3v2 tag in front, empty where there is none. */
  readonly tag: Buffer;
}

/**
 * Counts the frames of a file that contains only frames after an optional tag. Every byte must belong to a frame, and
 * no frame may announce a length. Follows the tables of ISO 11172-3 and 13818-3, independently of the extension.
 */
export function countMp3Frames(file: Buffer): Mp3Frames {
  const tag = readTag(file);
  let frames = 0;
  let seconds = 0;
  for (let offset = tag.length; offset < file.length; ) {
    const bits = [...file.subarray(offset, offset + 4)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
    const [, sync, version = '', layer, rate = '', frequency = '', padding, , , mode] =
      /^(1{11})(..)(..).(....)(..)(.)(.)()(..)/.exec(bits) ?? [];
    assert(sync && layer === '01' && mode, `no frame of layer III at ${offset}`);
    const isFirstVersion = version === '11';
    const sampleRate = ([44_100, 48_000, 32_000][Number.parseInt(frequency, 2)] ?? 0) / divisor(version);
    const samples = isFirstVersion ? 1152 : 576;
    const length = Math.floor(((samples / 8) * kilobits(isFirstVersion, rate) * 1000) / sampleRate) + Number(padding);
    assert(length > 20, `frame at ${offset}`);
    assert(offset + length <= file.length, `the frame at ${offset} is cut off`);
    const text = file.toString('latin1', offset, offset + 64);
    assert(!/Xing|Info|VBRI/.test(text), `the frame at ${offset} tells a length`);
    frames++;
    seconds += samples / sampleRate;
    offset += length;
  }
  return { frames, seconds, tag };
}

function divisor(version: string): number {
  const divisors: Readonly<Record<string, number>> = { '11': 1, '10': 2, '00': 4 };
  return divisors[version] ?? Number.NaN;
}

function kilobits(isFirstVersion: boolean, index: string): number {
  const first = '32 40 48 56 64 80 96 112 128 160 192 224 256 320';
  const second = '8 16 24 32 40 48 56 64 80 96 112 128 144 160';
  return Number((isFirstVersion ? first : second).split(' ')[Number.parseInt(index, 2) - 1]);
}

function readTag(file: Buffer): Buffer {
  if (file.toString('latin1', 0, 3) !== 'ID3') return Buffer.alloc(0);
  const [a = 0, b = 0, c = 0, d = 0] = file.subarray(6, 10);
  const footer = ((file[5] ?? 0) & 16) === 16 ? 10 : 0;
  return file.subarray(0, 10 + (a << 21) + (b << 14) + (c << 7) + d + footer);
}
