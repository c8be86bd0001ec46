import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasFfmpeg } from './ffmpeg.ts';

const run = promisify(execFile);

/** A tone and noise, as loud as speech, that rest for the last second of every ten. */
const tone = (seconds: number) =>
  `aevalsrc=(0.3*sin(2*PI*(300+20*sin(t))*t)+0.4*random(0)-0.2)*lt(mod(t\\,10)\\,9)+0.0005*random(1):d=${seconds}:s=44100`;

export interface Recording {
  /** ffmpeg's options for the output. */
  readonly options?: readonly string[];
  readonly seconds?: number;
  readonly hasPicture?: boolean;
  readonly hasSound?: boolean;
}

/** Makes a recording by ffmpeg, whose extension is its format. @returns its path */
export async function makeRecording(
  folder: string,
  name: string,
  { options = [], seconds = 60, hasPicture = false, hasSound = true }: Recording = {},
): Promise<string> {
  const file = join(folder, name);
  const picture = hasPicture ? ['-f', 'lavfi', '-i', `testsrc=s=160x120:r=25:d=${seconds}`] : [];
  const sound = hasSound ? ['-f', 'lavfi', '-i', tone(seconds)] : [];
  await run('ffmpeg', ['-v', 'error', '-y', ...picture, ...sound, ...options, file]);
  return file;
}

/** The hash of the packets of a file's sound, one after the other. */
export async function packetsHash(...files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) {
    const { stdout } = await run(
      'ffmpeg',
      ['-v', 'error', '-i', file, '-map', '0:a', '-c', 'copy', '-f', 'data', '-'],
      {
        encoding: 'buffer',
        maxBuffer: 2 ** 28,
      },
    );
    hash.update(stdout);
  }
  return hash.digest('hex');
}

/** Seconds that the sound of a file lasts when it is decoded. */
export async function decodedSeconds(file: string): Promise<number> {
  const { stdout } = await run(
    'ffmpeg',
    ['-v', 'error', '-i', file, '-map', '0:a', '-f', 's16le', '-ac', '1', '-ar', '8000', '-'],
    { encoding: 'buffer', maxBuffer: 2 ** 28 },
  );
  return stdout.length / 2 / 8000;
}

/** Tests that need ffmpeg; without it they are skipped by name. */
export const describeWithFfmpeg: (title: string, tests: (this: Mocha.Suite) => void) => void = (title, tests) => {
  if (hasFfmpeg()) describe(title, tests);
  else describe.skip(`${title} (needs ffmpeg)`, tests);
};
