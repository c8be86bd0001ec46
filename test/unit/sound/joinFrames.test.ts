import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { bytesOf } from '../../../src/sound/joinSpeech.ts';
import { fc, runs } from '../../support/fastCheck.ts';
import { joined, joinParts, secondsByPart } from '../../support/joinParts.ts';
import { wavOf } from '../../support/mediaBytes.ts';
import {
  apeTag,
  id3v1,
  id3v2,
  indexFrame,
  lyrics3,
  type Mp3Setup,
  mp3Frame,
  soundingFrame,
} from '../../support/mp3Bytes.ts';
import { readMp3 } from '../../support/readMp3.ts';

const voice: Mp3Setup = { sampleRate: 44_100, isMono: true };

describe('joinFrames for MP3', () => {
  const frame = mp3Frame(voice);
  const sound = Buffer.concat([frame, mp3Frame(voice, 0), mp3Frame(voice, 2, true)]);

  const wrappings: readonly (readonly [string, (sound: Buffer) => readonly Buffer[]])[] = [
    ['nothing around it', (inner) => [inner]],
    ['a tag before it', (inner) => [id3v2('Title'), inner]],
    ['a tag with a footer', (inner) => [id3v2('Title', true), inner]],
    ['two tags before it', (inner) => [id3v2('One', true), id3v2('Two'), inner]],
    ['an APE tag before it', (inner) => [apeTag(true), inner]],
    ['padding zeros after the tag', (inner) => [id3v2('Title'), Buffer.alloc(5000), inner]],
    ['a tag after it', (inner) => [inner, id3v1('Title')]],
    ['an extended tag after it', (inner) => [inner, Buffer.alloc(227, 'TAG+'), id3v1('Title')]],
    ['an APE tag after it', (inner) => [inner, apeTag(true)]],
    ['an APE tag without header', (inner) => [inner, apeTag(false)]],
    ['an APE tag, lyrics and a tag after it', (inner) => [inner, apeTag(true), lyrics3(), id3v1('Title')]],
    ['a second tag after it', (inner) => [inner, id3v2('Behind', true)]],
    ['Xing', (inner) => [indexFrame(voice, 'Xing', 3), inner]],
    ['Info', (inner) => [id3v2('Title'), indexFrame(voice, 'Info', 3), inner, id3v1('')]],
    ['VBRI', (inner) => [indexFrame(voice, 'VBRI', 3), inner]],
    ['a truncated frame', (inner) => [inner, frame.subarray(0, 300)]],
    ['bytes between frames', (inner) => [inner, Buffer.from([0xff, 0xfb, 1, 2, 3]), inner.subarray(0, 0)]],
  ];
  for (const [what, wrap] of wrappings) {
    it(`keeps only the frames of sound with ${what}`, async () => {
      const { frames, tag } = readMp3(await joined('mp3', sound, Buffer.concat([...wrap(sound)]), sound));
      assert.deepEqual({ frames, tag: tag.length }, { frames: 9, tag: 0 });
      assert.equal(readMp3(await joined('mp3', Buffer.concat([...wrap(sound)]), sound)).frames, 6);
    });
  }

  it('keeps a part of a single frame, whatever follows it', async () => {
    for (const behind of [[], [id3v1('Title')], [apeTag(true)], [lyrics3(), id3v1('Title')]]) {
      const part = Buffer.concat([frame, ...behind]);
      assert.equal(readMp3(await joined('mp3', part, part)).frames, 2);
    }
  });

  it('keeps the tag of the first part unless it holds a length', async () => {
    const tagged = (text: string) => Buffer.concat([id3v2(text), sound]);
    assert.deepEqual(readMp3(await joined('mp3', tagged('One'), tagged('Two'))).tag, id3v2('One'));
    assert.equal(readMp3(await joined('mp3', tagged('TLEN\0\0\0\x05'), tagged('Two'))).tag.length, 0);
  });

  it('returns data that can be read twice', async () => {
    const result = await joinParts('mp3', sound, sound);
    assert(result.joined);
    assert.deepEqual(await buffer(bytesOf(result.data)), await buffer(bytesOf(result.data)));
  });

  it('streams long parts in chunks of at most 64 KiB', async () => {
    const frames = 3000;
    const long = Buffer.concat(
      Array.from({ length: frames }, (_, index) => mp3Frame(voice, index % 5, index % 3 === 0)),
    );
    const result = await joinParts('mp3', long, long);
    assert(result.joined);
    const pieces: Uint8Array[] = [];
    for await (const piece of bytesOf(result.data)) {
      assert(piece.length <= 65_536);
      pieces.push(piece);
    }
    assert.equal(readMp3(Buffer.concat(pieces)).frames, 2 * frames);
  });

  it('rejects parts with different settings, and files that are not MP3', async () => {
    for (const other of [{ ...voice, isMono: false }, { ...voice, sampleRate: 22_050 } as const]) {
      const second = Buffer.concat([mp3Frame(other), mp3Frame(other)]);
      assert.deepEqual(await joinParts('mp3', sound, second), { joined: false, reason: 'formatsDiffer', part: 1 });
    }
    for (const no of [
      Buffer.alloc(0),
      Buffer.from('<html>'),
      id3v2('T'),
      Buffer.alloc(70_000, 0xff),
      wavOf(Buffer.alloc(9)),
    ]) {
      assert.deepEqual(await joinParts('mp3', sound, sound, no), { joined: false, reason: 'unreadable', part: 2 });
    }
  });

  it('keeps the sum of the durations', async () => {
    const setups = [voice, { ...voice, isMono: false }, { sampleRate: 22_050, isMono: true } as const];
    const wrapping = fc.constantFrom(...wrappings.map(([, wrap]) => wrap));
    const frames = fc.array(fc.tuple(fc.nat(4), fc.boolean()), { minLength: 2, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...setups),
        fc.array(fc.tuple(frames, wrapping), { minLength: 1, maxLength: 5 }),
        async (setup, list) => {
          const sounds = list.map(([choices]) => Buffer.concat(choices.map((choice) => mp3Frame(setup, ...choice))));
          // The index frame and the truncated frame belong to one setup, so they are added only to its sound.
          const parts = sounds.map((inner, index) => Buffer.concat([...wrapFor(setup, list[index]?.[1])(inner)]));
          const seconds = sounds.map((inner) => readMp3(inner).seconds);
          const sum = seconds.reduce((all, one) => all + one, 0);
          assert(Math.abs(readMp3(await joined('mp3', ...parts)).seconds - sum) < 1e-6);
          for (const [part, reported] of (await secondsByPart('mp3', ...parts)).entries()) {
            assert(Math.abs(reported - (seconds[part] ?? 0)) < 1e-6);
          }
        },
      ),
      { numRuns: runs(30) },
    );
  });

  function wrapFor(setup: Mp3Setup, wrap: ((sound: Buffer) => readonly Buffer[]) | undefined) {
    return setup === voice && wrap ? wrap : (inner: Buffer) => [id3v2('T', true), inner, apeTag(true), id3v1('T')];
  }
});

describe('joinFrames for MP3 with silence', () => {
  const loud = (reservoir = 0) => soundingFrame(180, reservoir);
  /** 80 dB below. */
  const quiet = (reservoir = 0) => soundingFrame(127, reservoir);
  const times = (count: number, frame: Buffer) => Array.from({ length: count }, () => frame);

  it('leaves 0.4 s where parts meet, in whole frames, and says how much was cut', async () => {
    const parts = [
      [...times(60, quiet()), ...times(3, loud()), ...times(40, quiet())],
      [...times(30, quiet()), ...times(2, loud()), ...times(50, quiet())],
    ];
    const result = await joinParts('mp3', ...parts.map((part) => Buffer.concat(part)));
    assert(result.joined);
    const file = await buffer(bytesOf(result.data));
    const kept = [
      [...times(60, quiet()), ...times(3, loud()), ...times(8, quiet())],
      [...times(8, quiet()), ...times(2, loud()), ...times(50, quiet())],
    ];
    assert(file.equals(Buffer.concat(kept.flat())));
    const frame = 1152 / 44_100;
    assert.deepEqual(
      result.cut.map((seconds) => Math.round(seconds / frame)),
      [32, 22],
    );
    const seconds = await secondsByPart('mp3', ...parts.map((part) => Buffer.concat(part)));
    assert.deepEqual(
      seconds.map((one) => Math.round(one / frame)),
      [71, 60],
    );
    assert((await joined('mp3', ...parts.map((part) => Buffer.concat(part)))).equals(file));
  });

  it('keeps the bytes that later frames need, and mutes frames that lack theirs', async () => {
    // The sound of a frame begins 500 bytes before it; a frame has room for 396.
    const part = Buffer.concat([quiet(), ...times(29, quiet(500)), ...times(2, loud(500))]);
    const { frames } = readMp3(await joined('mp3', loud(), part));
    assert.equal(frames, 1 + 16 + 2);
    const file = await joined('mp3', loud(), part);
    const found = Array.from({ length: 19 }, (_, index) => file.subarray(index * 417, (index + 1) * 417));
    const muted = (reservoir: number) => {
      const side = Buffer.alloc(17);
      side.writeUInt16BE(reservoir << 7);
      return Buffer.concat([quiet(500).subarray(0, 4), side, quiet(500).subarray(21)]);
    };
    assert.deepEqual(found.slice(1, 4), [muted(0), muted(115), quiet(500)]);
    assert.deepEqual(found.slice(-3), [quiet(500), loud(500), loud(500)]);
  });

  it('keeps silence that is not much quieter than the sound, or in frames with a checksum', async () => {
    const hasAll = async (...frames: readonly Buffer[]) =>
      readMp3(await joined('mp3', Buffer.concat([...frames]), Buffer.concat([...frames]))).frames === 2 * frames.length;
    assert(await hasAll(...times(50, soundingFrame(150)), loud(), ...times(50, soundingFrame(150))));
    const frames = [...times(50, quiet()), loud(), ...times(50, quiet())];
    assert(!(await hasAll(...frames)));
    const checked = frames.map((frame) =>
      Buffer.concat([Buffer.of(0xff, 0xfa), frame.subarray(2, 4), Buffer.alloc(2), frame.subarray(4, -2)]),
    );
    assert(await hasAll(...checked));
  });
});

describe('joinFrames for AAC', () => {
  const frameOf = (rate: number, length: number) =>
    Buffer.concat([
      Buffer.from([
        0xff,
        0xf1,
        0x40 | (rate << 2),
        0x40 | (length >> 11),
        (length >> 3) & 255,
        (length & 7) << 5,
        0xfc,
      ]),
      Buffer.alloc(length - 7),
    ]);
  const sound = Buffer.concat([frameOf(6, 300), frameOf(6, 9), frameOf(6, 4100)]);

  it('concatenates ADTS frames', async () => {
    assert.deepEqual(await joined('aac', sound, Buffer.concat([sound, id3v1('T')])), Buffer.concat([sound, sound]));
  });

  it('returns the duration of each part', async () => {
    const three = Buffer.from(sound);
    // The second frame holds two blocks of samples.
    three[306] = (three[306] ?? 0) | 1;
    const rate = 24_000;
    assert.deepEqual(await secondsByPart('aac', sound, three), [
      3 * (1024 / rate),
      1024 / rate + 2048 / rate + 1024 / rate,
    ]);
  });

  it('rejects parts with different sample rates, and MP4', async () => {
    const other = Buffer.concat([frameOf(7, 300), frameOf(7, 300)]);
    assert.deepEqual(await joinParts('aac', sound, other), { joined: false, reason: 'formatsDiffer', part: 1 });
    const mp4 = Buffer.from('\0\0\0\x18ftypM4A \0\0\0\0', 'latin1');
    assert.deepEqual(await joinParts('aac', mp4), { joined: false, reason: 'unreadable', part: 0 });
  });
});
