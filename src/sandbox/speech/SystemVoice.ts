import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { access, constants, open, writeFile } from 'node:fs/promises';
import { join, posix, win32 } from 'node:path';
import { readWav, type WavFacts } from '../recording/readWav.ts';
import { type Sound, sampleRate } from './Sound.ts';

/** A program to start without a shell. */
export interface Program {
  readonly path: string;
  readonly arguments: readonly string[];
  /** Added to what {@link neededNames} take from the sandbox's own environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface SpokenRequest {
  readonly text: string;
  /** File with the text in UTF-8: unlike an argument, it needs no escaping and has no length limit. */
  readonly textFile: string;
  /** Path of the WAV file to write: 16 bits, any sample rate. */
  readonly soundFile: string;
  /** Speaking rate; 1 is the voice's normal speed. */
  readonly speed: number;
}

/** The speech synthesiser of an operating system. */
export interface SystemVoice {
  /** Written into the files that it spoke. */
  readonly name: string;
  program(request: SpokenRequest): Program;
}

export type FindVoice = () => Promise<SystemVoice | undefined>;

/** What the search for a voice depends on. */
export interface VoiceEnvironment {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Tells whether an absolute path is an executable program. */
  readonly isProgram: (path: string) => Promise<boolean>;
}

const thisSystem: VoiceEnvironment = { platform: process.platform, environment: process.env, isProgram };

/** Finds the operating system's speech synthesiser. Returns undefined if there is none. */
export async function findSystemVoice(system: VoiceEnvironment = thisSystem): Promise<SystemVoice | undefined> {
  const { platform, environment } = system;
  if (platform === 'darwin') return firstOf(['/usr/bin/say'], createSayVoice, system);
  if (platform === 'win32') {
    const root = environment.SystemRoot ?? 'C:\\Windows';
    // Windows PowerShell: PowerShell 7 cannot load System.Speech.
    const path = win32.join(root, 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe');
    return firstOf([path], createWindowsVoice, system);
  }
  // Skip relative folders in PATH: through them a workspace could supply its own program.
  const folders = (environment.PATH ?? '').split(':').filter((folder) => posix.isAbsolute(folder));
  return firstOf(
    folders.map((folder) => posix.join(folder, 'espeak-ng')),
    createEspeakVoice,
    system,
  );
}

async function firstOf(
  paths: readonly string[],
  create: (path: string) => SystemVoice,
  { isProgram }: VoiceEnvironment,
): Promise<SystemVoice | undefined> {
  for (const path of paths) {
    if (await isProgram(path)) return create(path);
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** macOS: `say` with the voice chosen in System Settings. See `man say`. */
function createSayVoice(path: string): SystemVoice {
  return {
    name: 'say',
    program: ({ textFile, soundFile, speed }) => ({
      path,
      arguments: [
        ...['-f', textFile, '-o', soundFile, '-r', String(Math.round(175 * speed))],
        ...['--file-format=WAVE', `--data-format=LEI16@${sampleRate}`],
      ],
      // Without a locale, as in an editor started from the Dock, `say` does not read the file as UTF-8.
      environment: { LC_ALL: 'en_US.UTF-8' },
    }),
  };
}

/** A constant without double quotes, so that Windows passes it as one argument and no request can inject code. */
const script = [
  "$ErrorActionPreference = 'Stop'",
  'Add-Type -AssemblyName System.Speech',
  '$speaker = New-Object System.Speech.Synthesis.SpeechSynthesizer',
  '$bits = [System.Speech.AudioFormat.AudioBitsPerSample]::Sixteen',
  '$channel = [System.Speech.AudioFormat.AudioChannel]::Mono',
  `$format = New-Object System.Speech.AudioFormat.SpeechAudioFormatInfo(${sampleRate}, $bits, $channel)`,
  '$speaker.SetOutputToWaveFile($env:UNIFIED_MEDIA_SOUND, $format)',
  '$speaker.Rate = [int]$env:UNIFIED_MEDIA_RATE',
  '$speaker.Speak([IO.File]::ReadAllText($env:UNIFIED_MEDIA_TEXT, [Text.Encoding]::UTF8))',
  '$speaker.Dispose()',
].join('; ');

/** Windows: the default voice of System.Speech, through Windows PowerShell. */
function createWindowsVoice(path: string): SystemVoice {
  return {
    name: 'System.Speech',
    program: ({ textFile, soundFile, speed }) => ({
      path,
      arguments: ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', script],
      environment: {
        UNIFIED_MEDIA_TEXT: textFile,
        UNIFIED_MEDIA_SOUND: soundFile,
        UNIFIED_MEDIA_RATE: String(rateOf(speed)),
      },
    }),
  };
}

/** Converts a speed to a SAPI rate: -10 is a third of the normal speed, 10 is three times as fast. */
function rateOf(speed: number): number {
  return Math.max(-10, Math.min(10, Math.round((10 * Math.log(speed)) / Math.log(3))));
}

/** Languages by script: a script identifies the language, or at least how to pronounce its letters. */
const languages: readonly (readonly [string, RegExp])[] = [
  ['en', /\p{Script=Latin}/gu],
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['cmn', /\p{Script=Han}/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
];

/** Linux: espeak-ng, in the language of the text's most frequent script. See `man espeak-ng`. */
function createEspeakVoice(path: string): SystemVoice {
  return {
    name: 'espeak-ng',
    program: ({ text, textFile, soundFile, speed }) => ({
      path,
      // -b 1 selects UTF-8.
      arguments: [
        ...['-b', '1', '-v', languageOf(text), '-s', String(Math.round(165 * speed))],
        ...['-f', textFile, '-w', soundFile],
      ],
    }),
  };
}

function languageOf(text: string): string {
  let [best, most] = ['en', 0];
  for (const [language, letters] of languages) {
    const count = text.match(letters)?.length ?? 0;
    if (count > most) [best, most] = [language, count];
  }
  // Japanese often uses more Han characters than kana; Chinese never uses kana.
  return best === 'cmn' && /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? 'ja' : best;
}

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
  { text, shift, speed }: { readonly text: string; readonly shift: number; readonly speed: number },
  folder: string,
  signal: AbortSignal,
): Promise<Sound> {
  const textFile = join(folder, 'text.txt');
  const soundFile = join(folder, 'voice.wav');
  await writeFile(textFile, speakable(text));
  await runProgram(voice.program({ text, textFile, soundFile, speed: speed / shift }), signal, maxRunMs);
  const wav = await readSpeech(soundFile);
  return resample(samplesOf(soundFile, wav), (shift * wav.sampleRate) / sampleRate);
}

async function readSpeech(path: string): Promise<WavFacts> {
  const file = await open(path);
  try {
    const wav = await readWav(file);
    // A voice that cannot read the script, or has nothing to say, is silent.
    if (wav?.codec === 'PCM' && wav.bits === 16 && wav.seconds > 0.05) return wav;
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

/**
 * What programs get of the environment: folders, the language and what Windows needs to start one. All else stays here, since
 * it may hold secrets, such as the key of the service.
 */
const neededNames = [
  ...['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LD_LIBRARY_PATH', 'ESPEAK_DATA_PATH'],
  ...['SystemRoot', 'SystemDrive', 'windir', 'TEMP', 'TMP', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'ProgramData'],
];

function neededEnvironment(): NodeJS.ProcessEnv {
  const known = neededNames.filter((name) => process.env[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, process.env[name]]));
}

/**
 * Runs a program until it exits. Kills it when the signal aborts or after `limitMs`.
 *
 * @throws the signal's reason when it aborts; another error if the program cannot be started, fails or is too slow
 */
export async function runProgram(program: Program, signal: AbortSignal, limitMs: number): Promise<void> {
  signal.throwIfAborted();
  const end = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const child = spawn(program.path, program.arguments, {
    stdio: 'ignore',
    windowsHide: true,
    env: { ...neededEnvironment(), ...program.environment },
  });
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  end.addEventListener('abort', kill, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, killedBy) => {
        if (code === 0) resolve();
        else reject(new Error(`${program.path} exited with ${killedBy ?? code}.`));
      });
    });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    end.removeEventListener('abort', kill);
  }
}

/** Number of source samples on each side of a new sample that it is computed from. */
const reach = 16;
/** Number of positions between two source samples: for speech, more makes no audible difference. */
const positions = 512;

/**
 * Resamples a sound with a windowed sinc filter.
 *
 * @param step source samples per new sample; at the same sample rate, the sound gets higher and faster by this factor
 */
async function* resample(sound: Sound, step: number): AsyncGenerator<Int16Array> {
  const weights = weightsOf(Math.min(1, 1 / step));
  // The sound starts and ends with silence.
  let source = new Int16Array(reach);
  let position = reach;
  const make = (): Int16Array => {
    const made = new Int16Array(Math.max(0, Math.ceil((source.length - reach - position) / step)));
    for (let index = 0; index < made.length; index++) {
      made[index] = sampleAt(source, position, weights);
      position += step;
    }
    const passed = Math.max(0, Math.min(Math.floor(position) - reach, source.length));
    source = source.slice(passed);
    position -= passed;
    return made;
  };
  for await (const piece of sound) {
    source = joinSamples(source, piece);
    yield make();
  }
  source = joinSamples(source, new Int16Array(reach));
  yield make();
}

function sampleAt(source: Int16Array, position: number, weights: Float32Array): number {
  const first = Math.floor(position) - reach + 1;
  const row = Math.floor((position % 1) * positions) * 2 * reach;
  let sum = 0;
  for (let tap = 0; tap < 2 * reach; tap++) sum += (source[first + tap] ?? 0) * (weights[row + tap] ?? 0);
  return Math.max(-32_768, Math.min(32_767, Math.round(sum)));
}

/** Returns a row of weights for each position. @param cutoff 1 passes all frequencies of the source */
function weightsOf(cutoff: number): Float32Array {
  const weights = new Float32Array(positions * 2 * reach);
  for (let row = 0; row < positions; row++) {
    for (let tap = 0; tap < 2 * reach; tap++) {
      const distance = tap - reach + 1 - row / positions;
      const turn = Math.PI * distance * cutoff;
      const sinc = turn === 0 ? 1 : Math.sin(turn) / turn;
      const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / reach);
      weights[row * 2 * reach + tap] = cutoff * sinc * window;
    }
  }
  return weights;
}

function joinSamples(first: Int16Array, second: Int16Array): Int16Array<ArrayBuffer> {
  const joined = new Int16Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
