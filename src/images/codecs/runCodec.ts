import { readFile } from 'node:fs/promises';
import type { Bitmap } from './Bitmap.ts';
import { checkSize, type DecodeLimits, type PictureSize, UnreadablePicture } from './pictureFile.ts';

/** What a codec exports; addresses are those of its memory. */
interface Codec {
  readonly memory: WebAssembly.Memory;
  /** @returns 0 if there is no memory left */
  allocate(length: number): number;
  /** Writes RGBA to `pixels`. @returns 0 if the file cannot be read or has another size */
  decode(file: number, length: number, pixels: number, width: number, height: number): number;
  /** @returns the length of the file that lies at `encoded()`, or 0 */
  encode(pixels: number, width: number, height: number, quality: number): number;
  encoded(): number;
}

/**
 * Starts a new instance of a codec for each picture, because an instance never releases memory and a damaged file can leave
 * it in an undefined state. It imports nothing, so all that it can reach is its own memory. In a bundle, its file lies beside
 * the code too.
 *
 * @param name `sources.json` says what it is made from
 */
export async function startCodec(name: `${'jpeg' | 'webp'}${'Decoder' | 'Encoder'}`): Promise<Codec> {
  const { instance } = await WebAssembly.instantiate(await readFile(new URL(`./${name}.wasm`, import.meta.url)));
  return instance.exports as unknown as Codec;
}

/** Copies bytes into a codec's memory. @returns their address */
function give({ memory, allocate }: Codec, bytes: Uint8Array): number {
  const address = reserve(allocate, bytes.length);
  new Uint8Array(memory.buffer).set(bytes, address);
  return address;
}

function reserve(allocate: Codec['allocate'], length: number): number {
  const address = allocate(length);
  if (address === 0) throw new Error('the codec has no memory left');
  return address;
}

/**
 * Decodes a picture as it is stored: a JPEG is not turned.
 *
 * @throws UnreadablePicture
 */
export async function runDecoder(
  format: 'jpeg' | 'webp',
  bytes: Uint8Array,
  { width, height }: PictureSize,
  limits: DecodeLimits,
): Promise<Bitmap> {
  checkSize(width, height, limits, 4);
  const codec = await startCodec(`${format}Decoder`);
  try {
    const file = give(codec, bytes);
    const length = width * height * 4;
    const pixels = reserve(codec.allocate, length);
    if (codec.decode(file, bytes.length, pixels, width, height) === 0) throw new Error('the decoder refused the file');
    return { width, height, data: new Uint8Array(codec.memory.buffer, pixels, length).slice() };
  } catch {
    const name = format === 'jpeg' ? 'JPEG' : 'WebP';
    throw new UnreadablePicture('damaged', `holds a ${name} that cannot be read`);
  }
}

/** Encodes a picture; a JPEG has no transparency. @throws Error if the encoder rejects it */
export async function runEncoder(
  format: 'jpeg' | 'webp',
  { width, height, data }: Bitmap,
  quality: number,
): Promise<Uint8Array> {
  const codec = await startCodec(`${format}Encoder`);
  const length = codec.encode(give(codec, data), width, height, quality);
  if (length === 0) throw new Error('the encoder refused the picture');
  return new Uint8Array(codec.memory.buffer, codec.encoded(), length).slice();
}
