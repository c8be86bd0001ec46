import type { FileHandle } from 'node:fs/promises';
import { software } from '../speech/Sound.ts';

/** Reads `length` bytes, or fewer at the end of the file. */
export async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

export interface WavFacts {
  readonly codec: string;
  /** Bits per sample. */
  readonly bits: number;
  readonly channels: number;
  /** Samples per second. */
  readonly sampleRate: number;
  readonly seconds: number;
  /** Texts that the sandbox spoke, one for each of its files that were joined into this one. */
  readonly texts: readonly string[];
  /** Byte ranges of the samples in the file. */
  readonly data: readonly { readonly start: number; readonly length: number }[];
}

const maxChunks = 10_000;
const maxInfoBytes = 1_000_000;
const codecs: ReadonlyMap<number, string> = new Map([
  [1, 'PCM'],
  [2, 'ADPCM'],
  [3, 'floating point PCM'],
  [6, 'A-law'],
  [7, 'µ-law'],
  [0x11, 'ADPCM'],
]);

/**
 * Reads the chunks of a WAV file, or of several concatenated ones, of which mediabunny reads only the first. Returns
 * undefined without a format or samples.
 */
export async function readWav(file: FileHandle): Promise<WavFacts | undefined> {
  const { size } = await file.stat();
  const texts: string[] = [];
  const data: { readonly start: number; readonly length: number }[] = [];
  let format: Buffer | undefined;
  let offset = 0;
  for (let count = 0; count < maxChunks && offset + 8 <= size; count++) {
    const head = await readBytes(file, offset, 12);
    const id = head.toString('latin1', 0, 4);
    const start = offset + 8;
    const length = Math.min(head.readUInt32LE(4), size - start);
    if (id === 'RIFF' && head.toString('latin1', 8, 12) === 'WAVE') {
      offset += 12;
      continue;
    }
    if (id === 'fmt ' && length >= 16) format ??= await readBytes(file, start, Math.min(length, 26));
    if (id === 'LIST' && length <= maxInfoBytes) texts.push(...spokenTextsOfList(await readBytes(file, start, length)));
    if (id === 'data' && length > 0) data.push({ start, length });
    offset = start + length + (length % 2);
  }
  return format && factsOfFormat(format, data, texts);
}

function factsOfFormat(format: Buffer, data: WavFacts['data'], texts: readonly string[]): WavFacts | undefined {
  const extensible = format.readUInt16LE(0) === 0xfffe && format.length >= 26;
  const channels = format.readUInt16LE(2);
  const sampleRate = format.readUInt32LE(4);
  const bytesPerSecond = format.readUInt32LE(8);
  if (data.length === 0 || channels === 0 || sampleRate === 0 || bytesPerSecond === 0) return undefined;
  return {
    codec: codecs.get(format.readUInt16LE(extensible ? 24 : 0)) ?? 'an uncommon encoding',
    bits: format.readUInt16LE(14),
    channels,
    sampleRate,
    seconds: data.reduce((sum, { length }) => sum + length, 0) / bytesPerSecond,
    texts,
    data,
  };
}

function spokenTextsOfList(list: Buffer): readonly string[] {
  if (list.toString('latin1', 0, 4) !== 'INFO') return [];
  const entries = new Map<string, string>();
  let offset = 4;
  while (offset + 8 <= list.length) {
    const length = list.readUInt32LE(offset + 4);
    const value = list.subarray(offset + 8, offset + 8 + length);
    entries.set(list.toString('latin1', offset, offset + 4), value.toString('utf8').replace(/\0$/, ''));
    offset += 8 + length + (length % 2);
  }
  const text = entries.get('ICMT');
  return entries.get('ISFT') === software && text !== undefined ? [text] : [];
}
