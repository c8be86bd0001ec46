import { readFile } from 'node:fs/promises';
import type { WasmMediaEncoder } from 'wasm-media-encoders';
// Statically, so that the bundle leaves out the encoders which the package carries as text.
import { createEncoder } from 'wasm-media-encoders';

/**
 * LAME, a new one for every file.
 *
 * Its licence, the LGPL, wants that anybody can replace it by a LAME of their own: so it is never bundled, but read from
 * a file of its own.
 */
export async function loadMp3Encoder(): Promise<WasmMediaEncoder<'audio/mpeg'>> {
  return createEncoder('audio/mpeg', await readLame());
}

async function readLame(): Promise<Uint8Array> {
  try {
    // Where the build puts it: beside the code.
    return await readFile(new URL('lame-mp3.wasm', import.meta.url));
  } catch {
    return readFile(new URL(import.meta.resolve('wasm-media-encoders/wasm/mp3')));
  }
}
