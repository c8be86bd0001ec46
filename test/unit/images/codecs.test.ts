import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { workerEntryPoints } from '../../../esbuild.mjs';
import { type Bitmap, turnUpright } from '../../../src/images/codecs/Bitmap.ts';
import { decodePicture } from '../../../src/images/codecs/decodePicture.ts';
import { encodeJpeg, encodeWebp } from '../../../src/images/codecs/encodePicture.ts';
import { jpegSegments, shownSize, UnreadablePicture, withPngChunks } from '../../../src/images/codecs/pictureFile.ts';
import { runDecoder, startCodec } from '../../../src/images/codecs/runCodec.ts';
import sources from '../../../src/images/codecs/sources.json' with { type: 'json' };
import { fc, runs } from '../../support/fastCheck.ts';
import { quarterColours, quartersPng } from '../../support/patterns.ts';
import {
  jpegFile,
  losslessWebpFile,
  transparentWebpFile,
  turnedJpegFile,
  webpFile,
} from '../../support/pictureFiles.ts';

const folder = 'src/images/codecs';
const limits = { maxPixels: 10_000 };

describe('the WebAssembly of the codecs (promise 18)', () => {
  const codecs = Object.entries(sources.codecs);
  const moduleOf = (name: string) => new WebAssembly.Module(readFileSync(join(folder, `${name}.wasm`)));

  it('is that of the list of sources: each file, and only these, are built into the package', () => {
    const files = globSync(`${folder}/*.wasm`).map((path) => basename(path, '.wasm'));
    assert.deepEqual(files.sort(), codecs.map(([name]) => name).sort());
    const packed = workerEntryPoints.filter((entry) => entry.in.endsWith('.wasm'));
    assert.deepEqual(packed.map(({ out }) => out).sort(), files);
    for (const [name, { sha256 }] of codecs)
      assert.equal(
        createHash('sha256')
          .update(readFileSync(join(folder, `${name}.wasm`)))
          .digest('hex'),
        sha256,
        name,
      );
  });

  for (const [name, { library }] of codecs) {
    const { version, date } = sources.libraries[library as keyof typeof sources.libraries];
    it(`reports the version that the list of sources names: ${name} is ${library} ${version} of ${date}`, () => {
      const { exports } = new WebAssembly.Instance(moduleOf(name));
      const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
      // Each library has its own way to write a version as a number.
      const expected = library === 'libwebp' ? (major << 16) | (minor << 8) | patch : major * 1e6 + minor * 1e3 + patch;
      assert.equal((exports.version as () => number)(), expected);
      assert.match(date, /^\d{4}-\d{2}-\d{2}$/);
      assert(date > '2025', 'a picture from outside is read by a library that is maintained');
    });

    it(`can call nothing outside itself: ${name}`, () => {
      assert.deepEqual(WebAssembly.Module.imports(moduleOf(name)), []);
    });
  }

  it('is started anew for each picture, with at most 2 GiB of memory', async () => {
    for (const name of ['jpegDecoder', 'jpegEncoder', 'webpDecoder', 'webpEncoder'] as const) {
      const [one, other] = [await startCodec(name), await startCodec(name)];
      assert.notEqual(one.memory, other.memory);
      assert.throws(() => one.memory.grow(2 ** 31 / 2 ** 16), RangeError, name);
    }
  });

  it('comes with the licences of its libraries, and SECURITY.md names their versions', () => {
    const security = readFileSync('SECURITY.md', 'utf8').replace(/\s+/g, ' ');
    const notice = readFileSync(`${folder}/codecs.LICENSE.txt`, 'utf8');
    for (const [library, { version }] of Object.entries(sources.libraries)) {
      assert(notice.includes(`${library} ${version} (`), library);
      assert(security.includes(`${library} ${version}`), library);
    }
    for (const [name] of codecs) assert(notice.includes(`dist/${name}.wasm`), name);
    assert.match(notice, /^wasi-libc /m);
    assert.match(readFileSync('esbuild.mjs', 'utf8'), /'src\/images\/codecs\/codecs\.LICENSE\.txt'/);
  });
});

/** JPEGs of 16 × 16 pixels made with cjpeg, red on the left and blue on the right. */
const halves = {
  progressive: `/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGB
    YUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wgARCAAQ
    ABADASIAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAABv/EABUBAQEAAAAAAAAAAAAAAAAAAAUG/9oADAMBAAIQAxAAAAEibSG3qr//xAAUEAEA
    AAAAAAAAAAAAAAAAAAAg/9oACAEBAAEFAh//xAAYEQACAwAAAAAAAAAAAAAAAAAABkSCwv/aAAgBAwEBPwF0j2yf/8QAGBEAAgMAAAAAAAAA
    AAAAAAAAAAZDgsL/2gAIAQIBAT8BUJ66P//EABQQAQAAAAAAAAAAAAAAAAAAACD/2gAIAQEABj8CH//EABQQAQAAAAAAAAAAAAAAAAAAACD/2gAI
    AQEAAT8hH//aAAwDAQACAAMAAAAQ9//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQMBAT8QV//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAI
    AQIBAT8QZ//EABQQAQAAAAAAAAAAAAAAAAAAACD/2gAIAQEAAT8QH//Z`,
  'restarted after each block, with 4:2:2': `/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsN
    DhIQDQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU
    FBQUFBQUFBQUFBQUFBT/wAARCAAQABADASEAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAAB//EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAVAQEB
    AAAAAAAAAAAAAAAAAAAGB//EABkRAAIDAQAAAAAAAAAAAAAAAAAHRIPDRf/dAAQAAf/aAAwDAQACEQMRAD8AJBueKCfXoVV08+3M/9AkG54oJ9eh
    VXTz7cz/2Q==`,
  'of RGB': `/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwADAgIDAgIDAwMDBAMDBAUIBQUEBAUKBwcGCAwKDAwLCgsLDQ4SEA0OEQ4LCxAWEBETFBUVFQwPFxgW
    FBgSFBUU/8AAEQgAEAAQA1IRAEcRAEIRAP/EABYAAQEBAAAAAAAAAAAAAAAAAAkGCP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAMA1IARwBCAAA/
    AN6sKMKAFWxqz9IkKgBVsat//9k=`,
  grey: `/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGB
    YUGBIUFRT/wAALCAAQABABAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAB//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AJBuSBu//2Q==`,
};

/** The same with colours of print, and with arithmetic coding. */
const unread = {
  print: `/9j/7gAOQWRvYmUAZAAAAAAC/9sAQwAQCwwODAoQDg0OEhEQExgoGhgWFhgxIyUdKDozPTw5Mzg3QEhcTkBEV0U3OFBtUVdfYmdoZz5NcXlwZHhc
    ZWdj/9sAQwEREhIYFRgvGhovY0I4QmNjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2Nj/8AAFAgAEAAQBAEi
    AAIRAQMRAQQiAP/EABUAAQEAAAAAAAAAAAAAAAAAAAQG/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/EABUBAQEAAAAAAAAAAAAAAAAAAAQF/8QAGBEAAgMA
    AAAAAAAAAAAAAAAAAAVDgcH/2gAOBAEAAhEDEQQAAD8AUWIWC6jvCcjkrSuFKFf/2Q==`,
  coding: `/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIU
    FRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/yQARCAAQABADASIA
    AhEBAxEB/8wACgAQEAUBEBEF/9oADAMBAAIRAxEAPwD/ALkjhjJ72IA9FvhIL8rQp/kQflqKviTg/9k=`,
};

const [red, blue] = [
  [220, 40, 40, 255],
  [30, 60, 200, 255],
] as const;

function assertNear({ data }: Bitmap, pixel: number, colour: readonly number[], tolerance = 12): void {
  const found = [...data.subarray(pixel * 4, pixel * 4 + 4)];
  assert(
    found.every((value, at) => Math.abs(value - (colour[at] ?? 0)) <= tolerance),
    `${found}, expected ${colour}`,
  );
}

describe('decodePicture', () => {
  for (const [title, file] of Object.entries(halves)) {
    it(`reads a JPEG that is ${title}`, async () => {
      const picture = await decodePicture(Buffer.from(file, 'base64'), limits);
      assert.deepEqual([picture.width, picture.height, picture.data.length], [16, 16, 1024]);
      // The weights of the three colours in a grey picture.
      const shown = ([r, g, b]: readonly number[]) =>
        Array(3).fill(0.299 * (r ?? 0) + 0.587 * (g ?? 0) + 0.114 * (b ?? 0));
      assertNear(picture, 2, title === 'grey' ? [...shown(red), 255] : red);
      assertNear(picture, 16 * 15 + 13, title === 'grey' ? [...shown(blue), 255] : blue);
    });
  }

  it('refuses a JPEG with colours of print or arithmetic coding, and says which', async () => {
    for (const [reason, file] of Object.entries(unread))
      await assert.rejects(decodePicture(Buffer.from(file, 'base64'), limits), { reason });
  });

  it('refuses a file that is cut off', async () => {
    for (const file of [webpFile, losslessWebpFile, transparentWebpFile]) {
      await assert.rejects(decodePicture(file.subarray(0, -8), limits), { reason: 'damaged' });
    }
    for (const file of [...Object.values(halves).map((one) => Buffer.from(one, 'base64')), turnedJpegFile]) {
      const scan = file.lastIndexOf('ffda', 'hex');
      // A download may also fill the rest with zeros.
      for (const cut of [file.subarray(0, -2), file.subarray(0, scan), Buffer.from(file).fill(0, scan + 12)])
        await assert.rejects(decodePicture(cut, limits), { reason: 'cut' });
    }
  });

  it('reads a WebP of one colour, which has 36 bytes', async () => {
    const file = Buffer.from('UklGRhwAAABXRUJQVlA4TA8AAAAvD8ADAAcQ7Y/+ByKi/wEA', 'base64');
    assertNear(await decodePicture(file, limits), 255, [254, 0, 0, 255]);
  });

  it('turns a PNG as browsers do: by the orientation before its pixels', async () => {
    const file = Buffer.from(quartersPng(40, 20));
    const exif = Buffer.from('II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0', 'latin1');
    const turned = withPngChunks(file, [['eXIf', exif]]);
    const picture = await decodePicture(turned, limits);
    assert.deepEqual([shownSize(turned), picture.width, picture.height], [{ width: 20, height: 40 }, 20, 40]);
    assertNear(picture, 0, quarterColours[2] ?? []);
    // The end of the file takes 12 bytes, and the chunk stands behind a header of 33.
    const chunk = Buffer.from(turned).subarray(33, 33 + 12 + exif.length);
    const behind = Buffer.concat([file.subarray(0, -12), chunk, file.subarray(-12)]);
    assert.deepEqual(shownSize(behind), { width: 40, height: 20 });
    assertNear(await decodePicture(behind, limits), 0, quarterColours[0] ?? []);
  });

  it('refuses a file that holds another size than was allowed', async () => {
    for (const [format, file] of [
      ['jpeg', jpegFile],
      ['webp', webpFile],
    ] as const) {
      assert.equal((await runDecoder(format, file, { width: 64, height: 64 }, limits)).data.length, 64 * 64 * 4);
      for (const size of [
        { width: 63, height: 64 },
        { width: 64, height: 65 },
      ])
        await assert.rejects(runDecoder(format, file, size, limits), { reason: 'damaged' });
    }
  });

  it('turns a picture in each of the eight ways of Exif', () => {
    // Three pixels across and two down, of the values 1 to 6.
    const source = { width: 3, height: 2, data: new Uint8Array(Uint32Array.of(1, 2, 3, 4, 5, 6).buffer) };
    const shown = (orientation: number) => {
      const { width, height, data } = turnUpright(source, orientation);
      return `${width}x${height} ${new Uint32Array(data.buffer).join('')}`;
    };
    assert.deepEqual([1, 2, 3, 4, 5, 6, 7, 8, 0, 9].map(shown), [
      '3x2 123456',
      '3x2 321654',
      '3x2 654321',
      '3x2 456123',
      '2x3 142536',
      '2x3 415263',
      '2x3 635241',
      '2x3 362514',
      '3x2 123456',
      '3x2 123456',
    ]);
  });

  it('answers every damaged file with a picture of its size or with UnreadablePicture (promise 18)', async () => {
    const files = [
      jpegFile,
      turnedJpegFile,
      Buffer.from(halves.progressive, 'base64'),
      webpFile,
      losslessWebpFile,
      transparentWebpFile,
    ];
    const change = fc.record({ at: fc.nat(), value: fc.integer({ min: 0, max: 255 }) });
    const damaged = fc.record({
      file: fc.constantFrom(...files),
      changes: fc.array(change, { minLength: 1, maxLength: 4 }),
      cut: fc.nat(30),
    });
    await fc.assert(
      fc.asyncProperty(damaged, async ({ file, changes, cut }) => {
        const bytes = Buffer.from(file.subarray(0, file.length - cut));
        for (const { at, value } of changes) bytes[at % bytes.length] = value;
        const picture = await decodePicture(bytes, limits).catch((error: unknown) => {
          assert(error instanceof UnreadablePicture, String(error));
        });
        if (picture) assert.equal(picture.data.length, picture.width * picture.height * 4);
      }),
      { numRuns: runs(800) },
    );
    // None of them has disturbed those that follow.
    const pictures = await Promise.all([...files, ...files].map((file) => decodePicture(file, limits)));
    for (const [index, { data }] of pictures.entries()) assert.deepEqual(data, pictures[index % files.length]?.data);
  });
});

describe('encodeJpeg and encodeWebp', () => {
  const [width, height] = [61, 43];
  const data = Uint8Array.from({ length: width * height * 4 }, (_, at) => {
    const [x, y] = [(at >> 2) % width, Math.floor((at >> 2) / width)];
    return [x * 4, y * 5, 128 + 100 * Math.sin((x + y) / 9), 255][at % 4] ?? 0;
  });

  /** Mean difference of a sample from the picture that was encoded. */
  async function lossOf(file: Uint8Array): Promise<number> {
    const decoded = await decodePicture(file, limits);
    assert.deepEqual([decoded.width, decoded.height], [width, height]);
    return decoded.data.reduce((sum, value, at) => sum + Math.abs(value - (data[at] ?? 0)), 0) / data.length;
  }

  for (const [name, encode] of Object.entries({ encodeJpeg, encodeWebp })) {
    it(`${name} loses little, and less at higher quality for more bytes`, async () => {
      const [low, high] = await Promise.all([30, 95].map((quality) => encode({ width, height, data }, quality)));
      assert(low && high && low.length < high.length);
      const [lossLow, lossHigh] = [await lossOf(low), await lossOf(high)];
      assert(lossHigh < 2.5 && lossHigh < lossLow && lossLow < 8, `${lossHigh} and ${lossLow}`);
    });
  }

  it('writes progressive JPEGs with more detail in colours at higher quality', async () => {
    for (const [quality, samples] of [
      [79, 0x22],
      [80, 0x21],
      [89, 0x21],
      [90, 0x11],
    ] as const) {
      const file = Buffer.from(await encodeJpeg({ width, height, data }, quality));
      const frame = jpegSegments(file).find(({ marker }) => marker === 0xc2);
      assert.equal(frame?.content[7], samples, `quality ${quality}`);
    }
  });
});
