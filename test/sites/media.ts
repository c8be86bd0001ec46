import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { encode } from 'fast-png';
import { mp3Frame } from '../support/mp3Bytes.ts';

// Real files, larger than the 10 kB below which bundlers put a file into the page itself.

const width = 90;
const mp3 = Buffer.concat(Array.from({ length: 60 }, () => mp3Frame({ sampleRate: 44_100, isMono: true })));
const mp4 = Buffer.concat([
  readFileSync(new URL('../support/recordings/mp4.mp4', import.meta.url)),
  // A box of unused space.
  Buffer.from('\0\0\x50\x08free', 'latin1'),
  Buffer.alloc(0x5000),
]);

/**
 * Writes a picture, a sound or a video, by the extension of its path. Bundlers keep one of several equal files, so each
 * ends with its path, which players ignore, and each picture shows something else.
 */
export async function writeMedia(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const bytes = path.endsWith('.mp3') ? mp3 : path.endsWith('.mp4') ? mp4 : png(path);
  await writeFile(path, Buffer.concat([bytes, Buffer.from(path)]));
}

/** Returns a picture of noise, which does not compress. */
function png(path: string): Uint8Array {
  const seed = createHash('sha256').update(path).digest().readUInt32LE();
  return encode({ width, height: width, channels: 3, data: noise(width * width * 3, seed) });
}

function noise(length: number, seed: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223;
    return state >>> 24;
  });
}
