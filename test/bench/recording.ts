// Prints the cost of extracting the sound of a one-hour, 1 GB screen recording: `recording.ts <who> <seconds|memory>`.
// Needs ffmpeg, which makes the recording and is the peer.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecording } from '../../src/sound/readRecording.ts';

const [who = '', what = ''] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'recording-'));
const ffmpeg = (...options: string[]) => execFileSync('ffmpeg', ['-v', 'error', '-y', ...options]);

function makeRecording(): string {
  const [minute, hour] = [join(folder, 'minute.mp4'), join(folder, 'screen.mp4')];
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=15:d=60', '-vf', 'noise=alls=40:allf=t'];
  const sound = ['-f', 'lavfi', '-i', 'aevalsrc=0.3*random(0)-0.15:d=60:s=44100'];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '2200k', '-minrate', '2200k', '-bufsize', '2M'];
  ffmpeg(...picture.slice(0, 4), ...sound, ...picture.slice(4), ...codecs, '-c:a', 'aac', '-b:a', '96k', minute);
  ffmpeg('-stream_loop', '59', '-i', minute, '-c', 'copy', hour);
  rmSync(minute);
  const { size } = statSync(hour);
  if (size < 0.9e9) throw new Error(`The recording has only ${size} bytes.`);
  return hour;
}

const takers: Readonly<Record<string, (file: string) => unknown>> = {
  client: async (file) => {
    const out = join(folder, 'out');
    mkdirSync(out);
    const signal = new AbortController().signal;
    const result = await readRecording({ type: 'takeSound', file, folder: out, copies: 'ofVideos' }, { signal });
    if (result.type !== 'parts') throw new Error(JSON.stringify(result));
  },
  ffmpeg: (file) => ffmpeg('-i', file, '-vn', '-c', 'copy', join(folder, 'screen.m4a')),
};

try {
  const file = makeRecording();
  const before = process.memoryUsage.rss();
  let peak = before;
  const watching = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  const start = performance.now();
  await takers[who]?.(file);
  const seconds = (performance.now() - start) / 1000;
  clearInterval(watching);
  console.log(what === 'seconds' ? seconds : (Math.max(peak, process.memoryUsage.rss()) - before) / 2 ** 20);
} finally {
  rmSync(folder, { recursive: true });
}
