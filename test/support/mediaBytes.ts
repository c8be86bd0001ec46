import { crc32, deflateSync } from 'node:zlib';

/** The smallest files of their types that a strict reader accepts, built byte by byte. */

/** A PNG of one red pixel. */
export const pngBytes = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  pngChunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])),
  pngChunk('IDAT', deflateSync(Buffer.from([0, 255, 0, 0]))),
  pngChunk('IEND', Buffer.alloc(0)),
]);

/** Ten milliseconds of silence, 8 kHz mono. */
export const wavBytes = wavOf(Buffer.alloc(80, 0x80));

/** One MPEG-1 layer III frame of silence after an ID3 tag: 128 kbit/s, 44.1 kHz. */
export const mp3Bytes = Buffer.concat([
  Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1'),
  Buffer.from([0xff, 0xfb, 0x90, 0x00]),
  Buffer.alloc(413),
]);

/** An MP4 with a file type box and an empty media box, enough to be recognised. */
export const mp4Bytes = Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isommp41\0\0\0\x08mdat', 'latin1');

/** A PNG of one pixel that unpacks to 100 MB. */
export function pngBomb(): Buffer {
  return Buffer.concat([
    pngBytes.subarray(0, 33),
    pngChunk('IDAT', deflateSync(Buffer.alloc(100_000_000))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(8 + body.length);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), 4 + body.length);
  return chunk;
}

/** A WAV file of 8-bit samples at 8 kHz. */
export function wavOf(samples: Buffer): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(8000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}
