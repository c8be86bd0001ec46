import type { FileHandle } from 'node:fs/promises';
import { chunkHead } from '../marks/containers.ts';

const maxChunks = 10_000;

/** Yields the chunks of a WAV file, or of several concatenated ones. @param from position of the first header */
export async function* wavChunks(
  file: FileHandle,
  from = 0,
): AsyncGenerator<{
  /** Four characters; `WAVE` for the header before the chunks of a file. */
  readonly id: string;
  /** Position of the content in the file. */
  readonly start: number;
  /** Length that the chunk claims. */
  readonly length: number;
}> {
  let offset = from;
  for (let count = 0; count < maxChunks; count++) {
    const head = await readBytes(file, offset, 12);
    if (head.length < 8) return;
    const { id, length, padded } = chunkHead(head);
    const start = offset + 8;
    const isHeader = id === 'RIFF' && head.toString('latin1', 8, 12) === 'WAVE';
    yield { id: isHeader ? 'WAVE' : id, start, length };
    offset = isHeader ? offset + 12 : start + padded;
  }
}

export interface WavFormat {
  /** Format tag; 1 is PCM. For the extensible format, the actual one. */
  readonly coding: number;
  readonly channels: number;
  readonly sampleRate: number;
  readonly bytesPerSecond: number;
  /** Size of one sample of all channels, in bytes. */
  readonly blockLength: number;
  /** Bits per sample. */
  readonly bits: number;
}

const extensible = 0xfffe;

/** @param content of the `fmt ` chunk */
export function readWavFormat(content: Buffer): WavFormat | undefined {
  if (content.length < 16) return undefined;
  const tag = content.readUInt16LE(0);
  return {
    // The actual coding of the extensible format is at the start of its GUID.
    coding: tag === extensible && content.length >= 26 ? content.readUInt16LE(24) : tag,
    channels: content.readUInt16LE(2),
    sampleRate: content.readUInt32LE(4),
    bytesPerSecond: content.readUInt32LE(8),
    blockLength: content.readUInt16LE(12),
    bits: content.readUInt16LE(14),
  };
}

/** Reads bytes of a file. Returns fewer at its end, and none for a negative position. */
export async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  if (position < 0 || length <= 0) return Buffer.alloc(0);
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
