import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { checkSize } from './checkSize.ts';
import type { Picture } from './Picture.ts';
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

/**
 * Runs a decoder of the jSquash family. It is started anew for each picture: memory that it took is never given back,
 * and a damaged file leaves it in the middle of something.
 *
 * @throws UnreadablePicture
 */
export async function runDecoder(
  { name, wasm, init, decode }: Decoder,
  bytes: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<Picture> {
  checkSize(width, height);
  const wasmBinary = await readFile(locate(wasm));
  const file = new ArrayBuffer(bytes.byteLength);
  new Uint8Array(file).set(bytes);
  try {
    await init({ noInitialRun: true, wasmBinary, print: () => undefined, printErr: () => undefined });
    return flatten(await decode(file));
  } catch {
    throw new UnreadablePicture(`holds a ${name} that cannot be read`);
  }
}

/** In a bundle a library's WebAssembly lies beside the code, under its own name. */
function locate(path: string): URL {
  const bundled = extname(import.meta.url) !== '.ts';
  return new URL(bundled ? `./${basename(path)}` : import.meta.resolve(path), import.meta.url);
}

/** Puts what is transparent on white. */
function flatten({ width, height, data }: Decoded): Picture {
  const flat = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  for (let at = 0; at < flat.length; at += 4) {
    const share = (flat[at + 3] ?? 255) / 255;
    if (share === 1) continue;
    for (let channel = at; channel < at + 3; channel++)
      flat[channel] = 255 + ((flat[channel] ?? 0) - 255) * share + 0.5;
    flat[at + 3] = 255;
  }
  return { width, height, data: flat };
}
