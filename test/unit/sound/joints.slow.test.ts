import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { bytesOf, joinSpeech } from '../../../src/sound/joinSpeech.ts';
import { hasFfmpeg } from '../../support/ffmpeg.ts';
import { findProgram } from '../../support/findProgram.ts';
import { skipUnless } from '../../support/skipUnless.ts';

const spokenRate = 24_000;
/** Quieter samples are silence: 52 dB below full scale. */
const silent = 80;

describe('100 joints', function () {
  this.timeout(120_000);
  let folder: string;
  let parts: readonly string[];

  before(function () {
    skipUnless(this, hasFfmpeg() && findProgram('espeak-ng') !== undefined, 'ffmpeg and espeak-ng');
    folder = mkdtempSync(join(tmpdir(), 'joints-'));
    const voices = sentences.map((sentence, index) => spoken(folder, sentence, index));
    parts = Array.from({ length: 101 }, (_, index) => {
      const file = join(folder, `${index}.wav`);
      writeFileSync(file, withSilence(voices[index % voices.length] ?? Buffer.alloc(0), index));
      return file;
    });
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  const encodings: readonly (readonly [kind: string, options: string])[] = [
    ['wav', '-c:a pcm_s16le'],
    ['mp3', '-c:a libmp3lame -b:a 128k'],
    ['mp3', '-c:a libmp3lame -b:a 64k'],
    ['mp3', '-c:a libmp3lame -b:a 16k'],
    ['mp3', '-c:a libmp3lame -q:a 4'],
    ['mp3', '-c:a libmp3lame -ar 44100 -ac 2 -b:a 128k'],
  ];
  for (const [kind, options] of encodings) {
    it(`are at most 1.3 times as long as the median, and no sound changes: ${kind} ${options}`, async () => {
      const files = encoded(parts, kind, options);
      const result = await joinSpeech(kind, files);
      assert(result.joined);
      const seconds = files.map(() => 0);
      for await (const piece of result.data) {
        if (piece.part !== undefined) seconds[piece.part] = (seconds[piece.part] ?? 0) + piece.seconds;
      }
      const whole = join(folder, `whole.${kind}`);
      writeFileSync(whole, await buffer(bytesOf(result.data)));
      const [heard = new Int16Array(), ...parted] = decoded([whole, ...files]);
      const rate = options.includes('44100') ? 44_100 : spokenRate;
      const frame = kind === 'wav' ? 240 : rate === spokenRate ? 576 : 1152;
      const pauses: number[] = [];
      let [at, last] = [0, 0];
      for (const index of files.keys()) {
        const alone = parted[index] ?? new Int16Array();
        const sound = alone.subarray(...loudIn(alone));
        const end = at + (seconds[index] ?? 0);
        const first = placeOf(sound, heard, Math.round(at * rate) + loudIn(alone)[0], frame);
        assert(first !== undefined, `the sound of part ${index} is not in the file as it is in the part`);
        // A decoder is up to a frame late.
        const until = (first + sound.length - frame) / rate;
        assert(first / rate >= at && until <= end, `part ${index} is not where its subtitle is`);
        const before = alone.length / rate;
        const after = (seconds[index] ?? 0) + (result.cut[index] ?? 0);
        assert(Math.abs(before - after) < 1e-3, `part ${index}: ${before} s, but ${after} s with what was cut`);
        if (index > 0) pauses.push((first - last) / rate);
        [at, last] = [end, first + sound.length];
      }
      assert.equal(pauses.length, 100);
      // Where silence takes no bytes, many frames have to stay for what the sound after it needs of them.
      if (options.includes('-q:a')) return;
      const median = pauses.toSorted((one, other) => one - other)[50] ?? 0;
      const longest = Math.max(...pauses);
      assert(longest <= 1.3 * median, `the longest of ${longest} s is above 1.3 times ${median} s`);
    });
  }
});

const sentences = [
  'The ferry leaves at nine. Have your tickets ready.',
  'Fish, and less salt. Hush, keep off the grass.',
  'Where does it stop? Nobody knows.',
  'Press the switch. Then wait for the light.',
  'Such a soft breath of wind. It passes.',
];

/** Returns the samples of a spoken sentence, without the header. */
function spoken(folder: string, sentence: string, index: number): Buffer {
  const file = join(folder, `voice-${index}.wav`);
  execFileSync('espeak-ng', ['-v', index % 2 === 0 ? 'en' : 'en+f3', '-w', file, sentence]);
  return execFileSync(
    'ffmpeg',
    ['-v', 'error', '-i', file, '-f', 's16le', '-ar', String(spokenRate), '-ac', '1', '-'],
    {
      maxBuffer: 2 ** 28,
    },
  );
}

/** Returns a WAV file of a part with 0.3 to 1.4 s of silence at each end, every other with the noise of a quiet room. */
function withSilence(voice: Buffer, index: number): Buffer {
  const seconds = (step: number) => 0.3 + ((index * step) % 12) / 10;
  const samples = Buffer.concat([
    Buffer.alloc(2 * Math.round(seconds(5) * spokenRate)),
    voice,
    Buffer.alloc(2 * Math.round(seconds(7) * spokenRate)),
  ]);
  for (let at = 0, noise = index + 1; at < samples.length && index % 2 === 1; at += 2) {
    noise = (noise * 48_271) % 2_147_483_647;
    samples.writeInt16LE(Math.max(-32_768, Math.min(32_767, samples.readInt16LE(at) + (noise % 21) - 10)), at);
  }
  const header = Buffer.alloc(44, 'RIFF....WAVEfmt ');
  header.writeUInt32LE(36 + samples.length, 4);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(spokenRate, 24);
  header.writeUInt32LE(2 * spokenRate, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** Encodes all parts with one ffmpeg, because it takes longer to start than to encode. */
function encoded(parts: readonly string[], kind: string, options: string): readonly string[] {
  const outputs = parts.map((part) => part.replace(/\.wav$/, `-encoded.${kind}`));
  const inputs = parts.flatMap((part) => ['-i', part]);
  const maps = outputs.flatMap((output, index) => ['-map', `${index}:a`, ...options.split(' '), output]);
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...inputs, ...maps]);
  return outputs;
}

/**
 * Decodes files with one ffmpeg, with the samples that an encoder adds. Any complaint of the decoder fails the test.
 *
 * @returns their left channel
 */
function decoded(files: readonly string[]): readonly Int16Array[] {
  const inputs = files.flatMap((file) => ['-flags2', 'skip_manual', '-i', file]);
  const outputs = files.map((file) => `${file}.s16`);
  const left = ['-af', 'pan=mono|c0=c0', '-f', 's16le'];
  const maps = outputs.flatMap((output, index) => ['-map', `${index}:a`, ...left, output]);
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-xerror', '-y', ...inputs, ...maps]);
  assert.deepEqual([status, stderr.toString()], [0, '']);
  return outputs.map((output) => {
    const bytes = readFileSync(output);
    return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  });
}

/** Returns where sound begins and ends; the end is exclusive. */
function loudIn(samples: Int16Array): readonly [number, number] {
  const isLoud = (sample: number) => Math.abs(sample) > silent;
  return [samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1];
}

/** Returns where a sound is heard, whole frames before a position. Decoders round. */
function placeOf(sound: Int16Array, heard: Int16Array, latest: number, frame: number): number | undefined {
  for (let at = latest; at >= 0 && at > latest - 3 * spokenRate; at -= frame) {
    if (sound.every((sample, index) => Math.abs(sample - (heard[at + index] ?? 0)) <= 2)) return at;
  }
  return undefined;
}
