import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { type DecodedPng, decode } from 'fast-png';
import { decodePicture } from '../../../src/images/codecs/decodePicture.ts';
import { ImageError, maxPreviewPixels, transformImage } from '../../../src/images/transformImage.ts';
import { type EmptyPng, emptyPng, pngChunk, pngOf } from '../../support/emptyPng.ts';
import { jpegFile, transparentWebpFile } from '../../support/pictureFiles.ts';

describe('pictures that claim more than they hold (finding 13) (promise 18)', () => {
  const refused: readonly (readonly [string, EmptyPng, number?])[] = [
    ['64,000,000 × 1 pixels of 1 bit, in 8 kB', { width: 64_000_000, height: 1, depth: 1 }],
    ['1 × 32,768 pixels', { width: 1, height: 32_768 }],
    ['10,001 × 10,000 pixels', { width: 10_001, height: 10_000, depth: 1 }],
    ['9,000 × 9,000 pixels of 64 bits, which are 618 MiB', { width: 9000, height: 9000, depth: 16, colourType: 6 }],
    ['a preview of 6,000 × 6,000 pixels', { width: 6000, height: 6000, depth: 1 }, maxPreviewPixels],
  ];
  for (const [title, png, maxPixels] of refused) {
    it(`are refused before they are decoded: ${title}`, async () => {
      // The damaged pixels would be noticed if they were read.
      const header = { depth: 8, colourType: 0, isInterlaced: false, ...png };
      const file = pngOf(header, [], Buffer.alloc(20, 7));
      assertTooLarge(await failureOf(transformImage(file, { width: 8 }, { maxPixels })));
    });
  }

  it('are refused as JPEG and WebP as well', async () => {
    const jpeg = Buffer.from(jpegFile);
    // Height and width in the frame header.
    jpeg.writeUInt32BE(0x0001_ffff, jpeg.indexOf('\xff\xc0', 0, 'latin1') + 5);
    const webp = Buffer.from(transparentWebpFile);
    webp.writeUIntLE(32_767, 24, 3);
    webp.writeUIntLE(0, 27, 3);
    for (const file of [jpeg, webp]) assertTooLarge(await failureOf(transformImage(file, { width: 8 })));
  });

  it('are read up to the longest side', async () => {
    const { width, height } = await transformImage(await emptyPng({ width: 32_767, height: 1 }), { width: 8 });
    assert.deepEqual([width, height], [8, 1]);
  });

  // A decoder that returns the samples of the whole picture needed 310 MiB for it.
  it('need memory for one byte per sample, also with 16 bits: 3,500 × 3,500 pixels', async () => {
    const png = await emptyPng({ width: 3500, height: 3500, depth: 16, colourType: 6 });
    const script = fileURLToPath(new URL('../../support/peakMemory.ts', import.meta.url));
    const { stdout, stderr } = spawnSync(process.execPath, [script], { input: png });
    assert.equal(String(stderr), '');
    const { width, height, before, after } = JSON.parse(String(stdout));
    assert.deepEqual([width, height], [8, 8]);
    assert(after - before < 47 + 150, `${before} MiB before, ${after} MiB after`);
  });

  it('end with a sentence when the worker exceeds its memory', async () => {
    // Objects for the chunks take twenty times the memory of the file.
    const extras = [Buffer.alloc(12_000_000, pngChunk('tEXt', Buffer.alloc(0)))];
    const error = await failureOf(transformImage(await emptyPng({ width: 8, height: 8, extras }), { width: 4 }));
    assert.equal(error.reason, 'tooMuchMemory');
    assert.match(error.message, /took too much memory and was stopped/);
    // The next picture has a worker of its own.
    assert.equal((await transformImage(jpegFile, { width: 4 })).width, 4);
  });
});

describe('PNGs of every colour type and depth (promise 18)', () => {
  const kinds = [
    { colourType: 0, channels: 1, depths: [1, 2, 4, 8, 16] },
    { colourType: 2, channels: 3, depths: [8, 16] },
    { colourType: 3, channels: 1, depths: [1, 2, 4, 8] },
    { colourType: 4, channels: 2, depths: [8, 16] },
    { colourType: 6, channels: 4, depths: [8, 16] },
  ];
  for (const { colourType, channels, depths } of kinds) {
    for (const depth of depths) {
      for (const isClear of colourType < 4 ? [false, true] : [false]) {
        const title = `have the pixels that another decoder reads: type ${colourType}, ${depth} bits`;
        it(isClear ? `${title}, with a transparent colour` : title, async () => {
          const [width, height] = [13, 11];
          const rowLength = 1 + Math.ceil((width * channels * depth) / 8);
          // Every filter, and samples that often repeat so that some are the transparent one.
          const samples = Array.from({ length: rowLength * height }, (_, at) => ((at * 7919) % 13) * 21);
          const rows = samples.map((value, at) => (at % rowLength === 0 ? Math.floor(at / rowLength) % 5 : value));
          const palette = pngChunk(
            'PLTE',
            Buffer.from(Array.from({ length: 3 * 2 ** Math.min(8, depth) }, (_, at) => at % 251)),
          );
          const clear = pngChunk('tRNS', Buffer.alloc(colourType === 3 ? 2 : channels * 2));
          const extras = [...(colourType === 3 ? [palette] : []), ...(isClear ? [clear] : [])];
          const header = { width, height, depth, colourType, isInterlaced: false };
          const file = pngOf(header, extras, deflateSync(Buffer.from(rows)));
          const { data } = await decodePicture(file, { maxPixels: 1000 });
          assert.deepEqual([...data], rgbaOf(decode(file)));
        });
      }
    }
  }

  it('are read when interlaced, also where several pixels share a byte', async () => {
    // The seven passes of 3 × 3 pixels at 2 bits. Each row starts with its filter; that of a pass's first row, 2, adds
    // the row above, which is empty.
    const passes = [[0b00_000000], [], [], [0b01_000000], [0b10_110000], [0b11_000000, 0b00_000000], [0b01_101100]];
    const rows = passes.flatMap((bytes) => bytes.flatMap((byte, row) => [row === 0 ? 2 : 0, byte]));
    const header = { width: 3, height: 3, depth: 2, colourType: 0, isInterlaced: true };
    const { data } = await decodePicture(pngOf(header, [], deflateSync(Buffer.from(rows))), { maxPixels: 1000 });
    const greys = data.filter((_, at) => at % 4 === 0);
    assert.deepEqual([...greys], [0, 255, 85, 85, 170, 255, 170, 0, 255]);
  });

  it('are refused if they have too few or too many pixels, or an unknown filter', async () => {
    const header = { width: 4, height: 4, depth: 8, colourType: 0, isInterlaced: false };
    const cases: readonly (readonly [Buffer, RegExp])[] = [
      [Buffer.alloc(19), /fewer than its size says/],
      [Buffer.alloc(20 + 2 ** 17), /more than its size says/],
      [Buffer.alloc(20, 5), /unknown filter/],
    ];
    for (const [rows, expected] of cases) {
      await assert.rejects(decodePicture(pngOf(header, [], deflateSync(rows)), { maxPixels: 1000 }), expected);
    }
    const palette = pngOf({ ...header, colourType: 3 }, [], deflateSync(Buffer.alloc(20)));
    await assert.rejects(decodePicture(palette, { maxPixels: 1000 }), /no palette/);
    const depth = pngOf({ ...header, depth: 3 }, [], deflateSync(Buffer.alloc(20)));
    await assert.rejects(decodePicture(depth, { maxPixels: 1000 }), /header is wrong/);
  });
});

async function failureOf(work: Promise<unknown>): Promise<ImageError> {
  const [result] = await Promise.allSettled([work]);
  assert(result.status === 'rejected' && result.reason instanceof ImageError, JSON.stringify(result));
  return result.reason;
}

function assertTooLarge({ reason, field, message }: ImageError): void {
  assert.deepEqual([reason, field], ['tooLarge', 'file']);
  assert.match(message, /megapixels, 32767 pixels per side and 512 MiB/);
}

/** Converts what the other decoder returns, pixel by pixel. */
function rgbaOf({ width, height, depth, channels, data, palette, transparency }: DecodedPng): readonly number[] {
  const rowBytes = Math.ceil((width * channels * depth) / 8);
  const sample = (x: number, y: number, channel: number): number => {
    if (depth >= 8) return data[(y * width + x) * channels + channel] ?? 0;
    const bit = x * depth;
    return ((data[y * rowBytes + (bit >> 3)] ?? 0) >> (8 - depth - (bit & 7))) & (2 ** depth - 1);
  };
  const pixels: number[] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const samples = Array.from({ length: channels }, (_, channel) => sample(x, y, channel));
      const [red = 0, green = 0, blue = 0, alpha = 255] = palette
        ? (palette[samples[0] ?? 0] ?? [])
        : samples.map((value) => Math.round((value * 255) / (2 ** depth - 1)));
      const isClear =
        !palette && transparency !== undefined && samples.every((value, at) => value === transparency[at]);
      if (palette || channels === 4) pixels.push(red, green, blue, alpha);
      else if (channels === 2) pixels.push(red, red, red, green);
      else pixels.push(red, channels === 3 ? green : red, channels === 3 ? blue : red, isClear ? 0 : 255);
    }
  }
  return pixels;
}
