import type { FileHandle } from 'node:fs/promises';
import { readBytes } from './readBytes.ts';

export interface WavPart {
  readonly path: string;
  /** Content of the `fmt ` chunk. */
  readonly format: Buffer;
  /** Format tag; 1 is PCM. For the extensible format, the actual one. */
  readonly coding: number;
  /** Size of one sample of all channels, in bytes. */
  readonly blockLength: number;
  /** Sample rate in Hz. */
  readonly sampleRate: number;
  /** Equal for parts that can be joined. */
  readonly setup: string;
  /** Byte range of the samples; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

const maxChunks = 1000;
const maxFormatBytes = 4096;
const extensible = 0xfffe;

/** Finds the format and samples of a WAV file, in any chunk order. Returns undefined when either is missing. */
export async function readWavPart(file: FileHandle, path: string): Promise<WavPart | undefined> {
  const { size } = await file.stat();
  const head = await readBytes(file, 0, 12);
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE') return undefined;
  const hasTrueSize = head.readUInt32LE(4) + 8 === size;
  let format: Buffer | undefined;
  let samples: { readonly start: number; readonly end: number } | undefined;
  let offset = 12;
  for (let count = 0; count < maxChunks && !(format && samples); count++) {
    const chunk = await readBytes(file, offset, 8);
    if (chunk.length < 8) break;
    const id = chunk.toString('latin1', 0, 4);
    const length = chunk.readUInt32LE(4);
    const start = offset + 8;
    if (id === 'fmt ') format = await readBytes(file, start, Math.min(length, maxFormatBytes));
    if (id === 'data') {
      // A streaming service does not know the length yet and writes 0, the maximum, or a guess beyond the end.
      const isOpen = length === 0 ? !hasTrueSize : start + length > size;
      samples = { start, end: isOpen ? size : start + length };
      if (isOpen) break;
    }
    offset = start + length + (length % 2);
  }
  return format && samples ? partOf(path, format, samples) : undefined;
}

function partOf(path: string, format: Buffer, { start, end }: { start: number; end: number }): WavPart | undefined {
  if (format.length < 16) return undefined;
  const tag = format.readUInt16LE(0);
  // The actual coding of the extensible format is at the start of its GUID.
  const coding = tag === extensible && format.length >= 26 ? format.readUInt16LE(24) : tag;
  const blockLength = format.readUInt16LE(12);
  const sampleRate = format.readUInt32LE(4);
  if (blockLength === 0 || sampleRate === 0) return undefined;
  const facts = { channels: format.readUInt16LE(2), sampleRate, bits: format.readUInt16LE(14) };
  return {
    path,
    format,
    coding,
    blockLength,
    sampleRate,
    setup: [coding, blockLength, ...Object.values(facts)].join(' '),
    start,
    // An incomplete sample at the end would swap the channels of the next part.
    end: end - ((end - start) % blockLength),
  };
}
