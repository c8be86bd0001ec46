import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { type RecordingTask, readRecording, type SoundPart } from '../../../src/sound/readRecording.ts';
import { itWith } from '../../support/findProgram.ts';
import { describeWithFfmpeg, makeRecording, soundOf } from '../../support/makeRecording.ts';

describeWithFfmpeg('readRecording', () => {
  let folder: string;
  let out: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recordings-'));
    out = await mkdtemp(join(tmpdir(), 'recordings-out-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true });
    await rm(out, { recursive: true });
  });

  const read = (task: RecordingTask, quietMs = 20_000) =>
    readRecording(task, { signal: new AbortController().signal, quietMs });
  const take = (file: string, copies: 'ofVideos' | 'always' | 'never' = 'ofVideos') =>
    read({ type: 'takeSound', file, folder: out, copies });
  async function cut(file: string, partBytes: number): Promise<readonly SoundPart[]> {
    const result = await read({ type: 'cut', file, folder: out, partBytes });
    assert(result.type === 'parts', JSON.stringify(result));
    return result.parts;
  }

  const h264 = ['-r', '5', '-c:v', 'libx264', '-preset', 'ultrafast'];
  // The encoder takes ten times as long with larger pictures and threads of its own.
  const vp8 = ['-s', '64x48', '-c:v', 'libvpx', '-threads', '1', '-deadline', 'realtime', '-cpu-used', '8'];
  const videos = [
    ['mp4', [...h264, '-c:a', 'aac'], '.m4a'],
    ['mov', [...h264, '-c:a', 'aac'], '.m4a'],
    ['mov', ['-c:v', 'rawvideo', '-pix_fmt', 'yuv420p', '-c:a', 'pcm_s16le'], '.wav'],
    ['mkv', [...h264, '-c:a', 'libmp3lame'], '.mp3'],
    ['mkv', [...h264, '-c:a', 'flac'], '.flac'],
    ['webm', [...vp8, '-c:a', 'libopus'], '.ogg'],
    ['webm', [...vp8, '-c:a', 'libvorbis'], '.ogg'],
    ['mpeg', ['-c:v', 'mpeg1video', '-c:a', 'mp2', '-f', 'mpeg'], '.mpga'],
    ['mpeg', ['-c:v', 'mpeg2video', '-c:a', 'mp2', '-f', 'vob'], '.mpga'],
  ] as const;
  for (const [extension, options, expected] of videos) {
    it(`extracts the sound of ${extension} with ${options.at(-1)} packet by packet as ${expected}`, async () => {
      const file = await makeRecording(folder, `talk.${extension}`, { options, seconds: 12, hasPicture: true });
      const result = await take(file);
      assert(result.type === 'parts', JSON.stringify(result));
      const [part, ...others] = result.parts;
      assert(part && others.length === 0);
      assert.equal(extname(part.file), expected);
      assert.equal(part.bytes, (await stat(part.file)).size);
      assert(part.bytes < (await stat(file)).size);
      const sound = await soundOf(part.file);
      assert.equal(sound.packets, (await soundOf(file)).packets);
      assert(Math.abs((sound.seconds[0] ?? 0) - 12) < 0.1);
    });
  }

  it('returns isSound for a recording without a picture, unless it must be copied', async () => {
    const file = await makeRecording(folder, 'talk.mkv', { options: ['-c:a', 'libopus'], seconds: 2 });
    assert.deepEqual(await take(file), { type: 'isSound' });
    const result = await take(file, 'always');
    assert.equal(result.type === 'parts' && extname(result.parts[0]?.file ?? ''), '.ogg');
  });

  it('returns noSound for a video without sound, even when nothing is copied', async () => {
    const file = await makeRecording(folder, 'mute.mp4', {
      options: h264,
      seconds: 2,
      hasPicture: true,
      hasSound: false,
    });
    assert.deepEqual(await take(file), { type: 'noSound' });
    assert.deepEqual(await take(file, 'never'), { type: 'noSound' });
  });

  it('returns noSound for an MPEG program stream without sound', async () => {
    const options = ['-c:v', 'mpeg1video', '-f', 'mpeg'];
    const file = await makeRecording(folder, 'mute.mpeg', { options, seconds: 2, hasPicture: true, hasSound: false });
    assert.deepEqual(await take(file), { type: 'noSound' });
  });

  it('never writes over a file with the sound of an MPEG program stream', async () => {
    const options = ['-c:v', 'mpeg1video', '-c:a', 'mp2', '-f', 'mpeg'];
    const file = await makeRecording(out, 'talk.mpeg', { options, seconds: 2, hasPicture: true });
    const own = join(out, 'talk.mpga');
    await rename(file, own);
    const before = await readFile(own);
    assert.equal((await take(own)).type, 'unreadable');
    assert.deepEqual(await readFile(own), before);
    assert.equal((await read({ type: 'examine', file: own })).type, 'unreadable');
    assert.deepEqual(await readFile(own), before);
  });

  it('examines a video and its sound, each with its own length', async () => {
    const file = await makeRecording(folder, 'talk.mp4', {
      options: [...h264, '-c:a', 'aac', '-ac', '1', '-ar', '16000', '-map', '0:v', '-map', '1:a', '-af', 'atrim=0:2'],
      seconds: 4,
      hasPicture: true,
    });
    const found = await read({ type: 'examine', file });
    assert(found.type === 'examined' && found.sound, JSON.stringify(found));
    assert.equal(Math.round(found.seconds), 4);
    const { seconds, ...sound } = found.sound;
    assert.equal(Math.round(seconds), 2);
    assert.deepEqual(sound, { codec: 'MPEG-4/AAC', channels: 1, sampleRate: 16_000 });
  });

  const sounds = [
    ['wav', []],
    ['mp3', ['-b:a', '64k']],
    ['mp3', ['-q:a', '5']],
    ['mp3', ['-ac', '2', '-ar', '22050', '-b:a', '48k']],
    ['flac', []],
    ['ogg', ['-c:a', 'libopus']],
    // AAC frames give only a hint of their loudness.
    ['m4a', ['-c:a', 'aac']],
  ] as const;
  for (const [extension, options] of sounds) {
    it(`cuts ${extension} ${options.join(' ')} at the pauses without losing sound`, async () => {
      const file = await makeRecording(folder, `talk.${extension}`, { options, seconds: 30 });
      // Parts of the same size would be cut after 15 s, where there is no pause.
      const partBytes = Math.floor((await stat(file)).size * 0.6);
      const parts = await cut(file, partBytes);
      assert(parts.length > 1, `${parts.length} parts`);
      for (const { bytes } of parts) assert(bytes <= partBytes, `a part of ${bytes} bytes`);
      for (const [index, { start }] of parts.entries()) {
        assert(Math.abs(start - (parts[index - 1]?.end ?? 0)) < 0.001, 'a part starts where the previous one ends');
        const inTen = start % 10;
        // Packets are grouped by a tenth of a second.
        const isInPause = inTen >= 8.9 || inTen < 0.1;
        assert(index === 0 || isInPause || extension === 'm4a', `a cut at ${start} s`);
      }
      const [whole, cutSound] = [await soundOf(file), await soundOf(...parts.map((part) => part.file))];
      const sum = cutSound.seconds.reduce((total, one) => total + one, 0);
      assert(Math.abs(sum - (whole.seconds[0] ?? 0)) < 0.06 * parts.length, `${sum} s in all`);
      if (extension !== 'mp3') assert.equal(cutSound.packets, whole.packets);
    });
  }

  for (const [extension, options] of sounds.filter(([, [option]]) => option !== '-q:a')) {
    it(`measures the waveform of ${extension} ${options.join(' ')}, with its pauses in their places`, async () => {
      const file = await makeRecording(folder, `talk.${extension}`, { options, seconds: 30 });
      const result = await read({ type: 'peaks', file, seconds: 30 });
      assert(result.type === 'peaks', JSON.stringify(result));
      const { peaks } = result;
      assert(peaks.every((peak) => Number.isInteger(peak) && peak >= 0 && peak <= 100));
      const meanOf = (from: number, to: number) => {
        const some = peaks.slice((from * peaks.length) / 30, (to * peaks.length) / 30);
        return some.reduce((sum, one) => sum + one, 0) / some.length;
      };
      for (const pause of [9.3, 19.3]) {
        const [quiet, loud] = [meanOf(pause, pause + 0.5), meanOf(pause - 5, pause - 1)];
        // AAC frames give only a hint of their loudness.
        assert(quiet < loud * (extension === 'm4a' ? 0.9 : 0.8), `${quiet} % at ${pause} s, ${loud} % before it`);
      }
    });
  }

  it('measures the waveform of an MP3 with a large picture as without it', async () => {
    const file = await makeRecording(folder, 'talk.mp3', { options: ['-id3v2_version', '0'], seconds: 30 });
    const picture = Buffer.alloc(3_000_000);
    const [a, b, c, d] = [21, 14, 7, 0].map((bits) => (picture.length >> bits) & 127);
    const header = Buffer.from([...Buffer.from('ID3'), 4, 0, 0, a ?? 0, b ?? 0, c ?? 0, d ?? 0]);
    const tagged = join(folder, 'tagged.mp3');
    await writeFile(tagged, Buffer.concat([header, picture, await readFile(file)]));
    const plain = await read({ type: 'peaks', file, seconds: 30 });
    assert(plain.type === 'peaks' && plain.peaks.some((peak) => peak > 50));
    assert.deepEqual(await read({ type: 'peaks', file: tagged, seconds: 30 }), plain);
  });

  it('cuts the sound of a video', async () => {
    const file = await makeRecording(folder, 'talk.mp4', {
      options: [...h264, '-c:a', 'aac'],
      seconds: 30,
      hasPicture: true,
    });
    const parts = await cut(file, 100_000);
    assert(parts.length > 2);
    assert.equal((await soundOf(...parts.map((part) => part.file))).packets, (await soundOf(file)).packets);
  });

  it('reads a truncated FLAC as far as possible, or reports it as unreadable', async () => {
    const whole = await readFile(await makeRecording(folder, 'talk.flac', { seconds: 5 }));
    const cutAfter = async (share: number, quietMs?: number) => {
      const file = join(folder, `cut-${share}.flac`);
      await writeFile(file, whole.subarray(0, Math.floor(whole.length * share)));
      return read({ type: 'cut', file, folder: out, partBytes: 100_000 }, quietMs);
    };
    for (const share of [0, 0.001, 0.01]) assert.equal((await cutAfter(share, 1000)).type, 'unreadable', `${share}`);
    for (const share of [0.3, 0.7, 0.99]) assert.equal((await cutAfter(share)).type, 'parts', `${share}`);
  });

  describe('on a drive that does not respond', () => {
    let pipe: string;

    beforeEach(() => {
      pipe = join(folder, 'pipe.mpeg');
    });

    // Opening a pipe blocks until its other end is opened.
    afterEach(async () => (await open(pipe, 'r+')).close());

    itWith('mkfifo', 'gives up, and can be aborted', async (mkfifo) => {
      execFileSync(mkfifo, [pipe]);
      const task = { type: 'takeSound', file: pipe, folder: out, copies: 'ofVideos' } as const;
      const result = await read(task, 500);
      assert(result.type === 'unreadable');
      assert.match(result.reason, /no progress for 500 ms/);
      await assert.rejects(readRecording(task, { signal: AbortSignal.timeout(500) }), { name: 'TimeoutError' });
    });
  });

  it('rejects when aborted', async () => {
    const file = await makeRecording(folder, 'talk.flac', { seconds: 5 });
    const abort = new AbortController();
    const reading = readRecording({ type: 'cut', file, folder: out, partBytes: 50_000 }, { signal: abort.signal });
    abort.abort();
    await assert.rejects(reading, { name: 'AbortError' });
  });

  it('extracts the sound of a large video with little memory', async () => {
    const options = ['-c:v', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', '640x480', '-c:a', 'aac'];
    const file = await makeRecording(folder, 'screen.mov', { options, seconds: 10, hasPicture: true });
    assert((await stat(file)).size > 110_000_000);
    const before = process.memoryUsage.rss();
    let peak = 0;
    const watching = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 5);
    const result = await take(file).finally(() => clearInterval(watching));
    assert.equal(result.type, 'parts');
    const grown = (Math.max(peak, process.memoryUsage.rss()) - before) / 2 ** 20;
    assert(grown < 96, `it grew by ${grown} MiB`);
  });
});
