import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { marksIn } from '../../../src/marks/readMarks.ts';
import type { CroppedVideo, CropTask } from '../../../src/sound/readRecording.ts';
import { readRecording } from '../../../src/sound/readRecording.ts';
import type { Recording } from '../../support/makeRecording.ts';
import { describeWithFfmpeg, makeRecording, soundOf } from '../../support/makeRecording.ts';
import { readMp4 } from '../../support/readMp4.ts';

const run = promisify(execFile);

/** Width, height, and the left and upper edge in the decoded picture. */
type Area = readonly [width: number, height: number, x: number, y: number];

const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const x265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const quiet = 'log-level=none:pools=1';
/** Square pixels. */
const sized = (size: string) => ['-vf', `scale=${size},setsar=1`];
const wide = sized('640:360');
const aac = ['-c:a', 'aac'];

describeWithFfmpeg('cropVideo', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crops-'));
  });
  after(() => rm(folder, { recursive: true }));

  const make = (name: string, recording: Recording) =>
    makeRecording(folder, name, { seconds: 1, hasPicture: true, hasSound: false, ...recording });
  const copy = async (file: string, name: string, ...options: readonly string[]) => {
    const path = join(folder, name);
    await run('ffmpeg', ['-v', 'error', '-y', '-i', file, '-c', 'copy', ...options, path]);
    return path;
  };
  const cropBytes = (bytes: Uint8Array, facts: Partial<CropTask> = {}): Promise<CroppedVideo> => {
    const task = { type: 'crop', bytes, ratio: 1, ...facts } as const;
    return readRecording(task, { signal: new AbortController().signal });
  };
  /** Without the file, of which a failing comparison would print every byte. */
  const outcomeOf = (result: CroppedVideo) => (result.type === 'cropped' ? 'cropped' : result);
  const crop = async (file: string, ratio: number) => cropBytes(await readFile(file), { ratio });
  /** Each picture of a video: its times and a hash of its pixels, not turned. */
  const pictures = async (file: string, ...filter: readonly string[]) => {
    const output = ['-map', '0:v', ...filter, '-fps_mode', 'passthrough', '-f', 'framemd5', '-'];
    const { stdout } = await run('ffmpeg', ['-v', 'error', '-noautorotate', '-i', file, ...output]);
    const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return { count: lines.length, text: lines.join('\n'), base: /#tb 0: (.*)/.exec(stdout)?.[1] };
  };
  const cropped = async (file: string, ratio: number, [width, height, x, y]: Area): Promise<string> => {
    const result = await crop(file, ratio);
    assert(result.type === 'cropped', JSON.stringify(outcomeOf(result)));
    const path = `${file}.cropped.mp4`;
    await writeFile(path, result.bytes);
    const mp4 = readMp4(Buffer.from(result.bytes));
    assert.deepEqual(mp4.boxes, ['ftyp', 'moov', 'mdat']);
    assert.deepEqual([mp4.width, mp4.height], [width, height]);
    const after = await pictures(path);
    assert(after.count >= 5);
    assert.deepEqual(after, await pictures(file, '-vf', `crop=${width}:${height}:${x}:${y}:exact=1`));
    return path;
  };

  const videos: readonly (readonly [string, string, readonly string[], number, Area])[] = [
    ['H.264 with B-frames', 'a.mp4', [...x264, '-preset', 'veryfast', '-bf', '3', ...wide], 1, [360, 360, 128, 0]],
    ['H.264 to 9:16', 'b.mp4', [...x264, ...wide], 9 / 16, [202, 360, 192, 0]],
    ['H.264 to 16:9', 'c.mp4', [...x264, ...sized('320:240')], 16 / 9, [320, 180, 0, 30]],
    ['H.264 that is cropped already', 'd.mp4', [...x264, ...sized('640:350')], 4 / 3, [466, 350, 64, 0]],
    ['H.264 in 10 bits', 'e.mp4', [...x264, ...wide, '-pix_fmt', 'yuv420p10le'], 1, [360, 360, 128, 0]],
    ['H.264 with 4:4:4', 'f.mp4', [...x264, ...wide, '-pix_fmt', 'yuv444p'], 16 / 8.7, [640, 348, 0, 6]],
    ['interlaced H.264', 'g.mp4', [...x264, ...wide, '-flags', '+ildct+ilme'], 1200 / 630, [640, 336, 0, 12]],
    [
      'H.264 with its parameters in packets',
      'h.mp4',
      [...x264, ...wide, '-bsf:v', 'dump_extra'],
      1,
      [360, 360, 128, 0],
    ],
    ['fragments', 'i.mp4', [...x264, ...wide, '-movflags', 'frag_keyframe+empty_moov'], 1, [360, 360, 128, 0]],
    ['QuickTime', 'j.mov', [...x264, ...wide, '-r', '30000/1001'], 1, [360, 360, 128, 0]],
    ['H.265', 'k.mp4', [...x265, ...wide, '-x265-params', quiet, '-tag:v', 'hvc1'], 1, [360, 360, 128, 0]],
    [
      'H.265 with its parameters in packets',
      'l.mp4',
      [...x265, ...sized('640:350'), '-x265-params', `${quiet}:repeat-headers=1`, '-tag:v', 'hev1'],
      16 / 9,
      [622, 350, 0, 0],
    ],
    [
      'H.265 in 10 bits',
      'm.mp4',
      [...x265, ...wide, '-pix_fmt', 'yuv420p10le', '-x265-params', quiet],
      2,
      [640, 320, 0, 20],
    ],
    ['non-square pixels', 'n.mp4', [...x264, '-s', '320x240', '-aspect', '16:9'], 1, [180, 240, 64, 0]],
  ];
  for (const [title, name, options, ratio, area] of videos) {
    it(`shows the middle of ${title}, at the same times`, async () => {
      await cropped(await make(name, { options }), ratio, area);
    });
  }

  it('copies the sound unchanged, at the same time', async () => {
    const file = await make('sound.mp4', { options: [...x264, ...wide, ...aac], hasSound: true });
    const delayed = join(folder, 'delayed.mp4');
    const inputs = ['-i', file, '-itsoffset', '0.3', '-i', file];
    await run('ffmpeg', ['-v', 'error', '-y', ...inputs, '-map', '0:v', '-map', '1:a', '-c', 'copy', delayed]);
    for (const one of [file, delayed]) {
      const after = await cropped(one, 1, [360, 360, 128, 0]);
      assert.equal((await soundOf(after)).packets, (await soundOf(one)).packets);
      const times = async (path: string) => {
        const { stdout } = await run('ffmpeg', [
          '-v',
          'error',
          '-i',
          path,
          '-map',
          '0:a',
          '-c',
          'copy',
          '-f',
          'framemd5',
          '-',
        ]);
        return stdout;
      };
      assert.equal(await times(after), await times(one));
    }
  });

  it('keeps the times of a video whose edit list leaves out its beginning', async () => {
    const whole = await make('whole.mp4', {
      options: [...x264, ...wide, '-bf', '2', ...aac],
      seconds: 4,
      hasSound: true,
    });
    const file = join(folder, 'later.mp4');
    await run('ffmpeg', ['-v', 'error', '-y', '-ss', '1.5', '-i', whole, '-c', 'copy', file]);
    assert.match((await run('ffprobe', ['-v', 'trace', file])).stderr, /media time: [1-9]\d{3}/);
    await cropped(file, 1, [360, 360, 128, 0]);
  });

  it('crops a turned video as it is shown', async () => {
    const upright = await make('upright.mp4', { options: [...x264, ...wide] });
    const file = await copy(upright, 'turned.mp4', '-metadata:s:v', 'rotate=90');
    const after = await cropped(file, 16 / 9, [202, 360, 192, 0]);
    const result = await crop(file, 16 / 9);
    assert(result.type === 'cropped');
    assert.deepEqual([result.width, result.height], [360, 202]);
    const rotation = async (path: string) =>
      (await run('ffprobe', ['-v', 'error', '-show_entries', 'stream_side_data=rotation', '-of', 'csv', path])).stdout;
    assert.equal(await rotation(after), await rotation(file));
    assert.deepEqual(outcomeOf(await crop(file, 9 / 16)), { type: 'same' });
  });

  it('leaves a video that has the shape', async () => {
    const file = await make('same.mp4', { options: [...x264, ...sized('640:362')] });
    assert.deepEqual(outcomeOf(await crop(file, 16 / 9)), { type: 'same' });
  });

  it('says of which codec a video is that cannot be cropped', async () => {
    const vp9 = ['-s', '64x48', '-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8'];
    assert.deepEqual(outcomeOf(await crop(await make('vp9.webm', { options: vp9 }), 1)), {
      type: 'codec',
      codec: 'VP9',
    });
    const mpeg = ['-c:v', 'mpeg4'];
    assert.deepEqual(outcomeOf(await crop(await make('mpeg.mp4', { options: mpeg }), 1)), {
      type: 'codec',
      codec: undefined,
    });
  });

  it('leaves a video with sound that fits no MP4 file', async () => {
    const options = [...x264, ...wide, '-c:a', 'adpcm_ima_qt'];
    assert.deepEqual(outcomeOf(await crop(await make('adpcm.mov', { options, hasSound: true }), 1)), { type: 'sound' });
  });

  it('leaves a video whose edit list leaves out its end', async () => {
    const whole = await make('end.mp4', { options: [...x264, ...wide], seconds: 2 });
    const bytes = await readFile(whole);
    const at = bytes.indexOf('elst', 0, 'latin1');
    assert(at > 0);
    // Milliseconds of its only entry, and of the whole.
    bytes.writeUInt32BE(1000, at + 12);
    bytes.writeUInt32BE(1000, bytes.indexOf('mvhd', 0, 'latin1') + 20);
    assert.deepEqual(outcomeOf(await cropBytes(bytes)), { type: 'unusual', reason: 'it lasts 1 s, but holds 2 s' });
  });

  it('writes what the video is, and no other mark of its source', async () => {
    const bytes = await readFile('test/support/credentials/video.mp4');
    assert.deepEqual(marksIn(bytes).kinds, ['c2pa']);
    const result = await cropBytes(bytes, { ratio: 2 });
    assert(result.type === 'cropped', JSON.stringify(outcomeOf(result)));
    assert.deepEqual(marksIn(result.bytes), { kinds: [], source: undefined });
    const mark = 'trainedAlgorithmicMedia';
    const marked = await cropBytes(bytes, { ratio: 2, mark });
    assert(marked.type === 'cropped');
    assert.deepEqual(marksIn(marked.bytes), { kinds: ['iptc'], source: mark });
    await writeFile(join(folder, 'marked.mp4'), marked.bytes);
    assert((await pictures(join(folder, 'marked.mp4'))).count > 0);
  });

  it('never fails at a damaged file', async () => {
    const whole = await readFile(await make('damaged.mp4', { options: [...x264, ...wide, ...aac], hasSound: true }));
    const early = await readFile(await copy(join(folder, 'damaged.mp4'), 'early.mp4', '-movflags', 'faststart'));
    const index = whole.indexOf('moov', 0, 'latin1');
    const types = new Set<string>();
    const attempt = async (bytes: Uint8Array) => types.add((await cropBytes(bytes)).type);
    for (let part = 0; part < 12; part++) {
      const length = Math.floor((whole.length * part) / 12);
      assert.equal((await cropBytes(whole.subarray(0, length))).type, 'unreadable');
      // Here the index comes first, and of the packets the last are missing.
      if (part < 11) {
        assert.equal((await cropBytes(early.subarray(0, length))).type, 'unreadable');
      }
      const flipped = Buffer.from(whole);
      const at = index + Math.floor(((whole.length - index) * part) / 12);
      await attempt(flipped.fill(0xff, at, at + 3));
    }
    // A parameter set that ends too soon, and a packet that claims to be longer than it is.
    const record = whole.indexOf('avcC', 0, 'latin1') + 4;
    const short = await cropBytes(Buffer.from(whole).fill(0, record + 12, record + 24));
    assert.equal(short.type, 'unreadable');
    const silent = await readFile(await make('silent.mp4', { options: [...x264, ...wide] }));
    const media = silent.indexOf('mdat', 0, 'latin1') + 4;
    const long = await cropBytes(silent.fill(0x7f, media, media + 2));
    assert.deepEqual(outcomeOf(long), { type: 'unreadable', reason: 'a packet is too short' });
    assert(types.has('unreadable'));
  });
});
