import { readFile } from 'node:fs/promises';
import type { Bitmap } from './Bitmap.ts';
import { locateWasm } from './locateWasm.ts';

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
