import { createReadStream } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WavFacts } from '../recording/readWav.ts';
import { readWav } from '../recording/readWav.ts';
import { resample } from './resample.ts';
import { runProgram } from './runProgram.ts';
import type { Sound } from './Sound.ts';
import { sampleRate } from './Sound.ts';
import type { SystemVoice } from './SystemVoice.ts';

/** Timeout in milliseconds: ten times what the longest text takes. */
const maxRunMs = 60_000;

/**
 * Records the system's voice speaking a text.
 *
 * @param folder folder for temporary files; the caller removes it
 * @param shift pitch relative to the voice's own; the voice speaks at 1 / shift, because resampling changes the speed
 * @throws Error if the voice fails
 */
export async function recordVoice(
  voice: SystemVoice,
  text: string,
  shift: number,
  folder: string,
  signal: AbortSignal,
): Promise<Sound> {
  const textFile = join(folder, 'text.txt');
  const soundFile = join(folder, 'voice.wav');
  await writeFile(textFile, speakable(text));
  await runProgram(voice.program({ text, textFile, soundFile, speed: 1 / shift }), signal, maxRunMs);
  const wav = await readSpeech(soundFile);
  return resample(samplesOf(soundFile, wav), (shift * wav.sampleRate) / sampleRate);
}

async function readSpeech(path: string): Promise<WavFacts> {
  const file = await open(path);
  try {
    const wav = await readWav(file);
    // A voice that cannot read the script, or has nothing to say, is silent.
    if (wav?.codec === 'PCM' && wav.bits === 16 && wav.duration > 0.05) return wav;
    throw new Error('The recording has no speech.');
  } finally {
    await file.close();
  }
}

/** Yields the samples of the first channel. */
async function* samplesOf(path: string, { channels, data: [data] }: WavFacts): AsyncGenerator<Int16Array> {
  if (!data) return;
  const frame = 2 * channels;
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { start: data.start, end: data.start + data.length - 1 })) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    const samples = new Int16Array(Math.floor(rest.length / frame));
    for (let index = 0; index < samples.length; index++) samples[index] = rest.readInt16LE(index * frame);
    rest = rest.subarray(samples.length * frame);
    yield samples;
  }
}

/** Removes control characters and `[[`, which starts a command in `say` and espeak-ng. */
function speakable(text: string): string {
  return text.replace(/[^\P{Cc}\n]/gu, ' ').replaceAll('[[', '[ [');
}
