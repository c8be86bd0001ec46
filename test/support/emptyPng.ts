import { crc32, createDeflate } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const channelsOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 4: 2, 6: 4 };

export interface EmptyPng {
  readonly width: number;
  readonly height: number;
  /** Bits per sample; 8 by default. */
  readonly depth?: number;
  /** 0: grey (the default), 2: RGB, 4: grey and alpha, 6: RGBA. */
  readonly colourType?: 0 | 2 | 4 | 6;
  /** Chunks before the pixels. */
  readonly extras?: readonly Buffer[];
}

/** Returns a valid PNG whose samples are all zero: about a thousandth of its decoded size. */
export async function emptyPng({ width, height, depth = 8, colourType = 0, extras = [] }: EmptyPng): Promise<Buffer> {
  const rowLength = 1 + Math.ceil((width * depth * (channelsOf[colourType] ?? 1)) / 8);
  return pngOf(
    { width, height, depth, colourType, isInterlaced: false },
    extras,
    await deflateZeros(rowLength * height),
  );
}

export interface PngHeader {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colourType: number;
  readonly isInterlaced: boolean;
}

export function pngOf(header: PngHeader, extras: readonly Buffer[], pixels: Uint8Array): Buffer {
  const content = Buffer.alloc(13);
  content.writeUInt32BE(header.width, 0);
  content.writeUInt32BE(header.height, 4);
  content.set([header.depth, header.colourType, 0, 0, header.isInterlaced ? 1 : 0], 8);
  const end = pngChunk('IEND', Buffer.alloc(0));
  return Buffer.concat([signature, pngChunk('IHDR', content), ...extras, pngChunk('IDAT', pixels), end]);
}

export function pngChunk(type: string, content: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const chunk = Buffer.alloc(named.length + 8);
  chunk.writeUInt32BE(content.length, 0);
  chunk.set(named, 4);
  chunk.writeUInt32BE(crc32(named), named.length + 4);
  return chunk;
}

/** Deflates in pieces, because the rows of a large picture would fill the memory of the test. */
async function deflateZeros(length: number): Promise<Buffer> {
  const deflating = createDeflate();
  const zeros = Buffer.alloc(2 ** 20);
  const parts: Buffer[] = [];
  const writing = (async () => {
    for (let left = length; left > 0; left -= zeros.length) {
      const isReady = deflating.write(zeros.subarray(0, left));
      if (!isReady) await new Promise((resume) => deflating.once('drain', resume));
    }
    deflating.end();
  })();
  for await (const part of deflating) parts.push(part);
  await writing;
  return Buffer.concat(parts);
}
