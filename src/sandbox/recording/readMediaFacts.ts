// music-metadata, not mediabunny, because a truncated FLAC makes mediabunny loop forever. Its channel count is wrong
// for MP4 and it does not read MPEG program streams: readAacChannels.ts and readMpegProgram.ts do.

import type { FileHandle } from 'node:fs/promises';
import { parseFromTokenizer } from 'music-metadata';
import { fromFile } from 'strtok3';
import { readAacChannels } from './readAacChannels.ts';
import type { SoundFacts } from './SoundFacts.ts';

/** Timeout in milliseconds; an hour of audio takes half a second. */
const maxReadMs = 10_000;

/**
 * Reads the properties of the audio in any container that music-metadata supports.
 *
 * @returns undefined if the file is damaged, has no audio or takes too long to read
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
    // Makes the parser's next read fail, which is the only way to stop it.
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
    // Damaged files make the parser throw any kind of error, even a TypeError.
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
