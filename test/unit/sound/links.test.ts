import assert from 'node:assert/strict';
import { ADTS, FLAC, type InputFormat, MATROSKA, MP3, MP4, OGG, WAVE } from 'mediabunny';
import { linksOf } from '../../../src/sound/links.ts';
import { fc, runs } from '../../support/fastCheck.ts';
import { wavOf } from '../../support/mediaBytes.ts';
import { id3v2, indexFrame, type Mp3Setup, mp3Frame } from '../../support/mp3Bytes.ts';

async function linksIn(bytes: Buffer, container: InputFormat) {
  const read = async (memory: Uint8Array, position: number) => bytes.copy(memory, 0, position);
  const links = await linksOf({ path: 'talk', size: bytes.length, read }, container, () => undefined);
  return await Promise.all(
    links.map(async ({ recording, seconds }) => {
      // More than there is, as some readers ask for.
      const memory = Buffer.alloc(recording.size + 100);
      const length = await recording.read(memory, 0);
      return { seconds, bytes: memory.subarray(0, length) };
    }),
  );
}

describe('linksOf', () => {
  const setups: readonly Mp3Setup[] = [
    { sampleRate: 44_100, isMono: true },
    { sampleRate: 44_100, isMono: false },
    { sampleRate: 22_050, isMono: false },
    { sampleRate: 11_025, isMono: true },
  ];
  const run = fc.record({
    setup: fc.constantFrom(...setups),
    rates: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 2, maxLength: 6 }),
    hasTag: fc.boolean(),
    hasIndex: fc.boolean(),
  });

  it('counts every frame of MP3 files in whatever way they are chained', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 8 }), async (chain) => {
        const files = chain.map(({ setup, rates, hasTag, hasIndex }) => ({
          ...setup,
          seconds: (rates.length * (setup.sampleRate === 44_100 ? 1152 : 576)) / setup.sampleRate,
          sound: Buffer.concat(rates.map((rate) => mp3Frame(setup, rate))),
          head: Buffer.concat([
            ...(hasTag ? [id3v2('Title')] : []),
            ...(hasIndex ? [indexFrame(setup, 'Xing', rates.length)] : []),
          ]),
        }));
        const links = await linksIn(Buffer.concat(files.flatMap(({ head, sound }) => [head, sound])), MP3);
        const sumOf = (all: readonly { readonly seconds?: number }[]) =>
          all.reduce((sum, { seconds = 0 }) => sum + seconds, 0);
        assert(Math.abs(sumOf(links) - sumOf(files)) < 0.001, `${sumOf(links)} of ${sumOf(files)} s`);
        const changes = files.filter(
          ({ sampleRate, isMono }, index) =>
            index === 0 || sampleRate !== files[index - 1]?.sampleRate || isMono !== files[index - 1]?.isMono,
        );
        assert.equal(links.length, changes.length);
        const found = Buffer.concat(links.map(({ bytes }) => bytes));
        for (const { sound } of files) assert(found.includes(sound));
      }),
      { numRuns: runs(100) },
    );
  });

  it('finds frames across the windows in which a file is read', async () => {
    const [mono, stereo] = setups.map((setup) => mp3Frame(setup));
    assert(mono && stereo);
    const [many, more] = [Buffer.concat(Array(3000).fill(mono)), Buffer.concat(Array(4000).fill(stereo))];
    assert(many.length > 2 ** 20);
    const links = await linksIn(Buffer.concat([many, more, many]), MP3);
    assert.deepEqual(
      links.map(({ bytes }) => bytes.length),
      [many.length, more.length, many.length],
    );
  });

  it('starts again behind a tag in the middle of ADTS, where its reader stops', async () => {
    const frame = Buffer.from([0xff, 0xf1, 0x50, 0x80, 0x02, 0x1f, 0xfc, ...Buffer.alloc(9)]);
    const sound = Buffer.concat([frame, frame, frame]);
    const links = await linksIn(Buffer.concat([id3v2('Title'), sound, id3v2('Title'), sound, sound]), ADTS);
    const seconds = (frames: number) => (frames * 1024) / 44_100;
    assert.deepEqual(
      links.map((link) => link.bytes.length),
      [sound.length, 2 * sound.length],
    );
    assert(links.every((link, index) => Math.abs((link.seconds ?? 0) - seconds(index === 0 ? 3 : 6)) < 0.001));
  });

  it('finds where each file of a chain starts', async () => {
    const page = (flags: number, data: Buffer) =>
      Buffer.concat([
        Buffer.from('OggS\0'),
        Buffer.from([flags]),
        Buffer.alloc(20),
        Buffer.from([1, data.length]),
        data,
      ]);
    // Two streams side by side, as of a picture and its sound.
    const ogg = Buffer.concat([page(2, Buffer.alloc(19)), page(2, Buffer.alloc(30)), page(0, Buffer.alloc(200))]);
    const flac = Buffer.concat([Buffer.from('fLaC'), Buffer.from([0, 0, 0, 34]), Buffer.alloc(90)]);
    const matroska = Buffer.concat([
      Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x93, 0x42, 0x82, 0x84]),
      Buffer.from('webm'),
    ]);
    const wav = wavOf(Buffer.alloc(2000));
    for (const [container, file] of [
      [OGG, ogg],
      [FLAC, flac],
      [MATROSKA, matroska],
      [WAVE, wav],
    ] as const) {
      // The second one stands across the end of a window.
      const large = Buffer.concat([file, Buffer.alloc(2 ** 20 - file.length - 3)]);
      const links = await linksIn(Buffer.concat([large, file, file]), container);
      assert.deepEqual(
        links.map(({ bytes }) => bytes.length),
        [large.length, file.length, file.length],
      );
      assert.deepEqual(links.at(-1)?.bytes, file);
    }
  });

  it('returns any other file as one', async () => {
    const bytes = Buffer.concat([Buffer.from('OggS\0\x02'), Buffer.from('OggS\0\x02')]);
    assert.deepEqual(await linksIn(bytes, MP4), [{ seconds: undefined, bytes }]);
    assert.deepEqual(await linksIn(Buffer.from('no frames'), MP3), [
      { seconds: undefined, bytes: Buffer.from('no frames') },
    ]);
  });

  it('refuses a chain of too many', async () => {
    const frames = Buffer.concat(setups.slice(0, 2).flatMap((setup) => [mp3Frame(setup), mp3Frame(setup)]));
    await assert.rejects(linksIn(Buffer.concat(Array(600).fill(frames)), MP3), /more than 1000 times/);
    await assert.rejects(linksIn(Buffer.concat(Array(1001).fill(wavOf(Buffer.alloc(2)))), WAVE), /more than 1000/);
  });
});
