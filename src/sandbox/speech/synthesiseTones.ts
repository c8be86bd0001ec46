import { pause } from '../pause.ts';
import { seededRandom } from '../seededRandom.ts';
import type { SpokenWord } from './planSpeech.ts';
import { sampleRate } from './Sound.ts';

/** Of a pentatonic scale, in semitones: whatever words come, they sound together. */
const scale = [0, 2, 4, 7, 9];
const fadeIn = 0.02;
const fadeOut = 0.07;
const loudness = 0.24 * 32_767;

/**
 * A soft tone per word, in pieces of one word.
 *
 * @param pitch of the voice, in Hz
 */
export async function* synthesiseTones(
  words: readonly SpokenWord[],
  pitch: number,
  signal: AbortSignal,
): AsyncGenerator<Int16Array> {
  for (const [index, word] of words.entries()) {
    yield toneOf(word, pitch);
    if (index % 8 === 7) await pause(signal);
  }
}

/** One swing of the tone: a sine with a little of its first two overtones, -1 to 1. */
const swing = Float32Array.from({ length: 4096 }, (_, index) => {
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
    // A voice falls a little towards the end of a word.
    const turns = frequency * time * (1 - (0.03 * sample) / samples);
    const fade = Math.min(1, time / fadeIn, (word.tone - time) / fadeOut);
    const envelope = fade < 1 ? 0.5 - 0.5 * Math.cos(Math.PI * Math.max(0, fade)) : 1;
    sound[sample] = Math.round((swing[(turns * 4096) & 4095] ?? 0) * envelope * loudness);
  }
  return sound;
}
