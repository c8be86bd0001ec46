import type { FileHandle } from 'node:fs/promises';
import { readBytes, readWavFormat, type WavFormat, wavChunks } from '../../sound/wavFile.ts';
import { software } from '../speech/Sound.ts';

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
  /** Who spoke each of them. */
  readonly speakers: readonly string[];
  /** Byte ranges of the samples in the file. */
  readonly data: readonly { readonly start: number; readonly length: number }[];
}

const maxInfoBytes = 1_000_000;
const codecs: ReadonlyMap<number, string> = new Map([
  [1, 'PCM'],
  [2, 'ADPCM'],
  [3, 'floating point PCM'],
  [6, 'A-law'],
  [7, 'µ-law'],
  [0x11, 'ADPCM'],
]);

/** Reads a WAV file, or several concatenated ones. Returns undefined without a format or samples. */
export async function readWav(file: FileHandle): Promise<WavFacts | undefined> {
  const { size } = await file.stat();
  const spoken: SpokenText[] = [];
  const data: { readonly start: number; readonly length: number }[] = [];
  let format: WavFormat | undefined;
  for await (const { id, start, length: claimed } of wavChunks(file)) {
    const length = Math.min(claimed, size - start);
    if (id === 'fmt ') format ??= readWavFormat(await readBytes(file, start, Math.min(length, 26)));
    if (id === 'LIST' && length <= maxInfoBytes)
      spoken.push(...spokenTextsOfList(await readBytes(file, start, length)));
    if (id === 'data' && length > 0) data.push({ start, length });
  }
  const { coding = 0, bits = 0, channels, sampleRate, bytesPerSecond } = format ?? {};
  if (data.length === 0 || !channels || !sampleRate || !bytesPerSecond) return undefined;
  return {
    codec: codecs.get(coding) ?? 'an uncommon encoding',
    bits,
    channels,
    sampleRate,
    seconds: data.reduce((sum, { length }) => sum + length, 0) / bytesPerSecond,
    texts: spoken.map(({ text }) => text),
    speakers: spoken.map(({ speaker }) => speaker),
    data,
  };
}

/** A text that the sandbox spoke, and its voice. */
export interface SpokenText {
  readonly text: string;
  readonly speaker: string;
}

function spokenTextsOfList(list: Buffer): readonly SpokenText[] {
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
  return entries.get('ISFT') === software && text !== undefined
    ? [{ text, speaker: voiceOf(entries.get('IART')) }]
    : [];
}

/** Returns the voice that the label of a file names before its software. */
export function voiceOf(label = ''): string {
  return label.split(',')[0] ?? '';
}
