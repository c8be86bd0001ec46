import assert from 'node:assert/strict';

export interface Mp3Facts {
  /** Text frames of the ID3v2.4 tag before the sound, by name, without the encoding byte. */
  readonly tag: Readonly<Record<string, string>>;
  readonly frames: number;
  readonly sampleRate: number;
  readonly channels: number;
  /** Seconds. */
  readonly duration: number;
}

const kilobits = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const sampleRates = [22_050, 24_000, 16_000];

/** Reads an MP3 file of MPEG 2 layer 3 frame by frame: every byte must belong to the tag or to a frame. */
export function readMp3(file: Buffer): Mp3Facts {
  assert.equal(file.toString('latin1', 0, 6), 'ID3\x04\0\0');
  let offset = 10 + syncSafe(file, 6);
  const tag = readTag(file.subarray(10, offset));
  const heads = new Set<string>();
  let frames = 0;
  while (offset < file.length) {
    const [first = 0, second = 0, third = 0, fourth = 0] = file.subarray(offset, offset + 4);
    // MPEG 2, layer 3, with or without a checksum.
    assert(first === 0xff && second >> 1 === 0b1111001, `no frame at ${offset}`);
    const rate = sampleRates[(third >> 2) & 3] ?? 0;
    const bits = (kilobits[third >> 4] ?? 0) * 1000;
    heads.add(`${rate} ${bits} ${fourth >> 6}`);
    offset += Math.floor((72 * bits) / rate) + ((third >> 1) & 1);
    frames++;
  }
  assert.equal(offset, file.length, 'the last frame is whole');
  assert.equal(heads.size, 1, [...heads].join('; '));
  const [sampleRate = 0, , mode] = [...heads][0]?.split(' ').map(Number) ?? [];
  return { tag, frames, sampleRate, channels: mode === 3 ? 1 : 2, duration: (frames * 576) / sampleRate };
}

function readTag(bytes: Buffer): Record<string, string> {
  const tag: Record<string, string> = {};
  let offset = 0;
  while (offset < bytes.length) {
    const length = syncSafe(bytes, offset + 4);
    assert.equal(bytes[offset + 10], 3, 'UTF-8');
    tag[bytes.toString('latin1', offset, offset + 4)] = bytes.toString('utf8', offset + 11, offset + 10 + length);
    offset += 10 + length;
  }
  assert.equal(offset, bytes.length);
  return tag;
}

function syncSafe(bytes: Buffer, offset: number): number {
  let length = 0;
  for (const byte of bytes.subarray(offset, offset + 4)) {
    assert(byte < 0x80);
    length = length * 128 + byte;
  }
  return length;
}
