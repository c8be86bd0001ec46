import type { SpeechLabel } from './Sound.ts';
import { software } from './Sound.ts';

const utf8 = '\x03';
/** Of a text, when nobody knows it. */
const noLanguage = 'XXX';

/**
 * An ID3v2.4 tag in UTF-8 with the maker (TSSE), the speaker (TPE1) and the text (USLT: the words of a recording).
 * Format: https://id3.org/id3v2.4.0-structure
 */
export function writeId3({ text, speaker }: SpeechLabel): Buffer {
  const frames = Buffer.concat([
    frame('TSSE', `${utf8}${software}`),
    frame('TPE1', `${utf8}${speaker}`),
    frame('USLT', `${utf8}${noLanguage}\0${text}`),
  ]);
  return Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), sevenBitLength(frames.length), frames]);
}

function frame(id: string, content: string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from(id), sevenBitLength(bytes.length), Buffer.alloc(2), bytes]);
}

/** Without the highest bit of each byte, so that no decoder takes it for sound. */
function sevenBitLength(length: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (length >> shift) & 0x7f));
}
