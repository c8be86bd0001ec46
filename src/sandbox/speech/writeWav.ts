import { open } from 'node:fs/promises';
import type { Sound, SpeechLabel } from './Sound.ts';
import { sampleRate, software } from './Sound.ts';

/** Writes a WAV file. */
export async function writeWav(path: string, sound: Sound, label: SpeechLabel): Promise<void> {
  const file = await open(path, 'w');
  try {
    let samples = 0;
    await file.appendFile(wavHeader(samples, label));
    for await (const piece of sound) {
      // Typed arrays are little-endian, as WAV requires, on every machine that runs VS Code.
      await file.appendFile(piece);
      samples += piece.length;
    }
    // Write the header again, now with the number of samples.
    await file.write(wavHeader(samples, label), { position: 0 });
  } finally {
    await file.close();
  }
}

/**
 * Builds the part of a WAV file before its samples. The label is in a LIST chunk of type INFO, in UTF-8: the software
 * as ISFT, the text as ICMT, the speaker as IART.
 *
 * @param samples number of samples that follow
 */
function wavHeader(samples: number, { text, speaker }: SpeechLabel): Buffer {
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1, 0); // PCM
  format.writeUInt16LE(1, 2);
  format.writeUInt32LE(sampleRate, 4);
  format.writeUInt32LE(sampleRate * 2, 8);
  format.writeUInt16LE(2, 12);
  format.writeUInt16LE(16, 14);
  const entries = [entry('ISFT', software), entry('IART', speaker), entry('ICMT', text)];
  const info = Buffer.concat([Buffer.from('INFO'), ...entries]);
  const chunks = Buffer.concat([chunk('fmt ', format), chunk('LIST', info), head('data', samples * 2)]);
  return Buffer.concat([head('RIFF', 4 + chunks.length + samples * 2), Buffer.from('WAVE'), chunks]);
}

function entry(id: string, text: string): Buffer {
  return chunk(id, Buffer.from(`${text}\0`));
}

/** Chunks begin at even offsets; the padding byte does not count in the length. */
function chunk(id: string, data: Buffer): Buffer {
  return Buffer.concat([head(id, data.length), data, Buffer.alloc(data.length % 2)]);
}

function head(id: string, length: number): Buffer {
  const bytes = Buffer.alloc(8, id);
  bytes.writeUInt32LE(length, 4);
  return bytes;
}
