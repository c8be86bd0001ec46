import type { FileHandle } from 'node:fs/promises';
import { parseFromTokenizer } from 'music-metadata';
import { fromFile } from 'strtok3';
import type { SoundFacts } from './SoundFacts.ts';
import { readBytes } from './SoundFacts.ts';

// music-metadata, not mediabunny, because a truncated FLAC makes mediabunny loop forever. Its channel count is wrong
// for MP4 and it does not read MPEG program streams: readAacChannels.ts and readMpegProgram.ts do.

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

const maxBoxes = 1000;
const maxMovieBytes = 32 << 20;
const channelsOfConfiguration = [undefined, 1, 2, 3, 4, 5, 6, 8];

/**
 * Reads the number of channels of an AAC track in an MP4 file. The sample description always says two, as in QuickTime;
 * the decoder configuration has the real number.
 *
 * @returns undefined if the configuration does not say
 */
async function readAacChannels(file: FileHandle): Promise<number | undefined> {
  const movie = await readMovie(file);
  // A video track may also have an esds box, so look after the audio sample entry.
  const sound = movie?.indexOf('mp4a') ?? -1;
  const descriptor = movie && sound >= 0 ? movie.indexOf('esds', sound) : -1;
  return movie && descriptor >= 0 ? channelsOf(movie.subarray(descriptor + 8, descriptor + 8 + 200)) : undefined;
}

async function readMovie(file: FileHandle): Promise<Buffer | undefined> {
  const { size } = await file.stat();
  let offset = 0;
  for (let count = 0; count < maxBoxes && offset + 8 <= size; count++) {
    const head = await readBytes(file, offset, 16);
    const short = head.readUInt32BE(0);
    const length = short === 1 && head.length === 16 ? Number(head.readBigUInt64BE(8)) : short;
    const rest = short === 0 ? size - offset : length;
    if (head.toString('latin1', 4, 8) === 'moov') return readBytes(file, offset, Math.min(rest, maxMovieBytes));
    if (rest < 8) return undefined;
    offset += rest;
  }
  return undefined;
}

/** @param descriptors MPEG-4 descriptors (ISO 14496-1, 7.2.6): a tag byte, then a length in bytes of seven bits */
function channelsOf(descriptors: Buffer): number | undefined {
  let offset = 0;
  while (offset < descriptors.length) {
    const tag = descriptors[offset++];
    while ((descriptors[offset++] ?? 0) & 0x80);
    // In ES and decoder configuration descriptors the next descriptor follows fields of fixed length.
    if (tag === 3) offset += 3;
    else if (tag === 4) offset += 13;
    else return tag === 5 ? channelsOfDecoder(descriptors.subarray(offset, offset + 2)) : undefined;
  }
  return undefined;
}

/** Parses an AudioSpecificConfig (ISO 14496-3, 1.6.2.1): 5 bits object type, 4 bits sample rate, 4 bits channels. */
function channelsOfDecoder([first = 0, second = 0]: Buffer): number | undefined {
  const objectType = first >> 3;
  const rate = ((first & 7) << 1) | (second >> 7);
  // An extended type or rate shifts the channels; type 29 (parametric stereo) turns one channel into two.
  if (objectType === 31 || rate === 15) return undefined;
  return objectType === 29 ? 2 : channelsOfConfiguration[(second >> 3) & 15];
}
