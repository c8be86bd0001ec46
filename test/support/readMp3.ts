import assert from 'node:assert/strict';

export interface Mp3Facts {
  /** The ID3v2 tag in front, empty where there is none. */
  readonly tag: Buffer;
  readonly frames: number;
  readonly seconds: number;
  /** Of each frame: sample rate, channels, bits per second. */
  readonly heads: ReadonlySet<string>;
}

/**
 * Reads a file that contains only frames of layer III after an optional tag. Every byte must belong to a frame, and no
 * frame may announce a length. Follows the tables of ISO 11172-3 and 13818-3, independently of the extension.
 */
export function readMp3(file: Buffer): Mp3Facts {
  const tag = tagOf(file);
  const heads = new Set<string>();
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
    const bitRate = kilobits(isFirstVersion, rate) * 1000;
    const length = Math.floor(((samples / 8) * bitRate) / sampleRate) + Number(padding);
    assert(length > 20, `frame at ${offset}`);
    assert(offset + length <= file.length, `the frame at ${offset} is cut off`);
    const text = file.toString('latin1', offset, offset + 64);
    assert(!/Xing|Info|VBRI/.test(text), `the frame at ${offset} tells a length`);
    heads.add(`${sampleRate} ${mode === '11' ? 1 : 2} ${bitRate}`);
    frames++;
    seconds += samples / sampleRate;
    offset += length;
  }
  return { tag, frames, seconds, heads };
}

/** Returns the text frames of the ID3v2.4 tag of a file, by name, without the encoding byte. */
export function textsIn(file: Buffer): Readonly<Record<string, string>> {
  const tag = tagOf(file);
  assert.equal(tag.toString('latin1', 0, 6), 'ID3\x04\0\0');
  const texts: Record<string, string> = {};
  for (let offset = 10; offset < tag.length; ) {
    const end = offset + 10 + syncSafe(tag, offset + 4);
    assert(end <= tag.length);
    assert.equal(tag[offset + 10], 3, 'UTF-8');
    texts[tag.toString('latin1', offset, offset + 4)] = tag.toString('utf8', offset + 11, end);
    offset = end;
  }
  return texts;
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

function tagOf(file: Buffer): Buffer {
  if (file.toString('latin1', 0, 3) !== 'ID3') return Buffer.alloc(0);
  const footer = ((file[5] ?? 0) & 16) === 16 ? 10 : 0;
  return file.subarray(0, 10 + syncSafe(file, 6) + footer);
}

function syncSafe(bytes: Buffer, offset: number): number {
  let length = 0;
  for (const byte of bytes.subarray(offset, offset + 4)) {
    assert(byte < 0x80);
    length = length * 128 + byte;
  }
  return length;
}
