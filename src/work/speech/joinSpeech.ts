import { adtsFormat } from './adtsFormat.ts';
import type { JoinedSpeech, SpeechPiece } from './JoinedSpeech.ts';
import { joinFrames } from './joinFrames.ts';
import { joinWav } from './joinWav.ts';
import { mp3Format } from './mp3Format.ts';

/**
 * Joins spoken parts into one valid file of the same kind, without decoding: `mp3` and `aac` (ADTS) frame by frame,
 * `wav` with a new header. Holds only a few kilobytes in memory.
 *
 * Other kinds cannot be joined: `flac`, `ogg` and `opus` number their samples across the file, and `pcm` does not say
 * whether two parts have the same format.
 *
 * @param kind extension of the parts, detected from their bytes
 * @param files paths in speaking order
 * @throws Error of node:fs when a part cannot be read
 */
export async function joinSpeech(kind: string, files: readonly string[]): Promise<JoinedSpeech> {
  switch (kind) {
    case 'mp3':
      return joinFrames(mp3Format, files);
    case 'aac':
      return joinFrames(adtsFormat, files);
    case 'wav':
      return joinWav(files);
    default:
      return { joined: false, reason: 'kind' };
  }
}

/** Returns only the bytes of the pieces. */
export async function* bytesOf(pieces: AsyncIterable<SpeechPiece>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of pieces) yield bytes;
}
