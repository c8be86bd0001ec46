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

/** Milliseconds; the longest text takes a tenth of it. */
const maxRunMs = 60_000;

/**
 * Lets the system's voice speak a text.
 *
 * @param folder for its files; the caller removes it
 * @param shift how much higher than its own it shall speak; what that makes faster, it speaks slower
 * @throws whatever keeps it from speaking
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
    // A voice that does not know the script, or has nothing to say, is silent.
    if (wav?.codec === 'PCM' && wav.bits === 16 && wav.duration > 0.05) return wav;
    throw new Error('There is no speech.');
  } finally {
    await file.close();
  }
}

/** The first channel. */
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

/** Both `say` and espeak-ng take what stands after two brackets for commands; nobody can speak control characters. */
function speakable(text: string): string {
  return text.replace(/[^\P{Cc}\n]/gu, ' ').replaceAll('[[', '[ [');
}
