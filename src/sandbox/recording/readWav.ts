import type { FileHandle } from 'node:fs/promises';
import { software } from '../speech/writeWavHeader.ts';

export interface WavFacts {
  readonly channels: number;
  /** Per second. */
  readonly sampleRate: number;
  /** Seconds. */
  readonly duration: number;
  /** What was spoken, when the sandbox made the file. */
  readonly text: string | undefined;
}

const mostChunks = 200;
const largestInfo = 1_000_000;

/** Reads a WAV file's chunks. Undefined when it has no format or no samples. */
export async function readWav(file: FileHandle): Promise<WavFacts | undefined> {
  const { size } = await file.stat();
  let format: Buffer | undefined;
  let text: string | undefined;
  let offset = 12;
  for (let count = 0; count < mostChunks && offset + 8 <= size; count++) {
    const head = await read(file, offset, 8);
    const id = head.toString('latin1', 0, 4);
    const length = head.readUInt32LE(4);
    const available = Math.min(length, size - offset - 8);
    if (id === 'fmt ' && available >= 16) format = await read(file, offset + 8, 16);
    if (id === 'LIST' && available <= largestInfo) text = textOf(await read(file, offset + 8, available)) ?? text;
    if (id === 'data' && format) return factsOf(format, available, text);
    offset += 8 + length + (length % 2);
  }
  return undefined;
}

function factsOf(format: Buffer, bytes: number, text: string | undefined): WavFacts | undefined {
  const bytesPerSecond = format.readUInt32LE(8);
  if (bytesPerSecond === 0) return undefined;
  return {
    channels: format.readUInt16LE(2),
    sampleRate: format.readUInt32LE(4),
    duration: bytes / bytesPerSecond,
    text,
  };
}

function textOf(list: Buffer): string | undefined {
  if (list.toString('latin1', 0, 4) !== 'INFO') return undefined;
  const entries = new Map<string, string>();
  let offset = 4;
  while (offset + 8 <= list.length) {
    const length = list.readUInt32LE(offset + 4);
    const value = list.subarray(offset + 8, offset + 8 + length);
    entries.set(list.toString('latin1', offset, offset + 4), value.toString('utf8').replace(/\0$/, ''));
    offset += 8 + length + (length % 2);
  }
  return entries.get('ISFT') === software ? entries.get('ICMT') : undefined;
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}
