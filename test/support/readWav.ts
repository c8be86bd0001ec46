import assert from 'node:assert/strict';

export interface WavContent {
  /** The content of `fmt `. */
  readonly format: Buffer;
  /** The samples. */
  readonly data: Buffer;
  /** Chunk names, in order. */
  readonly chunks: readonly string[];
}

/** Reads a WAV file and checks all its sizes. */
export function readWav(file: Buffer): WavContent {
  assert.equal(file.toString('latin1', 0, 4), 'RIFF');
  assert.equal(file.readUInt32LE(4), file.length - 8, 'size of RIFF');
  assert.equal(file.toString('latin1', 8, 12), 'WAVE');
  const found = new Map<string, Buffer>();
  let offset = 12;
  while (offset < file.length) {
    const length = file.readUInt32LE(offset + 4);
    assert(offset + 8 + length <= file.length, `chunk at ${offset}`);
    found.set(file.toString('latin1', offset, offset + 4), file.subarray(offset + 8, offset + 8 + length));
    offset += 8 + length + (length % 2);
  }
  assert.equal(offset, file.length);
  const [format, data] = [found.get('fmt '), found.get('data')];
  assert(format && data);
  return { format, data, chunks: [...found.keys()] };
}
