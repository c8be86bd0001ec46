import { crc32 } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Parts of a PNG with 8 bits per sample. */
export interface PngParts {
  readonly width: number;
  readonly height: number;
  /** 0: grey, 2: RGB, 4: grey and alpha, 6: RGBA. */
  readonly colourType: 0 | 2 | 4 | 6;
  /** Type and content of the chunks before the pixels. */
  readonly extras: readonly (readonly [string, Uint8Array])[];
  /** The filtered rows, deflated. */
  readonly pixels: Uint8Array;
}

export function pngFile({ width, height, colourType, extras, pixels }: PngParts): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, colourType], 8);
  const chunks = [['IHDR', header] as const, ...extras, ['IDAT', pixels] as const, ['IEND', Buffer.alloc(0)] as const];
  return Buffer.concat([signature, ...chunks.map(([type, content]) => chunkOf(type, content))]);
}

function chunkOf(type: string, content: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(content.length, 0);
  framed.set(named, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}
