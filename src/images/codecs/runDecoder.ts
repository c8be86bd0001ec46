import { readFile } from 'node:fs/promises';
import type { Bitmap } from './Bitmap.ts';
import { locateWasm } from './locateWasm.ts';
import { checkSize, UnreadablePicture } from './UnreadablePicture.ts';

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

export interface DecodeLimits {
  /** Maximum number of pixels; a larger picture is not decoded. */
  readonly maxPixels: number;
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
