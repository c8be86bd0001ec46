// music-metadata, not mediabunny, because a truncated FLAC makes mediabunny loop forever. Its channel count is wrong
// for MP4 and it does not read MPEG program streams: readAacChannels.ts and readMpegProgram.ts do.

import type { FileHandle } from 'node:fs/promises';
import { parseFromTokenizer } from 'music-metadata';
import { fromFile } from 'strtok3';
import { readAacChannels } from './readAacChannels.ts';
import type { SoundFacts } from './SoundFacts.ts';

/** Milliseconds; an hour of sound takes half a second. */
const maxReadMs = 10_000;

/**
 * Reads what a sound is from any container that music-metadata knows.
 *
 * @returns undefined when it is broken, has no sound or takes too long to look at
 * @throws the signal's reason when it aborts
 */
export async function readMediaFacts(
  path: string,
  file: FileHandle,
  signal: AbortSignal,
): Promise<SoundFacts | undefined> {
  const tokenizer = await fromFile(path);
  const end = AbortSignal.any([signal, AbortSignal.timeout(maxReadMs)]);
  const close = (): void => {
    // Its next read fails then, which is the only way to stop it.
    tokenizer.close().catch(() => undefined);
  };
  end.addEventListener('abort', close, { once: true });
  try {
    const { format } = await parseFromTokenizer(tokenizer, { skipCovers: true, duration: true });
    const { codec, duration, numberOfChannels: channels, sampleRate, bitrate } = format;
    if (!codec || !isPositive(duration) || !isPositive(channels) || !isPositive(sampleRate)) return undefined;
    const aacChannels = codec.includes('AAC') ? await readAacChannels(file) : undefined;
    return { codec, duration, channels: aacChannels ?? channels, sampleRate, bitrate };
  } catch {
    // Whatever it throws, also a TypeError, comes from bytes that it did not expect.
    signal.throwIfAborted();
    return undefined;
  } finally {
    end.removeEventListener('abort', close);
    await tokenizer.close();
  }
}

function isPositive(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value > 0;
}
