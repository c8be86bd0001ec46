import assert from 'node:assert/strict';
import { decodePicture } from '../../../src/images/codecs/decodePicture.ts';
import { faviconLines, makeFavicons, webManifest } from '../../../src/images/makeFavicons.ts';
import { enlargedSentence } from '../../../src/images/transformImage.ts';
import { detectMediaType } from '../../../src/operations/mediaType.ts';
import { patternPng, quartersPng } from '../../support/patterns.ts';

const maxPixels = 1_000_000;

describe('makeFavicons', () => {
  it('makes an icon file and three pictures', async () => {
    const files = await makeFavicons(quartersPng(300, 200));
    assert.deepEqual(
      files.map(({ name, width, height }) => [name, width, height]),
      [
        ['favicon.ico', 48, 48],
        ['apple-touch-icon.png', 180, 180],
        ['icon-192.png', 192, 192],
        ['icon-512.png', 512, 512],
      ],
    );
    for (const { name, bytes, width } of files.slice(1)) {
      assert.equal((await decodePicture(bytes, { maxPixels })).width, width, name);
    }
  });

  it('writes an icon file whose entries are PNGs of their sizes', async () => {
    const [icon] = await makeFavicons(quartersPng(64, 64));
    assert(icon);
    assert.equal((await detectMediaType(icon.bytes))?.extension, 'ico');
    const file = Buffer.from(icon.bytes);
    assert.deepEqual([file.readUInt16LE(0), file.readUInt16LE(2), file.readUInt16LE(4)], [0, 1, 3]);
    let end = 6 + 3 * 16;
    for (const [index, side] of [16, 32, 48].entries()) {
      const entry = file.subarray(6 + index * 16);
      const [length, offset] = [entry.readUInt32LE(8), entry.readUInt32LE(12)];
      assert.deepEqual([entry[0], entry[1], entry.readUInt16LE(6)], [side, side, 32]);
      assert.equal(offset, end);
      const picture = await decodePicture(file.subarray(offset, offset + length), { maxPixels });
      assert.deepEqual([picture.width, picture.height], [side, side]);
      end = offset + length;
    }
    assert.equal(end, file.length);
  });

  it('makes an opaque picture for iOS, and keeps the others transparent', async () => {
    const files = await makeFavicons(patternPng(64, 64, () => [200, 0, 0, 0]));
    const first = async (file: (typeof files)[number]) => [
      ...(await decodePicture(file.bytes, { maxPixels })).data.subarray(0, 4),
    ];
    assert.deepEqual(await Promise.all(files.slice(1).map(first)), [
      [255, 255, 255, 255],
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ]);
  });

  it('says that a small picture was enlarged', async () => {
    const largest = (await makeFavicons(quartersPng(96, 64))).at(-1);
    assert.equal(largest && enlargedSentence(largest), 'It was enlarged from 64 × 64 to 512 × 512 pixels.');
    const [icon] = await makeFavicons(quartersPng(512, 512));
    assert.equal(icon && enlargedSentence(icon), undefined);
  });

  it('refers to the files by the names that they got', () => {
    const names = ['favicon-2.ico', 'apple-touch-icon.png', 'icon-192.png', 'icon-512 2.png'];
    assert.equal(
      faviconLines([...names.map((name) => `/a"b/${encodeURI(name)}`), '/site.webmanifest']),
      `<link rel="icon" href="/a&quot;b/favicon-2.ico" sizes="16x16 32x32 48x48">
<link rel="apple-touch-icon" href="/a&quot;b/apple-touch-icon.png">
<link rel="manifest" href="/site.webmanifest">
`,
    );
    assert.deepEqual(JSON.parse(webManifest(names)), {
      icons: [
        { src: 'icon-192.png', sizes: '192x192', type: 'image/png' },
        { src: 'icon-512%202.png', sizes: '512x512', type: 'image/png' },
      ],
    });
  });

  it('cuts the icons from the crop area', async () => {
    const files = await makeFavicons(quartersPng(200, 200), { x: 110, y: 10, width: 60, height: 60 });
    const { data } = await decodePicture(files[1]?.bytes ?? new Uint8Array(), { maxPixels });
    assert.deepEqual([...data.subarray(0, 4)], [0, 160, 0, 255]);
    assert.deepEqual([...data.subarray(-4)], [0, 160, 0, 255]);
  });
});
