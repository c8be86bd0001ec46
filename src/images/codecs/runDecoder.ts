import { readFile } from 'node:fs/promises';
import type { Bitmap } from './Bitmap.ts';
import { checkSize } from './checkSize.ts';
import { locateWasm } from './locateWasm.ts';
import { UnreadablePicture } from './UnreadablePicture.ts';

/** RGBA as a decoder gives it. */
interface Decoded {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray | Uint8Array;
}

/** What a decoder is started with. */
interface DecoderOptions {
  readonly noInitialRun: true;
  readonly wasmBinary: Uint8Array;
  /** A decoder must not write to the console. */
  print(): void;
  printErr(): void;
}

export interface Decoder {
  readonly name: string;
  /** Of its WebAssembly. */
  readonly wasm: string;
  init(options: DecoderOptions): Promise<void>;
  decode(file: ArrayBuffer): Promise<Decoded>;
}

export interface DecodeLimits {
  /** Pixels of the picture; a larger one is not decoded. */
  readonly maxPixels: number;
}

/**
 * Runs a decoder of the jSquash family. It is started anew for each picture: memory that it took is never given back,
 * and a damaged file leaves it in the middle of something.
 *
 * @throws UnreadablePicture
 */
export async function runDecoder(
  { name, wasm, init, decode }: Decoder,
  bytes: Uint8Array,
  size: { readonly width: number; readonly height: number },
  { maxPixels }: DecodeLimits,
): Promise<Bitmap> {
  checkSize(size.width, size.height, maxPixels);
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
