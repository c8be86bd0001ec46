import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RecordingLength, readRecording, recordingMinutes } from '../../../src/sound/readRecording.ts';
import { describeWithFfmpeg, makeRecording, soundOf } from '../../support/makeRecording.ts';
import { skipUnless } from '../../support/skipUnless.ts';

const seconds = 60;

describeWithFfmpeg('the minutes of a recording (promise 22)', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'minutes-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const make = (extension: string, options: readonly string[] = [], hasPicture = false) =>
    makeRecording(folder, `talk.${extension}`, { options, seconds, hasPicture });

  /** Replaces bytes of a file at a distance from a mark in it. */
  async function overwrite(file: string, mark: string, distance: number, bytes: Buffer): Promise<void> {
    const content = await readFile(file);
    const at = content.indexOf(mark, 0, 'latin1');
    assert(at >= 0, `there is no ${mark}`);
    bytes.copy(content, at + distance);
    await writeFile(file, content);
  }

  function double(value: number): Buffer {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value);
    return bytes;
  }

  /** EBML's Duration of 8 bytes, in milliseconds. */
  const setDuration = (file: string, milliseconds: number) => overwrite(file, 'D\x89\x88', 3, double(milliseconds));

  const within = (minutes: number, lowest: number, highest: number) =>
    assert(minutes >= lowest && minutes <= highest, `${minutes} minutes are not from ${lowest} to ${highest}`);
  /** Checks minutes that were counted. */
  const between = ({ minutes, minutesAtMost }: RecordingLength, lowest: number, highest: number) => {
    within(minutes, lowest, highest);
    assert.equal(minutesAtMost, undefined);
  };
  /** Checks minutes that are said to be an upper bound. */
  const bounded = ({ minutes, minutesAtMost }: RecordingLength, lowest: number, highest: number) => {
    within(minutes, lowest, highest);
    assert.equal(minutesAtMost, true);
  };

  const honest = [
    ['mp3', ['-b:a', '320k']],
    ['mp3', ['-ac', '1', '-ar', '16000', '-b:a', '16k']],
    ['m4a', ['-b:a', '256k']],
    ['webm', ['-b:a', '24k']],
    ['ogg', []],
    ['flac', ['-ac', '2', '-ar', '96000', '-sample_fmt', 's32']],
    ['flac', ['-ac', '1', '-ar', '8000']],
    ['wav', ['-ac', '2', '-ar', '48000', '-c:a', 'pcm_s24le']],
    ['wav', ['-ac', '1', '-ar', '8000', '-c:a', 'pcm_mulaw']],
    ['wav', ['-ac', '2', '-c:a', 'pcm_f64le']],
    ['mov', ['-ac', '2', '-c:a', 'pcm_s16be']],
    ['mov', ['-ac', '2', '-ar', '48000', '-c:a', 'pcm_f64be']],
    ['mkv', ['-ac', '2', '-c:a', 'pcm_s24be']],
    ['m4a', ['-ac', '2', '-c:a', 'alac']],
    ['mkv', ['-ac', '2', '-c:a', 'alac']],
    ['mp4', ['-ac', '2', '-c:a', 'ac3', '-b:a', '640k']],
    ['mkv', ['-ac', '2', '-c:a', 'eac3', '-b:a', '1000k']],
    ['mkv', ['-ac', '2', '-c:a', 'dca', '-strict', '-2', '-b:a', '1411k']],
    ['mkv', ['-ac', '2', '-c:a', 'libopus', '-b:a', '500k', '-vbr', 'off']],
    ['wav', ['-c:a', 'adpcm_ms']],
    ['wav', ['-c:a', 'adpcm_ima_wav']],
    ['wav', ['-ac', '1', '-ar', '8000', '-c:a', 'libgsm_ms']],
    ['mkv', ['-ac', '2', '-c:a', 'wavpack']],
    ['mkv', ['-ac', '2', '-c:a', 'tta']],
    ['ts', ['-c:a', 'aac', '-output_ts_offset', '100']],
    ['mp4', ['-c:a', 'aac', '-output_ts_offset', '100']],
    ['mkv', ['-c:a', 'aac', '-output_ts_offset', '100']],
    ['webm', ['-output_ts_offset', '100']],
    ['ogg', ['-output_ts_offset', '100']],
    ['mp2', ['-ac', '2', '-b:a', '384k']],
    ['mp3', ['-q:a', '0', '-write_xing', '0', '-af', 'volume=enable=gt(t\\,9):volume=0']],
  ] as const;
  for (const [extension, options] of honest) {
    it(`are those of its header for an honest ${extension} with ${options.join(' ') || 'defaults'}`, async () => {
      between(await recordingMinutes(await make(extension, options)), 1, 1.02);
    });
  }

  it('do not depend on the picture of a video', async () => {
    const video = await make(
      'mov',
      ['-r', '5', '-s', '160x90', '-c:v', 'rawvideo', '-c:a', 'aac', '-b:a', '64k'],
      true,
    );
    between(await recordingMinutes(video), 1, 1.02);
  });

  for (const milliseconds of [0, 0.5, -60_000, Number.NaN, Number.NEGATIVE_INFINITY]) {
    it(`are counted although the header of a WebM says ${milliseconds} ms`, async () => {
      const file = await make('webm');
      await setDuration(file, milliseconds);
      between(await recordingMinutes(file), 1, 1.02);
    });
  }

  it('are what the bytes can hold where the times of the packets lie, too', async () => {
    const file = await make('webm', ['-b:a', '64k', '-bsf:a', 'setts=ts=N']);
    await setDuration(file, 1);
    bounded(await recordingMinutes(file), 1, 4);
  });

  it('are counted although the header of an MP3 says one frame', async () => {
    const file = await make('mp3');
    await overwrite(file, 'Xing', 8, Buffer.from([0, 0, 0, 1])).catch(() =>
      overwrite(file, 'Info', 8, Buffer.from([0, 0, 0, 1])),
    );
    between(await recordingMinutes(file), 1, 1.02);
  });

  it('are counted although the header of a FLAC says one sample', async () => {
    const file = await make('flac');
    // The total number of samples ends 8 bytes before the end of the stream's description.
    await overwrite(file, 'fLaC', 4 + 4 + 14, Buffer.from([0, 0, 0, 1]));
    between(await recordingMinutes(file), 1, 1.02);
  });

  for (const bytes of [0, 2]) {
    it(`are what the bytes can hold in a WAV that claims ${bytes} of them`, async () => {
      const file = await make('wav');
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes);
      await overwrite(file, 'data', 4, length);
      (bytes === 0 ? between : bounded)(await recordingMinutes(file), 1, 1.02);
    });
  }

  for (const bits of [12, 20]) {
    it(`are counted for samples of ${bits} bits, which are copied`, async () => {
      // Such samples fill whole bytes, so only the width in the header differs.
      const file = await make('wav', ['-ac', '1', '-c:a', bits === 12 ? 'pcm_s16le' : 'pcm_s24le', '-rf64', 'never']);
      await overwrite(file, 'fmt ', 22, Buffer.from([bits, 0]));
      if (bits === 20) await overwrite(file, 'fmt ', 8, Buffer.from([1, 0]));
      between(await recordingMinutes(file), 1, 1.02);
      const task = { type: 'cut', file, folder, partBytes: 3_000_000 } as const;
      const result = await readRecording(task, { signal: new AbortController().signal });
      assert(result.type === 'parts', JSON.stringify(result));
      const before = await soundOf(file);
      const after = await soundOf(...result.parts.map((part) => part.file));
      assert.equal(after.packets, before.packets);
    });
  }

  it('are an upper bound where the rate of a coded WAV is not credible', async () => {
    const file = await make('wav', ['-c:a', 'adpcm_ms']);
    // Samples of a block.
    await overwrite(file, 'fmt ', 26, Buffer.from([1, 0]));
    bounded(await recordingMinutes(file), 5, 6);
  });

  it('are not those of a short first track before a long one', async () => {
    const long = await make('m4a');
    const file = join(folder, 'two.m4a');
    const short = ['-f', 'lavfi', '-i', 'sine=d=1'];
    execFileSync('ffmpeg', ['-v', 'error', ...short, '-i', long, '-map', '0', '-map', '1', '-c:a:1', 'copy', file]);
    between(await recordingMinutes(file), 1, 1.02);
  });

  it('are those of the opened file, whatever stands at its path by now', async function () {
    skipUnless(this, process.platform !== 'win32', 'a system that replaces open files');
    const file = await make('mp3');
    await using opened = await open(file);
    const other = join(folder, 'other.mp3');
    await writeFile(other, Buffer.alloc(480_000, 'noise'));
    await rename(other, file);
    between(await recordingMinutes(file, opened.fd), 1, 1.02);
    bounded(await recordingMinutes(file), 2, 2);
  });

  it('are at least what the bytes between the frames of an MP3 can hold', async () => {
    const file = await make('mp3', ['-b:a', '128k', '-t', '1']);
    await appendFile(file, Buffer.alloc(480_000, 'noise'));
    bounded(await recordingMinutes(file), 2, 2.1);
  });

  it('are counted through a chain, and through a change of its form', async () => {
    const mono = await readFile(await make('mp3', ['-ac', '1']));
    const stereo = await readFile(await make('mp3', ['-ac', '2', '-ar', '22050']));
    await writeFile(join(folder, 'chain.mp3'), Buffer.concat([mono, stereo]));
    between(await recordingMinutes(join(folder, 'chain.mp3')), 2, 2.02);
  });

  it('follow from the size where nothing can be read, and are never 0', async () => {
    const file = join(folder, 'noise.mp3');
    await writeFile(file, Buffer.alloc(480_000, 'noise'));
    bounded(await recordingMinutes(file), 2, 2);
    await writeFile(file, '');
    bounded(await recordingMinutes(file), 0.01, 0.01);
  });
});
