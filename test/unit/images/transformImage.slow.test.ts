import assert from 'node:assert/strict';
import { once } from 'node:events';
import { crc32 } from 'node:zlib';
import { encode } from 'fast-png';
import type { Bitmap } from '../../../src/images/codecs/Bitmap.ts';
import { decodePicture } from '../../../src/images/codecs/decodePicture.ts';
import { pictureFormats } from '../../../src/images/codecs/pictureFile.ts';
import type { ImageChange } from '../../../src/images/ImageChange.ts';
import { ImageError, transformImage, transformImages } from '../../../src/images/transformImage.ts';
import { detectMediaType } from '../../../src/operations/mediaType.ts';
import { patternPng, quarterColours, quartersPng, type Rgba, white } from '../../support/patterns.ts';
import {
  jpegFile,
  losslessWebpFile,
  transparentWebpFile,
  turnedJpegFile,
  webpFile,
} from '../../support/pictureFiles.ts';

const maxPixels = 32_000_000;

/** A picture that takes most of a second to resize. */
const large = encode({ width: 4000, height: 4000, channels: 1, data: new Uint8Array(4000 * 4000) });

/** Maximum difference per channel that a lossy codec may cause. */
const lossy = 12;

describe('transformImage', () => {
  it('reads and writes every format and detects the source format from the bytes', async () => {
    for (const source of [quartersPng(60, 40), jpegFile, webpFile, losslessWebpFile]) {
      const results = await transformImages(
        source,
        pictureFormats.map((format) => ({ width: 30, format })),
      );
      for (const [index, format] of pictureFormats.entries()) {
        const result = results[index];
        assert(result);
        assert.equal(result.mediaType, `image/${format}`);
        assert.equal((await detectMediaType(result.bytes))?.mime, result.mediaType);
        const { width, height } = await decodePicture(result.bytes, { maxPixels });
        assert.deepEqual([width, height], [result.width, result.height]);
      }
    }
  });

  it('keeps the format when none is given', async () => {
    const types: string[] = [];
    for (const source of [quartersPng(4, 4), jpegFile, webpFile])
      types.push((await transformImage(source, {})).mediaType);
    assert.deepEqual(types, ['image/png', 'image/jpeg', 'image/webp']);
  });

  it('keeps every pixel of a PNG that is not resized', async () => {
    const source = patternPng(37, 23, (x, y) => [x * 6, y * 11, (x * y) % 256, (x + y) * 4]);
    const { bytes } = await transformImage(source, {});
    assert.deepEqual(await pixelsOf(bytes), await pixelsOf(source));
  });

  it('returns the requested size and keeps the aspect ratio when only one side is given', async () => {
    const source = quartersPng(300, 200);
    const table: readonly (readonly [ImageChange, number, number])[] = [
      [{}, 300, 200],
      [{ width: 150 }, 150, 100],
      [{ height: 50 }, 75, 50],
      [{ width: 1 }, 1, 1],
      [{ width: 600 }, 600, 400],
      [{ width: 100, height: 100 }, 100, 100],
      [{ width: 1200, height: 630 }, 1200, 630],
      [{ width: 7, height: 90 }, 7, 90],
      [{ crop: { x: 10, y: 20, width: 30, height: 40 } }, 30, 40],
      [{ crop: { x: 10, y: 20, width: 30, height: 40 }, width: 15 }, 15, 20],
      [{ crop: { x: 0, y: 0, width: 300, height: 10 }, width: 20, height: 20 }, 20, 20],
    ];
    const files = await transformImages(
      source,
      table.map(([change]) => change),
    );
    const decoded = await Promise.all(files.map(({ bytes }) => decodePicture(bytes, { maxPixels })));
    assert.deepEqual(
      decoded.map(({ width, height }) => [width, height]),
      table.map(([, ...size]) => size),
    );
  });

  it('crops to the centre when both sizes are given', async () => {
    // Green margins left and right, which a square crop removes.
    const source = patternPng(300, 100, (x) => (x < 100 || x >= 200 ? [0, 160, 0, 255] : [0, 0, 255, 255]));
    const { bytes } = await transformImage(source, { width: 50, height: 50 });
    const picture = await decodePicture(bytes, { maxPixels });
    for (const [x, y] of [
      [1, 1],
      [48, 1],
      [1, 48],
      [25, 25],
      [48, 48],
    ] as const)
      near(picture, x, y, [0, 0, 255, 255], 1);
  });

  it('crops to the requested area', async () => {
    const area = { width: 20, height: 10 };
    const corners = [
      [0, 0],
      [40, 0],
      [0, 30],
      [40, 30],
    ] as const;
    const changes = corners.map(([x, y]) => ({ crop: { x, y, ...area } }));
    const files = await transformImages(quartersPng(60, 40), changes);
    for (const [index, { bytes }] of files.entries()) {
      const picture = await decodePicture(bytes, { maxPixels });
      for (const [x, y] of [
        [0, 0],
        [19, 9],
      ] as const)
        near(picture, x, y, quarterColours[index] ?? white, 0);
    }
  });

  it('applies the EXIF orientation of a JPEG before cropping', async () => {
    for (const format of pictureFormats) {
      const { bytes } = await transformImage(turnedJpegFile, { format });
      const picture = await decodePicture(bytes, { maxPixels });
      near(picture, 8, 32, [0, 0, 0, 255], lossy);
      near(picture, 56, 32, white, lossy);
    }
    const { bytes } = await transformImage(turnedJpegFile, { crop: { x: 0, y: 0, width: 16, height: 16 } });
    near(await decodePicture(bytes, { maxPixels }), 8, 8, [0, 0, 0, 255], lossy);
  });

  it('keeps transparency, and puts it on white in a JPEG', async () => {
    const half = patternPng(32, 32, (x) => (x < 16 ? [0, 0, 0, 0] : [200, 30, 30, 128]));
    for (const format of ['png', 'webp'] as const) {
      const picture = await decodePicture((await transformImage(half, { format })).bytes, { maxPixels });
      assert.equal(alphaAt(picture, 4, 16), 0, format);
      near(picture, 24, 16, [200, 30, 30, 128], lossy);
    }
    const jpeg = await decodePicture((await transformImage(half, { format: 'jpeg' })).bytes, { maxPixels });
    near(jpeg, 4, 16, white, lossy);
    near(jpeg, 26, 16, [227, 142, 142, 255], lossy);
    const { bytes } = await transformImage(transparentWebpFile, { width: 32, format: 'png' });
    assert.equal(alphaAt(await decodePicture(bytes, { maxPixels }), 4, 16), 0);
  });

  it('does not let the colour of transparent pixels bleed when scaling', async () => {
    const source = patternPng(64, 64, (x) => (x % 2 ? [0, 0, 0, 255] : [255, 255, 255, 0]));
    const picture = await decodePicture((await transformImage(source, { width: 16 })).bytes, { maxPixels });
    const [red = 0, green = 0, blue = 0] = colourAt(picture, 8, 8);
    assert(Math.max(red, green, blue) < 5, `${red} ${green} ${blue}`);
  });

  it('keeps the brightness of fine patterns when scaling', async () => {
    const source = patternPng(128, 128, (x, y) => ((x + y) % 2 ? white : [0, 0, 0, 255]));
    const picture = await decodePicture((await transformImage(source, { width: 32 })).bytes, { maxPixels });
    // Half the light of white is 188 in sRGB; averaging the encoded values would give 128.
    near(picture, 16, 16, [188, 188, 188, 255], 6);
  });

  it('keeps flat colours and transparency exact when scaling down and up', async () => {
    const source = patternPng(40, 40, (x) => (x < 20 ? [255, 128, 1, 255] : [0, 160, 254, 77]));
    for (const size of [11, 100]) {
      const picture = await decodePicture((await transformImage(source, { width: size })).bytes, { maxPixels });
      near(picture, 1, 1, [255, 128, 1, 255], 0);
      near(picture, size - 2, size - 2, [0, 160, 254, 77], 0);
    }
  });

  it('reads greyscale, palette, 16-bit and interlaced PNGs', async () => {
    const grey = Uint8Array.from({ length: 64 }, (_, at) => at * 4);
    const sources: Readonly<Record<string, Uint8Array>> = {
      grey: encode({ width: 8, height: 8, data: grey, channels: 1 }),
      deep: encode({
        width: 8,
        height: 8,
        data: Uint16Array.from(grey, (value) => value * 257),
        channels: 1,
        depth: 16,
      }),
      interlaced: encode({ width: 8, height: 8, data: grey, channels: 1 }, { interlace: 'Adam7' }),
      palette: encode({
        width: 8,
        height: 8,
        data: Uint8Array.from({ length: 64 }, (_, at) => at),
        channels: 1,
        palette: Array.from(grey, (value) => [value, value, value]),
      }),
    };
    const expected = Uint8Array.from(grey);
    for (const [kind, source] of Object.entries(sources)) {
      const { data } = await decodePicture((await transformImage(source, {})).bytes, { maxPixels });
      assert.deepEqual(
        data.filter((_, at) => at % 4 === 0),
        expected,
        kind,
      );
    }
  });

  it('writes smaller files at lower quality', async () => {
    const source = patternPng(128, 128, (x, y) => [x * 2, (x * y) % 256, (x ^ y) * 2, 255]);
    for (const format of ['jpeg', 'webp'] as const) {
      const files = await transformImages(
        source,
        [1, 50, 100].map((quality) => ({ format, quality })),
      );
      const [low = 0, middle = 0, high = 0] = files.map(({ bytes }) => bytes.length);
      assert(low < middle && middle < high, `${format}: ${low}, ${middle}, ${high}`);
    }
  });

  it('rejects invalid fields before reading the image, and names the field', async () => {
    const area = { x: 0, y: 0, width: 4, height: 4 };
    const wrong: readonly (readonly [string, ImageChange])[] = [
      ['width', { width: 0 }],
      ['width', { width: 1.5 }],
      ['height', { height: -3 }],
      ['height', { height: 16_384 }],
      ['width', { width: Number.NaN }],
      ['quality', { quality: 0 }],
      ['quality', { quality: 101 }],
      ['format', { format: Object('gif') }],
      ['crop', { crop: { ...area, x: -1 } }],
      ['crop', { crop: { ...area, width: 0 } }],
      ['crop', { crop: { ...area, height: 2.5 } }],
    ];
    for (const [field, change] of wrong) {
      const error = await failureOf(transformImage(new Uint8Array(), change));
      assert.deepEqual([error.field, error.reason], [field, 'invalid'], JSON.stringify(change));
      assert(error.message.includes(field), error.message);
    }
  });

  it('rejects a crop area outside the image, and results that are too large', async () => {
    const source = quartersPng(30, 1000);
    const outside = await failureOf(transformImage(source, { crop: { x: 1, y: 0, width: 30, height: 10 } }));
    assert.equal(outside.field, 'crop');
    assert.match(outside.message, /30 × 1000/);
    for (const change of [{ width: 16_000 }, { height: 16_000, width: 16_000 }] as const) {
      assert.equal((await failureOf(transformImage(source, change))).field, 'width');
    }
  });

  it('rejects unsupported, animated, damaged and oversized images with the reason', async () => {
    const png = Buffer.from(quartersPng(64, 64));
    const damaged = Buffer.from(png);
    damaged.fill(7, 60, 90);
    const wide = Buffer.from(png);
    wide.writeUInt32BE(100_000, 16);
    wide.writeUInt32BE(100_000, 20);
    const cases: readonly (readonly [string, Uint8Array])[] = [
      ['unsupported', Buffer.from('GIF89a')],
      ['unsupported', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
      ['unsupported', new Uint8Array()],
      ['animated', withChunk(png, 'acTL', Buffer.alloc(8))],
      ['animated', animatedWebp()],
      ['damaged', damaged],
      ['damaged', png.subarray(0, 80)],
      ['cut', jpegFile.subarray(0, 40)],
      ['damaged', webpFile.subarray(0, 40)],
      ['tooLarge', wide],
    ];
    for (const [reason, file] of cases) {
      const error = await failureOf(transformImage(file, { width: 8 }));
      assert.deepEqual([error.reason, error.field], [reason, 'file']);
    }
  });

  it('rejects and stops its worker at the deadline', async () => {
    // A worker that was terminated before it ran any code exits with 0, as on a busy machine.
    for (let deadlineMs = 300, isOnline = false; !isOnline; deadlineMs *= 2) {
      const started = once(process, 'worker');
      const work = failureOf(transformImage(large, { width: 3999 }, { deadlineMs }));
      const [worker] = await started;
      worker.once('online', () => {
        isOnline = true;
      });
      const ended = once(worker, 'exit');
      assert.equal((await work).reason, 'tooSlow');
      // Exit code 1 means that the worker was terminated; one that finished its work exits with 0.
      const [code] = await ended;
      if (isOnline) assert.equal(code, 1);
    }
  });

  it('rejects when aborted, before and during the work', async () => {
    const cancelling = new AbortController();
    const started = once(process, 'worker');
    const work = transformImage(large, { width: 3999 }, { signal: cancelling.signal });
    await started;
    cancelling.abort();
    await assert.rejects(work, { name: 'AbortError' });
    await assert.rejects(transformImage(jpegFile, {}, { signal: cancelling.signal }), { name: 'AbortError' });
  });

  it('leaves the given bytes unchanged', async () => {
    const source = quartersPng(10, 10);
    const before = source.slice();
    await transformImage(source, { width: 5 });
    assert.deepEqual(source, before);
  });
});

async function failureOf(work: Promise<unknown>): Promise<ImageError> {
  const [result] = await Promise.allSettled([work]);
  assert(result.status === 'rejected' && result.reason instanceof ImageError, JSON.stringify(result));
  return result.reason;
}

async function pixelsOf(bytes: Uint8Array): Promise<Uint8Array> {
  return (await decodePicture(bytes, { maxPixels })).data;
}

function colourAt({ width, data }: Bitmap, x: number, y: number): readonly number[] {
  return [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
}

function alphaAt(picture: Bitmap, x: number, y: number): number | undefined {
  return colourAt(picture, x, y)[3];
}

function near(picture: Bitmap, x: number, y: number, expected: Rgba, tolerance: number): void {
  const actual = colourAt(picture, x, y);
  const isNear = expected.every((value, channel) => Math.abs(value - (actual[channel] ?? -1)) <= tolerance);
  assert(isNear, `(${x}, ${y}) is ${actual}, not ${expected}`);
}

/** Inserts a chunk after the header. */
function withChunk(png: Buffer, type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const chunk = Buffer.alloc(8 + named.length);
  chunk.writeUInt32BE(content.length);
  chunk.set(named, 4);
  chunk.writeUInt32BE(crc32(named), 4 + named.length);
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);
}

/** A WebP file whose header says that it is animated. */
function animatedWebp(): Buffer {
  const file = Buffer.from(transparentWebpFile);
  file[20] = (file[20] ?? 0) | 0x02;
  return file;
}
