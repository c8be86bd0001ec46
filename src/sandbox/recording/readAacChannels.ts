import type { FileHandle } from 'node:fs/promises';
import { readBytes } from './readBytes.ts';

const maxBoxes = 1000;
const largestMovie = 32 << 20;
const channelsOfConfiguration = [undefined, 1, 2, 3, 4, 5, 6, 8];

/**
 * The channels of an AAC sound in an MP4 file. Its sample description says two for every sound, as QuickTime once
 * did; the truth is in the decoder's own configuration.
 *
 * @returns undefined where it is not told
 */
export async function readAacChannels(file: FileHandle): Promise<number | undefined> {
  const movie = await readMovie(file);
  // A picture track may have an esds too.
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
    if (head.toString('latin1', 4, 8) === 'moov') return readBytes(file, offset, Math.min(rest, largestMovie));
    if (rest < 8) return undefined;
    offset += rest;
  }
  return undefined;
}

/** @param descriptors of MPEG-4 systems (ISO 14496-1, 7.2.6): one byte for the kind, a length in bytes of seven bits */
function channelsOf(descriptors: Buffer): number | undefined {
  let offset = 0;
  while (offset < descriptors.length) {
    const kind = descriptors[offset++];
    while ((descriptors[offset++] ?? 0) & 0x80);
    // The elementary stream and its decoder hold the next one after some fields of fixed lengths.
    if (kind === 3) offset += 3;
    else if (kind === 4) offset += 13;
    else return kind === 5 ? channelsOfDecoder(descriptors.subarray(offset, offset + 2)) : undefined;
  }
  return undefined;
}

/** ISO 14496-3, 1.6.2.1: 5 bits for the kind, 4 for the sample rate, 4 for the channels. */
function channelsOfDecoder([first = 0, second = 0]: Buffer): number | undefined {
  const kind = first >> 3;
  const rate = ((first & 7) << 1) | (second >> 7);
  // A longer kind or rate moves the channels; kind 29 makes two of one.
  if (kind === 31 || rate === 15) return undefined;
  return kind === 29 ? 2 : channelsOfConfiguration[(second >> 3) & 15];
}
