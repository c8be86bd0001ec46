import { sampleRate } from './Sound.ts';
import type { SystemVoice } from './SystemVoice.ts';

const wordsPerMinute = 175;

/** macOS: the voice of System Settings, by `say`. See `man say`. */
export function createSayVoice(path: string): SystemVoice {
  return {
    name: 'say',
    program: ({ textFile, soundFile, speed }) => ({
      path,
      arguments: [
        ...['-f', textFile, '-o', soundFile, '-r', String(Math.round(wordsPerMinute * speed))],
        ...['--file-format=WAVE', `--data-format=LEI16@${sampleRate}`],
      ],
      // An editor started from the Dock has no locale, and without one the file is not read as UTF-8.
      environment: { LC_ALL: 'en_US.UTF-8' },
    }),
  };
}
