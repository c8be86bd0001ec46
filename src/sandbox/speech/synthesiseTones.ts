import { setImmediate } from 'node:timers/promises';
import { seededRandom } from '../seededRandom.ts';
import type { SpokenWord } from './planSpeech.ts';
import { sampleRate } from './Sound.ts';

/** A pentatonic scale, in semitones: any sequence of words sounds harmonious. */
const scale = [0, 2, 4, 7, 9];
const fadeIn = 0.02;
const fadeOut = 0.07;
const loudness = 0.24 * 32_767;

/**
 * Yields a soft tone per word, one chunk per word.
 *
 * @param pitch pitch of the voice, in Hz
 */
export async function* synthesiseTones(
  words: readonly SpokenWord[],
  pitch: number,
  signal: AbortSignal,
): AsyncGenerator<Int16Array> {
  for (const [index, word] of words.entries()) {
    yield toneOf(word, pitch);
    if (index % 8 === 7) await setImmediate(undefined, { signal });
  }
}

/** One period of the tone, -1 to 1: a sine with two quiet overtones. */
const period = Float32Array.from({ length: 4096 }, (_, index) => {
  const phase = (2 * Math.PI * index) / 4096;
  return (Math.sin(phase) + 0.35 * Math.sin(2 * phase) + 0.12 * Math.sin(3 * phase)) / 1.3;
});

function toneOf(word: SpokenWord, pitch: number): Int16Array {
  const sound = new Int16Array(Math.round((word.tone + word.rest) * sampleRate));
  const degree = scale[Math.floor(seededRandom(word.text.toLowerCase())() * scale.length)] ?? 0;
  const frequency = pitch * 2 ** (degree / 12);
  const samples = Math.round(word.tone * sampleRate);
  for (let sample = 0; sample < samples; sample++) {
    const time = sample / sampleRate;
    // A speaker's pitch falls slightly towards the end of a word.
    const turns = frequency * time * (1 - (0.03 * sample) / samples);
    const fade = Math.min(1, time / fadeIn, (word.tone - time) / fadeOut);
    const envelope = fade < 1 ? 0.5 - 0.5 * Math.cos(Math.PI * Math.max(0, fade)) : 1;
    sound[sample] = Math.round((period[(turns * 4096) & 4095] ?? 0) * envelope * loudness);
  }
  return sound;
}
