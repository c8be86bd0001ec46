import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
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

/** Sounds that this process has made: ffmpeg takes a second for each, and tests ask for the same ones again and again. */
const sounds = new Map<string, Promise<string>>();
const soundFolder = mkdtempSync(join(tmpdir(), 'sounds-'));
process.once('exit', () => rmSync(soundFolder, { recursive: true, force: true }));

/** Makes a recording with ffmpeg in the format of the name's extension. @returns its path */
export async function makeRecording(
  folder: string,
  name: string,
  { options = [], seconds = 60, hasPicture = false, hasSound = true }: Recording = {},
): Promise<string> {
  const file = join(folder, name);
  const sound = hasSound ? ['-i', await makeOnce('wav', ['-f', 'lavfi', '-i', tone(seconds)])] : [];
  if (hasPicture) {
    const picture = ['-f', 'lavfi', '-i', `testsrc=s=160x120:r=25:d=${seconds}`];
    await run('ffmpeg', ['-v', 'error', '-y', ...picture, ...sound, ...options, file]);
  } else {
    await copyFile(await makeOnce(extname(name).slice(1), [...sound, ...options]), file);
  }
  return file;
}

function makeOnce(extension: string, options: readonly string[]): Promise<string> {
  const key = [extension, ...options].join(' ');
  const made = sounds.get(key) ?? make(join(soundFolder, `${sounds.size}.${extension}`), options);
  sounds.set(key, made);
  return made;
}

async function make(file: string, options: readonly string[]): Promise<string> {
  await run('ffmpeg', ['-v', 'error', '-y', ...options, file]);
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
