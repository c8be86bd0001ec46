import { open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { loadMp3Encoder } from './loadMp3Encoder.ts';
import type { Sound, SpeechLabel } from './Sound.ts';
import { sampleRate, software } from './Sound.ts';

/** Bit rate in kbit/s: enough for mono speech at 24 kHz. */
const bitrate = 48;
/** Number of samples encoded at once: about 4 ms of work. */
const sliceSamples = sampleRate;

/** Writes an MP3 file: the label, then MPEG 2 layer 3 at a constant bit rate. */
export async function writeMp3(path: string, sound: Sound, label: SpeechLabel, signal: AbortSignal): Promise<void> {
  const encoder = await loadMp3Encoder();
  encoder.configure({ channels: 1, sampleRate, outputSampleRate: sampleRate, bitrate });
  const file = await open(path, 'w');
  try {
    await file.appendFile(writeId3(label));
    for await (const piece of sound) {
      for (let start = 0; start < piece.length; start += sliceSamples) {
        const slice = floatsOf(piece.subarray(start, start + sliceSamples));
        // The encoder reuses the buffer it returns, so write it before the next call.
        await file.appendFile(encoder.encode([slice]));
        await setImmediate(undefined, { signal });
      }
    }
    await file.appendFile(encoder.finalize());
  } finally {
    await file.close();
  }
}

function floatsOf(samples: Int16Array): Float32Array {
  const floats = new Float32Array(samples.length);
  // Float32Array.from is ten times slower.
  for (let index = 0; index < floats.length; index++) floats[index] = (samples[index] ?? 0) / 32_768;
  return floats;
}

const utf8 = '\x03';
/** ISO 639-2 code for an unknown language. */
const noLanguage = 'XXX';

/**
 * Builds an ID3v2.4 tag in UTF-8 with the software (TSSE), the speaker (TPE1) and the text (USLT: lyrics).
 * Format: https://id3.org/id3v2.4.0-structure
 */
function writeId3({ text, speaker }: SpeechLabel): Buffer {
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

/** Encodes a length with seven bits per byte, so that no decoder mistakes it for audio. */
function sevenBitLength(length: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (length >> shift) & 0x7f));
}
