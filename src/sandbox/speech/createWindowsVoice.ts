import { sampleRate } from './Sound.ts';
import type { SystemVoice } from './SystemVoice.ts';

/** Constant, without double quotes: Windows takes it as one argument, and nothing of a request gets into it. */
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

/** Windows: the default voice of System.Speech, in the PowerShell that is part of the system. */
export function createWindowsVoice(path: string): SystemVoice {
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

/** -10 is a third of the normal speed, 10 is three times as fast. */
function rateOf(speed: number): number {
  return Math.max(-10, Math.min(10, Math.round((10 * Math.log(speed)) / Math.log(3))));
}
