import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { bodyOf, type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { describeWithFfmpeg } from '../../support/makeRecording.ts';
import { transcribeAt } from '../../support/transcribeAt.ts';

const run = promisify(execFile);

/** 0.2 s and one frame. */
const tolerance = 0.26;
/** A tone in the third of every five seconds. */
const tones = 'aevalsrc=0.5*sin(2*PI*600*t)*between(mod(t\\,5)\\,2\\,3):d=20:s=48000';
const picture = ['-f', 'lavfi', '-i', 'testsrc=s=64x48:r=10:d=20'];
const [vp8, h264] = [
  ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-threads', '1'],
  ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '100'],
];
/** Five seconds without packets after five seconds of sound. */
const gap = ['-bsf:a', 'setts=ts=PTS+if(gt(PTS*TB\\,5)\\,5/TB\\,0)'];
/** Two seconds without packets in every silence, as in calls. What is before 0 only prepares the decoder, and stays. */
const gaps = ['-bsf:a', 'setts=ts=PTS+max(0\\,floor(PTS*TB/5))*2/TB'];

describeWithFfmpeg('the times of captions', () => {
  let shared: string;
  let tonesFile: string;
  let folder: string;
  let server: HttpServer;
  let sent: string[];

  before(async () => {
    shared = await mkdtemp(join(tmpdir(), 'tones-'));
    tonesFile = join(shared, 'tones.wav');
    await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', tones, tonesFile]);
  });

  after(() => rm(shared, { recursive: true }));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'caption-times-'));
    sent = [];
    // Hears the tones of what it gets, as a service does that decodes with ffmpeg.
    server = await startHttpServer(async (request, response) => {
      const body = await bodyOf(request);
      const start = body.indexOf('\r\n\r\n', body.indexOf('filename="')) + 4;
      const boundary = body.subarray(0, body.indexOf('\r\n'));
      const name = /filename="([^"]+)"/.exec(body.toString('latin1'))?.[1] ?? '';
      const file = join(folder, `sent-${sent.push(name)}${extname(name)}`);
      await writeFile(file, body.subarray(start, body.indexOf(boundary, start) - 2));
      const options = ['-v', 'error', '-i', file, '-map', '0:a', '-f', 's16le', '-ac', '1', '-ar', '8000', '-'];
      const { stdout } = await run('ffmpeg', options, { encoding: 'buffer' });
      const segments = loudIn(stdout).map((times) => ({ ...times, text: 'Tone.' }));
      response.end(JSON.stringify({ text: segments.map(({ text }) => text).join(' '), segments }));
    });
  });

  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  /** Returns when it is loud in samples of 8,000 Hz. */
  function loudIn(samples: Buffer) {
    const loud: { start: number; end: number }[] = [];
    // 50 ms.
    for (let at = 0; at + 800 <= samples.length; at += 800) {
      if (!Array.from({ length: 400 }, (_, index) => samples.readInt16LE(at + 2 * index)).some((one) => one > 3000))
        continue;
      const last = loud.at(-1);
      if (last && last.end >= at / 16_000) last.end = (at + 800) / 16_000;
      else loud.push({ start: at / 16_000, end: (at + 800) / 16_000 });
    }
    return loud;
  }

  /** Returns when tones start, by the times that the file has. */
  async function tonesIn(file: string): Promise<readonly number[]> {
    const filter = ['-map', '0:a', '-af', 'silencedetect=n=-30dB:d=0.3', '-f', 'null', '-'];
    const { stderr } = await run('ffmpeg', ['-hide_banner', '-copyts', '-i', file, ...filter]);
    // The end of the file ends a silence, too, and the tones last a second.
    const ends = [...stderr.matchAll(/silence_end: (-?[\d.]+)/g)].map(([, at]) => Number(at));
    const last = Number(/silence_start: (-?[\d.]+)(?![\s\S]*silence_start)/.exec(stderr)?.[1] ?? 0);
    return ends.filter((at) => at <= last);
  }

  type Step = readonly string[];
  const codecs: Readonly<Record<string, readonly string[]>> = {
    webm: ['libopus', 'libvorbis'],
    mkv: ['aac', 'libmp3lame', 'flac', 'pcm_s16le', 'libopus', 'libvorbis'],
    mp4: ['aac', 'libmp3lame'],
    mov: ['aac', 'pcm_s16be'],
    m4a: ['aac'],
    ts: ['aac', 'mp2'],
  };
  const troubles: Readonly<Record<string, readonly Step[]>> = {
    'no gap': [],
    'a gap': [['-c', 'copy', ...gap]],
    gaps: [['-c', 'copy', ...gaps]],
    'a late start': [['-c', 'copy', '-output_ts_offset', '100']],
  };
  /** Steps of ffmpeg: each gets what the one before has made. */
  const rows: readonly (readonly [string, string, readonly Step[]])[] = [
    ...Object.entries(codecs).flatMap(([extension, all]) =>
      all.flatMap((codec) =>
        Object.entries(troubles).map(
          ([what, steps]) => [extension, `${what} in ${codec}`, [['-c:a', codec], ...steps]] as const,
        ),
      ),
    ),
    [
      'webm',
      'a gap in Opus beside a picture',
      [
        ['-c:a', 'libopus'],
        [...picture, ...vp8, '-c:a', 'copy', ...gap],
      ],
    ],
    [
      'mp4',
      'gaps in AAC beside a picture',
      [
        ['-c:a', 'aac'],
        [...picture, ...h264, '-c:a', 'copy', ...gaps],
      ],
    ],
    [
      'mp4',
      'AAC that starts later than its picture',
      [
        ['-c:a', 'aac', '-output_ts_offset', '3'],
        [...picture, ...h264, '-c:a', 'copy', '-copyts'],
      ],
    ],
    ['mp4', 'AAC beside a picture', [[...picture, ...h264, '-c:a', 'aac']]],
    [
      'mpeg',
      'MP2 that starts later than its picture',
      [[...picture, '-c:v', 'mpeg1video', '-r', '25', '-c:a', 'mp2', '-af', 'asetpts=PTS+3/TB']],
    ],
  ];
  for (const [extension, what, steps] of rows) {
    it(`are those of the recording: ${extension} with ${what}, whole and in parts`, async () => {
      let file = tonesFile;
      for (const [index, options] of steps.entries()) {
        const made = join(folder, `${index}.${extension}`);
        await run('ffmpeg', ['-v', 'error', '-i', file, ...options, made]);
        file = made;
      }
      // Transport streams are sent under the name of a film.
      if (extension === 'ts') {
        const film = join(folder, 'film.mpeg');
        await rename(file, film);
        file = film;
      }
      // Streams of MPEG start anywhere, and play from there.
      const probe = ['-v', 'error', '-show_entries', 'format=start_time', '-of', 'csv=p=0', file];
      const zero = ['mpeg', 'ts'].includes(extension) ? Number((await run('ffprobe', probe)).stdout) : 0;
      const expected = (await tonesIn(file)).map((at) => at - zero);
      assert(expected.length >= 4, `${expected}`);
      const third = Math.max(30_000, Math.floor((await stat(file)).size / 3));
      for (const maxBytes of [0, third]) {
        sent = [];
        const starts = await captionsOf(file, maxBytes);
        const times = `${starts} instead of ${expected}, sent as ${sent}`;
        const isNear = (at: number) => starts.some((start) => Math.abs(start - at) < tolerance);
        assert(expected.every(isNear), times);
        // A part may start inside a tone.
        const isIn = (start: number) => expected.some((at) => start > at - tolerance && start < at + 1 + tolerance);
        assert(starts.every(isIn), times);
      }
    });
  }

  /** Transcribes a recording. @returns when its captions start */
  async function captionsOf(file: string, maxBytes: number): Promise<readonly number[]> {
    const root = await mkdtemp(join(folder, 'workspace-'));
    const storage = await mkdtemp(join(folder, 'storage-'));
    const wanted = { host: server.origin, root, storage, file, maxBytes, transcriptFormat: 'srt' } as const;
    const { assets } = await transcribeAt(wanted);
    const text = await readFile(new URL(assets[0]?.uri ?? ''), 'utf8');
    return [...text.matchAll(/(\d+):(\d+):(\d+),(\d+) -->/g)].map(
      ([, hours, minutes, seconds, thousandths]) =>
        Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(thousandths) / 1000,
    );
  }
});
