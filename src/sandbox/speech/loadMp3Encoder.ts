import { readFile } from 'node:fs/promises';
import type { WasmMediaEncoder } from 'wasm-media-encoders';
// A static import, so that the bundle leaves out the encoders that the package contains as text.
import { createEncoder } from 'wasm-media-encoders';

/**
 * Creates a LAME encoder; every file needs a new one.
 *
 * LAME's licence, the LGPL, requires that users can replace it with their own build. So it is not bundled but read from
 * a separate file.
 */
export async function loadMp3Encoder(): Promise<WasmMediaEncoder<'audio/mpeg'>> {
  return createEncoder('audio/mpeg', await readLame());
}

async function readLame(): Promise<Uint8Array> {
  try {
    // The build copies it next to the code.
    return await readFile(new URL('lame-mp3.wasm', import.meta.url));
  } catch {
    return readFile(new URL(import.meta.resolve('wasm-media-encoders/wasm/mp3')));
  }
}
