// Prints how many seconds the waveform of a recording of three hours takes: `waveform.ts client <extension>`. Needs
// ffmpeg, which makes the recording.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecording } from '../../src/sound/readRecording.ts';

const extension = process.argv[3] ?? 'mp3';
const codecs: Readonly<Record<string, readonly string[]>> = {
  mp3: ['-b:a', '64k'],
  m4a: ['-c:a', 'aac', '-b:a', '64k'],
  ogg: ['-c:a', 'libopus', '-b:a', '24k'],
};
const folder = mkdtempSync(join(tmpdir(), 'waveform-'));
const ffmpeg = (...options: readonly string[]) => execFileSync('ffmpeg', ['-v', 'error', '-y', ...options]);

try {
  const [minute, file] = [join(folder, `minute.${extension}`), join(folder, `hours.${extension}`)];
  ffmpeg('-f', 'lavfi', '-i', 'aevalsrc=0.3*random(0)-0.15:d=60:s=44100', ...(codecs[extension] ?? []), minute);
  ffmpeg('-stream_loop', '179', '-i', minute, '-c', 'copy', file);
  const start = performance.now();
  const { signal } = new AbortController();
  const result = await readRecording({ type: 'peaks', file, seconds: 10_800 }, { signal });
  if (result.type !== 'peaks') throw new Error(JSON.stringify(result));
  console.log((performance.now() - start) / 1000);
} finally {
  rmSync(folder, { recursive: true });
}
