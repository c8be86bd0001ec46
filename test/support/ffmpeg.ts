import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

/** An independent decoder, where it is installed. */
export function hasFfmpeg(): boolean {
  return spawnSync('ffmpeg', ['-version']).status === 0;
}

/** One frame of a video file as RGB, 3 bytes per pixel. */
export async function decodeFrame(file: string, frame: number): Promise<Buffer> {
  const picked = ['-vf', `select=eq(n\\,${frame})`, '-frames:v', '1'];
  const { stdout } = await promisify(execFile)(
    'ffmpeg',
    ['-v', 'error', '-i', file, ...picked, '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'],
    { encoding: 'buffer', maxBuffer: 2 ** 26 },
  );
  return stdout;
}

/** What ffprobe says of a file. */
export async function probe(file: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('ffprobe', [
    ...['-v', 'error', '-of', 'json', '-show_format', '-show_streams'],
    file,
  ]);
  return JSON.parse(stdout);
}
