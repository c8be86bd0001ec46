import { createHash } from 'node:crypto';

/** Returns a generator (sfc32) that yields the same numbers, 0 ≤ x < 1, for the same seed on every machine. */
export function seededRandom(seed: string): () => number {
  const hash = createHash('sha256').update(seed).digest();
  let a = hash.readInt32LE(0);
  let b = hash.readInt32LE(4);
  let c = hash.readInt32LE(8);
  let counter = 1;
  return () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
}
