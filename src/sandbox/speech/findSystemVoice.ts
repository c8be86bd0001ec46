import { access, constants } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { sampleRate } from './Sound.ts';
import type { SystemVoice } from './SystemVoice.ts';

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
export function createEspeakVoice(path: string): SystemVoice {
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
