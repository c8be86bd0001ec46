import assert from 'node:assert/strict';
import { rm, truncate, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { bytesOf, joinSpeech } from '../../../src/sound/joinSpeech.ts';
import { fc, runs } from '../../support/fastCheck.ts';
import { joined, joinParts, pathOf, secondsByPart } from '../../support/joinParts.ts';
import { readWav } from '../../support/readWav.ts';
import { skipUnless } from '../../support/skipUnless.ts';

describe('joinWav', () => {
  it('writes a single header', async () => {
    const { data, format, chunks } = readWav(await joined('wav', wavOf([1, 2]), wavOf([3]), wavOf([])));
    assert.deepEqual([...data], [1, 0, 2, 0, 3, 0]);
    assert.deepEqual(format, formatOf());
    assert.deepEqual(chunks, ['fmt ', 'data']);
  });

  it('returns the duration of each part', async () => {
    const rate = formatOf().readUInt32LE(4);
    assert.deepEqual(await secondsByPart('wav', wavOf([1, 2]), wavOf([]), wavOf([3])), [2 / rate, 0, 1 / rate]);
  });

  const list = chunk('LIST', Buffer.from('INFOISFT\x03\0\0\0abc\0', 'latin1'));
  const data = chunk('data', Buffer.from([9, 0]));
  const odd = chunk('junk', Buffer.from([1]));
  const shapes: readonly (readonly [string, Buffer])[] = [
    ['other chunks before the samples', riff([odd, chunk('fmt ', formatOf()), list, data])],
    ['other chunks after the samples', riff([chunk('fmt ', formatOf()), data, list])],
    ['the samples before the format', riff([data, list, chunk('fmt ', formatOf())])],
    ['length 0, streamed', riff([chunk('fmt ', formatOf()), list, chunk('data', Buffer.from([9, 0]), 0)], 0)],
    [
      'length 0xFFFFFFFF',
      riff([chunk('fmt ', formatOf()), chunk('data', Buffer.from([9, 0]), 0xffffffff)], 0xffffffff),
    ],
    ['length beyond the end', riff([chunk('fmt ', formatOf()), chunk('data', Buffer.from([9, 0]), 1000)])],
    ['half a sample at the end', riff([chunk('fmt ', formatOf()), chunk('data', Buffer.from([9, 0, 7]))])],
    ['a format with an extension', riff([chunk('fmt ', Buffer.concat([formatOf(), Buffer.alloc(2)])), data])],
    ['the extensible format', riff([chunk('fmt ', extensibleOf(1)), data])],
  ];
  for (const [what, file] of shapes) {
    it(`finds the samples in a file with ${what}`, async () => {
      assert.deepEqual([...readWav(await joined('wav', wavOf([1]), file, wavOf([2]))).data], [1, 0, 9, 0, 2, 0]);
      assert.deepEqual([...readWav(await joined('wav', file, wavOf([2]))).data], [9, 0, 2, 0]);
    });
  }

  it('joins all files that a service has sent in one body', async () => {
    const open = (length: number, ...samples: readonly number[]) =>
      riff([chunk('fmt ', formatOf()), chunk('data', Buffer.from(samples), length)], length);
    const bodies = [
      Buffer.concat([wavOf([1]), wavOf([2]), wavOf([3])]),
      Buffer.concat([riff([chunk('fmt ', formatOf()), chunk('data', Buffer.from([1, 0])), list]), wavOf([2, 3])]),
      Buffer.concat([open(0, 1, 0), open(0, 2, 0, 3, 0)]),
      Buffer.concat([open(0xffffffff, 1, 0), open(0xffffffff, 2, 0), wavOf([3])]),
    ];
    const rate = formatOf().readUInt32LE(4);
    for (const body of bodies) {
      assert.deepEqual([...readWav(await joined('wav', body, wavOf([4]))).data], [1, 0, 2, 0, 3, 0, 4, 0]);
      assert.deepEqual(await secondsByPart('wav', body, wavOf([4])), [3 / rate, 1 / rate]);
    }
    const other = riff([chunk('fmt ', formatOf({ rate: 16_000 })), data]);
    const mixed = await joinParts('wav', wavOf([1]), Buffer.concat([wavOf([2]), other]));
    assert.deepEqual(mixed, { joined: false, reason: 'formatsDiffer', part: 1 });
    const far = Buffer.concat([open(0xffffffff, ...Array(70_000).fill(7)), wavOf([2])]);
    assert.equal(readWav(await joined('wav', far)).data.length, 70_002);
  });

  it('accepts an actual length of 0', async () => {
    const empty = riff([chunk('fmt ', formatOf()), chunk('data', Buffer.alloc(0)), list]);
    assert.deepEqual([...readWav(await joined('wav', empty, wavOf([2]))).data], [2, 0]);
  });

  it('pads an odd number of bytes only at the end', async () => {
    const format = { bits: 8 };
    const part = riff([chunk('fmt ', formatOf(format)), chunk('data', Buffer.from([1, 2, 3]))]);
    assert.deepEqual([...readWav(await joined('wav', part, part, part)).data], [1, 2, 3, 1, 2, 3, 1, 2, 3]);
  });

  it('writes the sample count of formats that are not PCM', async () => {
    const part = riff([chunk('fmt ', formatOf({ coding: 3, bits: 32 })), chunk('data', Buffer.alloc(8))]);
    const file = await joined('wav', part, part);
    assert.deepEqual(readWav(file).chunks, ['fmt ', 'fact', 'data']);
    assert.equal(file.readUInt32LE(file.indexOf('fact') + 8), 4);
  });

  it('rejects parts with different formats', async () => {
    for (const other of [{ rate: 16_000 }, { channels: 2 }, { bits: 8 }, { coding: 3 }]) {
      const file = riff([chunk('fmt ', formatOf(other)), data]);
      const result = await joinParts('wav', wavOf([1]), file);
      assert.deepEqual(result, { joined: false, reason: 'formatsDiffer', part: 1 });
    }
  });

  it('rejects compressed files, and files that are not WAV', async () => {
    const compressed = riff([chunk('fmt ', formatOf({ coding: 0x11 })), data]);
    const headless = riff([data]);
    const silent = riff([chunk('fmt ', formatOf())]);
    const short = riff([chunk('fmt ', Buffer.alloc(4)), data]);
    const rf64 = Buffer.from(wavOf([1]).toString('latin1').replace('RIFF', 'RF64'), 'latin1');
    for (const no of [compressed, headless, silent, short, rf64, Buffer.alloc(0), Buffer.from('RIFF')]) {
      assert.deepEqual(await joinParts('wav', wavOf([1]), no), { joined: false, reason: 'unreadable', part: 1 });
    }
  });

  it('rejects parts whose total exceeds the size limit of WAV', async function () {
    // The parts of 2 GiB take no disk space only as sparse files.
    skipUnless(this, process.platform !== 'win32', 'sparse files');
    const half = 2 ** 31;
    const parts = [pathOf('first.wav'), pathOf('second.wav')];
    for (const part of parts) {
      const header = riff([chunk('fmt ', formatOf()), chunk('data', Buffer.alloc(0), half)], half + 36);
      await writeFile(part, header);
      await truncate(part, header.length + half);
    }
    assert.deepEqual(await joinSpeech('wav', parts), { joined: false, reason: 'tooLarge' });
    assert.equal((await joinSpeech('wav', parts.slice(0, 1))).joined, true);
    for (const part of parts) await rm(part);
  });

  /** Half a second of a tone between silences, in seconds, whose samples do not reach a 256th of it. */
  const spoken = (before: number, after: number) => {
    const quiet = (seconds: number) => Array.from({ length: seconds * 24_000 }, (_, index) => (index % 71) - 35);
    return [...quiet(before), ...Array.from({ length: 12_000 }, (_, index) => 9000 - (index % 2)), ...quiet(after)];
  };

  it('shortens silence where parts meet, changes no other sample, and says how much was cut', async () => {
    const parts = [spoken(1, 0.6), spoken(0.5, 0.05), spoken(0.9, 2)];
    const result = await joinParts('wav', ...parts.map(wavOf));
    assert(result.joined);
    const file = await buffer(bytesOf(result.data));
    const expected = [...spoken(1, 0.2), ...spoken(0.5, 0.05).slice(7200), ...spoken(0.9, 2).slice(13_200)];
    assert(readWav(file).data.equals(readWav(wavOf(expected)).data));
    assert.deepEqual(
      result.cut.map((seconds) => seconds.toFixed(3)),
      ['0.400', '0.300', '0.550'],
    );
    const seconds = await secondsByPart('wav', ...parts.map(wavOf));
    const before = parts.map(({ length }, index) => length / 24_000 - (result.cut[index] ?? 0));
    assert.deepEqual(
      seconds.map((one) => one.toFixed(6)),
      before.map((one) => one.toFixed(6)),
    );
    assert((await joined('wav', ...parts.map(wavOf))).equals(file));
  });

  it('shortens no silence between pieces that a service has sent in one body, or of samples that are not linear', async () => {
    const body = Buffer.concat([wavOf(spoken(0.1, 1)), wavOf(spoken(1, 0.1))]);
    const { data: found } = readWav(await joined('wav', body, wavOf(spoken(0.1, 0.1))));
    assert.equal(found.length, 2 * [...spoken(0.1, 1), ...spoken(1, 0.1), ...spoken(0.1, 0.1)].length);
    const bytes = Buffer.concat([Buffer.alloc(24_000, 0x11), Buffer.alloc(24_000, 0xff)]);
    const law = riff([chunk('fmt ', formatOf({ coding: 7, bits: 8 })), chunk('data', bytes)]);
    assert.equal(readWav(await joined('wav', law, law)).data.length, 2 * bytes.length);
  });

  const widths = [
    { coding: 1, bits: 8, write: (value: number) => [128 + Math.round(value * 100)] },
    { coding: 1, bits: 24, write: (value: number) => [0, ...Buffer.from(Int16Array.of(value * 30_000).buffer)] },
    { coding: 1, bits: 32, write: (value: number) => [0, 0, ...Buffer.from(Int16Array.of(value * 30_000).buffer)] },
    { coding: 3, bits: 32, write: (value: number) => [...Buffer.from(Float32Array.of(value).buffer)] },
    { coding: 3, bits: 64, write: (value: number) => [...Buffer.from(Float64Array.of(value).buffer)] },
  ];
  for (const { coding, bits, write } of widths) {
    it(`shortens silence in samples of ${bits} bits, coding ${coding}`, async () => {
      const tone = Array.from({ length: 1000 }, () => write(0.9)).flat();
      const quiet = Array.from({ length: 1000 }, () => write(0)).flat();
      const format = chunk('fmt ', formatOf({ coding, bits, rate: 1000 }));
      const part = riff([format, chunk('data', Buffer.from([...quiet, ...tone, ...quiet]))]);
      const { data: found } = readWav(await joined('wav', part, part));
      assert.equal(found.length, ((1000 + 1000 + 400 + 1000 + 1000) * bits) / 8);
    });
  }

  it('keeps all samples in order', async () => {
    const samples = fc.array(fc.nat(32_767), { maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(fc.array(samples, { minLength: 1, maxLength: 6 }), async (parts) => {
        const { data: found } = readWav(await joined('wav', ...parts.map(wavOf)));
        assert.deepEqual(found, readWav(wavOf(parts.flat())).data);
      }),
      { numRuns: runs(30) },
    );
  });
});

interface WavFormat {
  readonly coding?: number;
  readonly channels?: number;
  readonly rate?: number;
  readonly bits?: number;
}

function formatOf({ coding = 1, channels = 1, rate = 24_000, bits = 16 }: WavFormat = {}): Buffer {
  const format = Buffer.alloc(16);
  const block = (channels * bits) / 8;
  format.writeUInt16LE(coding, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rate, 4);
  format.writeUInt32LE(rate * block, 8);
  format.writeUInt16LE(block, 12);
  format.writeUInt16LE(bits, 14);
  return format;
}

function extensibleOf(coding: number): Buffer {
  const extension = Buffer.from('\x16\0\x10\0\0\0\0\0\0\0\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71', 'latin1');
  extension.writeUInt16LE(coding, 8);
  return Buffer.concat([formatOf({ coding: 0xfffe }), extension]);
}

function wavOf(samples: readonly number[]): Buffer {
  return riff([chunk('fmt ', formatOf()), chunk('data', Buffer.from(Int16Array.from(samples).buffer))]);
}

/** @param claimed length that the chunk header claims */
function chunk(id: string, content: Buffer, claimed = content.length): Buffer {
  const head = Buffer.alloc(8, id);
  head.writeUInt32LE(claimed, 4);
  return Buffer.concat([head, content, Buffer.alloc(claimed === content.length ? claimed % 2 : 0)]);
}

function riff(chunks: readonly Buffer[], claimed?: number): Buffer {
  const content = Buffer.concat([Buffer.from('WAVE'), ...chunks]);
  return chunk('RIFF', content, claimed);
}
