import type { OperationId } from './operations.ts';

/** What the usual names of models tell, the more exact before the less exact. */
const names: readonly (readonly [RegExp, readonly OperationId[]])[] = [
  [/whisper/, ['transcribe', 'translate']],
  [/transcri|speech-to-text|diari[sz]|parakeet|canary|moonshine|\b(asr|stt|scribe|voxtral)\b/, ['transcribe']],
  [/\btts\b|text-to-speech|speech|kokoro|piper|orpheus|chatterbox|\bxtts/, ['speak']],
  [/video|\bsora\b|\bveo\b|kling|seedance|hailuo|\bwan-?[\d.]|\bltx/, ['generateVideo', 'animateImage', 'remixVideo']],
  [/dall-?e-3|imagen/, ['generateImage']],
  [/image|dall-?e|\bflux|stable-?diffusion|\bsdxl?\b|\bsd-?[\d.]|seedream|ideogram/, ['generateImage', 'editImage']],
  [/embed|moderation|rerank|realtime|\bchat\b|instruct/, []],
];

/**
 * Returns the operations that a model is for, as far as its name tells: a guess, which is only ever suggested. Undefined if the
 * name tells nothing; none for a model that makes no media.
 */
export function operationsByName(name: string): readonly OperationId[] | undefined {
  // An underscore is a part of a word for a regular expression.
  const words = name.toLowerCase().replaceAll('_', '-');
  return names.find(([pattern]) => pattern.test(words))?.[1];
}
