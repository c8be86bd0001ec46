import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { checkRequest, type Exchange, numberOf, type SandboxContext, SandboxError, sendEvents } from '../Exchange.ts';
import { asksForSpeechEvents } from '../fromSdk.ts';
import { seededRandom } from '../seededRandom.ts';
import { type Sound, sampleRate, writeMp3, writeWav } from './Sound.ts';
import { type FindVoice, recordVoice, type SystemVoice } from './SystemVoice.ts';

const mediaTypes: ReadonlyMap<string, readonly ['mp3' | 'wav', string]> = new Map([
  ['mp3', ['mp3', 'audio/mpeg']],
  ['wav', ['wav', 'audio/wav']],
]);

/** Answers with the bytes of a sound file, streamed from disk so that a slow client takes no memory. */
export async function speak(body: unknown, exchange: Exchange, context: SandboxContext): Promise<void> {
  const { response, signal } = exchange;
  const { input: text, voice, response_format, more } = checkRequest('speak', body, context);
  const speed = numberOf(more, 'speed') ?? 1;
  const [format, mediaType] = mediaTypes.get(response_format) ?? rejectFormat(response_format);
  const asEvents = context.isLenient && asksForSpeechEvents(body);
  context.accept('speak');
  const folder = await mkdtemp(join(context.folder, 'speech-'));
  try {
    const plan = { text, voice, format, speed };
    const path = await context.speechQueue(() => makeSpeech(plan, folder, context.findVoice, signal));
    if (asEvents) return await sendEvents(exchange, speechEvents(path));
    const { size } = await stat(path);
    response.writeHead(200, { 'content-type': mediaType, 'content-length': size, 'cache-control': 'no-store' });
    await pipeline(createReadStream(path), response, { signal });
  } finally {
    // Windows may take a moment to release a file. What stays is removed when the sandbox stops.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
  }
}

/** Yields the events of a sound: its bytes in pieces, and the end. */
async function* speechEvents(path: string) {
  for await (const piece of createReadStream(path)) {
    if (piece instanceof Buffer) yield { type: 'speech.audio.delta', audio: piece.toString('base64') };
  }
  yield { type: 'speech.audio.done', usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } };
}

function rejectFormat(format: string): never {
  throw new SandboxError(
    400,
    `The sandbox does not support the audio format (response_format) "${format.slice(0, 60)}", only ${[...mediaTypes.keys()].join(' and ')}.`,
    { param: 'response_format', code: 'unsupported_format' },
  );
}

interface SpeechPlan {
  readonly text: string;
  readonly voice: string;
  readonly format: 'mp3' | 'wav';
  /** 1 is the usual speed. */
  readonly speed: number;
}

/**
 * Speaks a text into a file with the system's voice, or with a tone per word if there is no voice or it fails.
 *
 * @param folder folder for temporary files; the caller removes it
 * @returns the path of the file
 * @throws the signal's reason when it aborts, including one that is already aborted
 */
async function makeSpeech(
  { text, voice, format, speed }: SpeechPlan,
  folder: string,
  findVoice: FindVoice,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const systemVoice = await findVoice();
  const spoken = systemVoice && (await spokenBy(systemVoice, { text, voice, speed }, folder, signal));
  const sound = spoken ?? synthesiseTones(planSpeech(text, speed), pitchOf(voice), signal);
  const speaker = spoken ? `${voice}, spoken by ${systemVoice.name}` : `${voice}, a tone per word`;
  const path = join(folder, `speech.${format}`);
  const write = { mp3: writeMp3, wav: writeWav }[format];
  await write(path, sound, { text, speaker }, signal);
  return path;
}

async function spokenBy(
  systemVoice: SystemVoice,
  { text, voice, speed }: Omit<SpeechPlan, 'format'>,
  folder: string,
  signal: AbortSignal,
): Promise<Sound | undefined> {
  try {
    return await recordVoice(systemVoice, { text, shift: shiftOf(voice), speed }, folder, signal);
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** Pitch of each voice's tones, in Hz. */
const pitches = {
  onyx: 98,
  echo: 117,
  ash: 131,
  verse: 147,
  fable: 165,
  alloy: 185,
  sage: 208,
  ballad: 233,
  coral: 262,
  nova: 294,
  shimmer: 330,
  marin: 277,
  cedar: 123,
} as const;

function pitchOf(voice: string): number {
  return new Map<string, number>(Object.entries(pitches)).get(voice) ?? pitches.alloy;
}

/** Returns the pitch of a voice relative to the system's voice: 0.80 to 1.22, because speech sounds odd beyond that. */
function shiftOf(voice: string): number {
  return (pitchOf(voice) / pitches.alloy) ** 0.35;
}

/** One spoken word with the lengths of its tone and of the rest after it, in seconds. */
export interface SpokenWord {
  readonly text: string;
  readonly tone: number;
  readonly rest: number;
}

const minToneSeconds = 0.09;
const tonePerLetter = 0.045;
const maxToneSeconds = 1.2;
const rests: readonly (readonly [RegExp, number])[] = [
  [/[.!?…。！？\n]/u, 0.38],
  [/[,;:–—、，]/u, 0.2],
];
const minRestSeconds = 0.06;

/** Splits a text in any script into words with lengths. A text without words becomes one short tone. */
export function planSpeech(text: string, speed = 1): readonly SpokenWord[] {
  const words: { text: string; tone: number; rest: number }[] = [];
  for (const { segment, isWordLike } of new Intl.Segmenter('und', { granularity: 'word' }).segment(text)) {
    const last = words.at(-1);
    if (isWordLike) {
      const tone = Math.min(maxToneSeconds, minToneSeconds + tonePerLetter * segment.length);
      words.push({ text: segment, tone, rest: minRestSeconds });
    } else if (last) {
      last.rest = Math.max(last.rest, restOf(segment));
    }
  }
  const spoken = words.length > 0 ? words : [{ text, tone: 0.3, rest: minRestSeconds }];
  return spoken.map((word) => ({ ...word, tone: word.tone / speed, rest: word.rest / speed }));
}

function restOf(between: string): number {
  return rests.find(([marks]) => marks.test(between))?.[1] ?? minRestSeconds;
}

/** Returns the total length, in seconds. */
export function lengthOf(words: readonly SpokenWord[]): number {
  return words.reduce((sum, { tone, rest }) => sum + tone + rest, 0);
}

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
async function* synthesiseTones(
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
