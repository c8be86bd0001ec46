import { open } from 'node:fs/promises';
import { pause } from '../pause.ts';
import { loadMp3Encoder } from './loadMp3Encoder.ts';
import type { Sound, SpeechLabel } from './Sound.ts';
import { sampleRate } from './Sound.ts';
import { writeId3 } from './writeId3.ts';

/** kbit/s: speech of one channel at 24 kHz needs no more. */
const bitrate = 48;
/** Samples encoded in one go: about 4 ms of work. */
const sliceSamples = sampleRate;

/** Writes an MP3 file: MPEG 2 layer 3 at a constant bit rate, the label before it. */
export async function writeMp3(path: string, sound: Sound, label: SpeechLabel, signal: AbortSignal): Promise<void> {
  const encoder = await loadMp3Encoder();
  encoder.configure({ channels: 1, sampleRate, outputSampleRate: sampleRate, bitrate });
  const file = await open(path, 'w');
  try {
    await file.appendFile(writeId3(label));
    for await (const piece of sound) {
      for (let start = 0; start < piece.length; start += sliceSamples) {
        const slice = floatsOf(piece.subarray(start, start + sliceSamples));
        // Writing what the encoder lends is over before it is asked again.
        await file.appendFile(encoder.encode([slice]));
        await pause(signal);
      }
    }
    await file.appendFile(encoder.finalize());
  } finally {
    await file.close();
  }
}

function floatsOf(samples: Int16Array): Float32Array {
  const floats = new Float32Array(samples.length);
  // Float32Array.from takes ten times as long.
  for (let index = 0; index < floats.length; index++) floats[index] = (samples[index] ?? 0) / 32_768;
  return floats;
}
