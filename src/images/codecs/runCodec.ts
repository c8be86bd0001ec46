import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { Bitmap } from './Bitmap.ts';
import type { DecodeLimits } from './pictureFile.ts';
import { checkSize, UnreadablePicture } from './pictureFile.ts';

/** Returns the URL of a library's WebAssembly. In a bundle, the file lies beside the code under its own name. */
function locateWasm(path: string): URL {
  const isBundled = extname(import.meta.url) !== '.ts';
  return new URL(isBundled ? `./${basename(path)}` : import.meta.resolve(path), import.meta.url);
}

/** RGBA as returned by a decoder. */
interface Decoded {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray | Uint8Array;
}

/** Options that start a decoder. */
interface DecoderOptions {
  readonly noInitialRun: true;
  readonly wasmBinary: Uint8Array;
  /** Replaced so that a decoder does not write to the console. */
  print(): void;
  printErr(): void;
}

export interface Decoder {
  readonly name: string;
  /** Path of its WebAssembly. */
  readonly wasm: string;
  init(options: DecoderOptions): Promise<void>;
  decode(file: ArrayBuffer): Promise<Decoded>;
}

/**
 * Runs a jSquash decoder. A new instance is started for each picture, because an instance never releases memory and a
 * damaged file can leave it in an undefined state.
 *
 * @throws UnreadablePicture
 */
export async function runDecoder(
  { name, wasm, init, decode }: Decoder,
  bytes: Uint8Array,
  size: { readonly width: number; readonly height: number },
  limits: DecodeLimits,
): Promise<Bitmap> {
  checkSize(size.width, size.height, limits, 4);
  const wasmBinary = await readFile(locateWasm(wasm));
  const file = new ArrayBuffer(bytes.byteLength);
  new Uint8Array(file).set(bytes);
  try {
    await init({ noInitialRun: true, wasmBinary, print: () => undefined, printErr: () => undefined });
    const { width, height, data } = await decode(file);
    return { width, height, data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
  } catch {
    throw new UnreadablePicture('damaged', `holds a ${name} that cannot be read`);
  }
}

/** Options that start an encoder. */
interface EncoderOptions {
  readonly noInitialRun: true;
  readonly wasmBinary: ArrayBuffer;
  /** Replaced so that an encoder does not write to the console. */
  print(): void;
  printErr(): void;
}

export interface Encoder<Options> {
  /** Path of its WebAssembly. */
  readonly wasm: string;
  readonly start: (options: EncoderOptions) => Promise<{
    encode(data: Uint8Array<ArrayBuffer>, width: number, height: number, options: Options): Uint8Array | null;
  }>;
}

/** Runs a new instance of a jSquash encoder. @throws Error if it rejects the picture */
export async function runEncoder<Options>(
  { wasm, start }: Encoder<Options>,
  { width, height, data }: Bitmap,
  options: Options,
): Promise<Uint8Array> {
  const file = await readFile(locateWasm(wasm));
  const module = await start({
    noInitialRun: true,
    wasmBinary: new Uint8Array(file).buffer,
    print: () => undefined,
    printErr: () => undefined,
  });
  const encoded = module.encode(new Uint8Array(data), width, height, options);
  if (!encoded) throw new Error('the encoder refused the picture');
  // Copied, because it lies in the encoder's memory.
  return encoded.slice();
}
