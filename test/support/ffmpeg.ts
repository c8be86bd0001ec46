import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

/** Whether ffmpeg is installed. */
export function hasFfmpeg(): boolean {
  return spawnSync('ffmpeg', ['-version']).status === 0;
}

let version: string | undefined;

/** The first line of what ffmpeg says about itself, which names its version. */
export function ffmpegVersion(): string {
  version ??= execFileSync('ffmpeg', ['-version'], { encoding: 'utf8' }).split('\n', 1)[0] ?? '';
  return version;
}

/** Decodes one frame of a video file to RGB, 3 bytes per pixel. */
export async function decodeFrame(file: string, frame: number): Promise<Buffer> {
  const picked = ['-vf', `select=eq(n\\,${frame})`, '-frames:v', '1'];
  const { stdout } = await promisify(execFile)(
    'ffmpeg',
    ['-v', 'error', '-i', file, ...picked, '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'],
    { encoding: 'buffer', maxBuffer: 2 ** 26 },
  );
  return stdout;
}

/** Writes a PNG with at most 256 colours, which suffice for a screenshot and halve its size. */
export function writeWithPalette(png: Buffer, file: string): void {
  const palette = ['-vf', 'split[a][b];[a]palettegen[p];[b][p]paletteuse'];
  const smallest = ['-compression_level', '9', '-pred', 'mixed'];
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', '-', ...palette, ...smallest, file], { input: png });
}

/** Returns the output of ffprobe for a file. */
export async function probe(file: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('ffprobe', [
    ...['-v', 'error', '-of', 'json', '-show_format', '-show_streams'],
    file,
  ]);
  return JSON.parse(stdout);
}
