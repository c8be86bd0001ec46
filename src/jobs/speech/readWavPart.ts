import type { FileHandle } from 'node:fs/promises';
import { readBytes } from './readBytes.ts';

export interface WavPart {
  readonly path: string;
  /** The content of the chunk `fmt `. */
  readonly format: Buffer;
  /** 1 is PCM; for the extensible format the one that it stands for. */
  readonly coding: number;
  /** Bytes of one sample of all channels. */
  readonly blockLength: number;
  /** Hz. */
  readonly sampleRate: number;
  /** The same for parts that can be put together. */
  readonly setup: string;
  /** Offsets of the first byte of the samples and the first behind them. */
  readonly start: number;
  readonly end: number;
}

const maxChunks = 1000;
const maxFormatBytes = 4096;
const extensible = 0xfffe;

/** Finds format and samples of a WAV file, in any order of chunks; undefined when it is none, or has none. */
export async function readWavPart(file: FileHandle, path: string): Promise<WavPart | undefined> {
  const { size } = await file.stat();
  const head = await readBytes(file, 0, 12);
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE') return undefined;
  const isTold = head.readUInt32LE(4) + 8 === size;
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
      // A service that streams does not know the length yet: 0, the largest number, or a guess beyond the end.
      const isOpen = length === 0 ? !isTold : start + length > size;
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
  // The extensible format's real coding is the beginning of a GUID behind the sizes.
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
    // Half a sample at the end would exchange the channels of all that follows.
    end: end - ((end - start) % blockLength),
  };
}
