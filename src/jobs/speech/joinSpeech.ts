import { adtsFormat } from './adtsFormat.ts';
import type { JoinedSpeech, SpeechPiece } from './JoinedSpeech.ts';
import { joinFrames } from './joinFrames.ts';
import { joinWav } from './joinWav.ts';
import { mp3Format } from './mp3Format.ts';

/**
 * Joins spoken parts into one valid file of the same kind, without decoding: `mp3` and `aac` (ADTS) by their frames,
 * `wav` under one new header. Only a few kilobytes are held at a time.
 *
 * Everything else stays in parts: `flac`, `ogg` and `opus` number or count their samples through the file, and nothing
 * in `pcm` tells that two parts fit.
 *
 * @param kind the parts' extension, by their bytes
 * @param files paths in the order of speech
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

/** The joined file without what its bytes are. */
export async function* bytesOf(pieces: AsyncIterable<SpeechPiece>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of pieces) yield bytes;
}
