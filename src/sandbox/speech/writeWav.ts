import { open } from 'node:fs/promises';
import type { Sound, SpeechLabel } from './Sound.ts';
import { writeWavHeader } from './writeWavHeader.ts';

/** Writes a WAV file. */
export async function writeWav(path: string, sound: Sound, label: SpeechLabel): Promise<void> {
  const file = await open(path, 'w');
  try {
    let samples = 0;
    await file.appendFile(writeWavHeader(samples, label));
    for await (const piece of sound) {
      // Little-endian, as WAV wants it, on every machine that runs VS Code.
      await file.appendFile(piece);
      samples += piece.length;
    }
    // Only now is known how many samples it announces.
    await file.write(writeWavHeader(samples, label), { position: 0 });
  } finally {
    await file.close();
  }
}
