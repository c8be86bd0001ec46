import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { ffmpegVersion, hasFfmpeg } from './ffmpeg.ts';

const run = promisify(execFile);

/** A tone and noise as loud as speech, silent in the last second of every ten. */
const tone = (seconds: number) =>
  `aevalsrc=(0.3*sin(2*PI*(300+20*sin(t))*t)+0.4*random(0)-0.2)*lt(mod(t\\,10)\\,9)+0.0005*random(1):d=${seconds}:s=44100`;

export interface Recording {
  /** ffmpeg's options for the output. */
  readonly options?: readonly string[];
  readonly seconds?: number;
  readonly hasPicture?: boolean;
  readonly hasSound?: boolean;
}

/** Made files by ffmpeg's options. All processes and later runs share them, because ffmpeg takes a second for most. */
const made = new Map<string, Promise<string>>();
const cache = join(import.meta.dirname, '../../node_modules/.cache/recordings');
/** For files that are made from those of one test, and for large ones. */
const ownFolder = mkdtempSync(join(tmpdir(), 'sounds-'));
process.once('exit', () => rmSync(ownFolder, { recursive: true, force: true }));

/** Makes a recording with ffmpeg in the format of the name's extension. @returns its path */
export async function makeRecording(
  folder: string,
  name: string,
  { options = [], seconds = 60, hasPicture = false, hasSound = true }: Recording = {},
): Promise<string> {
  const file = join(folder, name);
  const sound = hasSound ? ['-i', await makeOnce('wav', ['-f', 'lavfi', '-i', tone(seconds)])] : [];
  const picture = hasPicture ? ['-f', 'lavfi', '-i', `testsrc=s=160x120:r=25:d=${seconds}`] : [];
  await copyFile(await makeOnce(extname(name).slice(1), [...picture, ...sound, ...options]), file);
  return file;
}

function makeOnce(extension: string, options: readonly string[]): Promise<string> {
  const key = [extension, ...options].join(' ');
  const file = made.get(key) ?? makeUnlessCached(extension, options, key);
  made.set(key, file);
  return file;
}

async function makeUnlessCached(extension: string, options: readonly string[], key: string): Promise<string> {
  // Raw pictures take hundreds of megabytes.
  const isShared = !options.some((option) => option.startsWith(tmpdir()) || option === 'rawvideo');
  const name = createHash('sha256').update(`${ffmpegVersion()} ${key}`).digest('hex').slice(0, 24);
  const file = join(isShared ? cache : ownFolder, `${name}.${extension}`);
  if (existsSync(file)) return file;
  await mkdir(dirname(file), { recursive: true });
  // Another process may make the same file at this moment.
  const partial = join(dirname(file), `${name}.${process.pid}.${extension}`);
  await run('ffmpeg', ['-v', 'error', '-y', ...options, partial]);
  await rename(partial, file);
  return file;
}

export interface SoundFacts {
  /** Hash of the sound packets of all files, one file after the other. */
  readonly packets: string;
  /** Decoded duration of each file, in seconds. */
  readonly seconds: readonly number[];
}

/** Reads the sound of files. One ffmpeg reads them all, because it takes longer to start than to read one. */
export async function soundOf(...files: readonly string[]): Promise<SoundFacts> {
  const folder = await mkdtemp(join(tmpdir(), 'sound-facts-'));
  try {
    const outputs = files.map((_, index) => ({
      packets: join(folder, `${index}.packets`),
      samples: join(folder, `${index}.samples`),
    }));
    await run('ffmpeg', [
      '-v',
      'error',
      ...files.flatMap((file) => ['-i', file]),
      ...outputs.flatMap(({ packets, samples }, index) => [
        ...['-map', `${index}:a`, '-c', 'copy', '-f', 'data', packets],
        ...['-map', `${index}:a`, '-f', 's16le', '-ac', '1', '-ar', '8000', samples],
      ]),
    ]);
    const hash = createHash('sha256');
    for (const { packets } of outputs) hash.update(await readFile(packets));
    const seconds = await Promise.all(outputs.map(async ({ samples }) => (await stat(samples)).size / 2 / 8000));
    return { packets: hash.digest('hex'), seconds };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Describes tests that need ffmpeg. Without it they are skipped and the title says so. */
export const describeWithFfmpeg: (title: string, tests: (this: Mocha.Suite) => void) => void = (title, tests) => {
  if (hasFfmpeg()) describe(title, tests);
  else describe.skip(`${title} (needs ffmpeg)`, tests);
};
