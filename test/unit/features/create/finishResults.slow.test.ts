import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encode } from 'fast-png';
import type { Uri } from 'vscode';
import type { SourcePlaces } from '../../../../src/editor/SourceFile.ts';
import { LocalFolder } from '../../../../src/files/LocalFolder.ts';
import { hashOf } from '../../../../src/files/sha256.ts';
import { decodePicture } from '../../../../src/images/codecs/decodePicture.ts';
import { transformImage } from '../../../../src/images/transformImage.ts';
import type { Asset } from '../../../../src/library/LibraryRecord.ts';
import { marksIn } from '../../../../src/marks/readMarks.ts';
import type { ShapeId } from '../../../../src/webview/protocol/messages.ts';
import { importWithEditor } from '../../../support/editorStub.ts';
import { patternPng } from '../../../support/patterns.ts';
import { turnedJpegFile } from '../../../support/pictureFiles.ts';
import { settingsWith } from '../../../support/settingsWith.ts';

type Module = typeof import('../../../../src/features/create/finishResults.ts');

const at = (uri: Uri) => new URL(String(uri));

const warnings: string[] = [];
const { cutRegion, pieceAround, saveInShape, uprightFor } = await importWithEditor<Module>(
  new URL('../../../../src/features/create/finishResults.ts', import.meta.url),
  {
    window: { showWarningMessage: (sentence: string) => Promise.resolve(void warnings.push(sentence)) },
    workspace: {
      fs: {
        stat: async (uri: Uri) => ({ type: 1, size: statSync(at(uri)).size }),
        readFile: async (uri: Uri) => readFileSync(at(uri)),
      },
      getWorkspaceFolder: () => ({}),
    },
  },
);

/** The part that the service sees, for an area in a picture of 400 × 300 pixels. */
const piece = (area: Parameters<typeof pieceAround>[0], by: number) =>
  pieceAround(area, by, { width: 400, height: 300 });

describe('the part of a picture that is sent for a region', () => {
  it('is a square around it, inside of the picture', () => {
    assert.deepEqual(piece({ x: 150, y: 140, width: 100, height: 20 }, 25), { x: 125, y: 75, width: 150, height: 150 });
    assert.deepEqual(piece({ x: 0, y: 0, width: 40, height: 20 }, 32), { x: 0, y: 0, width: 104, height: 104 });
    assert.deepEqual(piece({ x: 390, y: 290, width: 10, height: 10 }, 32), { x: 326, y: 226, width: 74, height: 74 });
  });

  it('is as near to a square as the picture lets it be', () => {
    assert.deepEqual(piece({ x: 10, y: 100, width: 380, height: 50 }, 95), { x: 0, y: 0, width: 400, height: 300 });
    assert.deepEqual(pieceAround({ x: 3, y: 1, width: 9, height: 2 }, 32, { width: 64, height: 8 }), {
      ...{ x: 0, y: 0, width: 64, height: 8 },
    });
  });
});

describe('a result that is saved in a shape', () => {
  let folder: string;
  const records: Readonly<Record<string, unknown>>[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'unified-media-shape-'));
    records.length = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function save(
    name: string,
    bytes: Uint8Array,
    shape: ShapeId = '1:1',
    markGenerated = true,
  ): Promise<readonly string[]> {
    writeFileSync(join(folder, name), bytes);
    const sha256 = hashOf(bytes);
    const source = { file: name, sha256, kind: 'images', operation: 'generateImage', model: 'm', prompt: 'A fox' };
    const known = { ...source, sandbox: true, jobId: 'paid', usage: { cost: 1 } };
    const place = {
      folder: new LocalFolder(folder, folder),
      library: {
        entriesAt: async () => [known],
        entries: async () => [known],
        append: async (record: object) => void records.push({ ...record }),
      },
      recordedName: (file: string) => file,
    };
    const uri = pathToFileURL(join(folder, name)).href;
    await saveInShape([{ uri } as Asset], shape, {
      places: { referenceBeside: () => ({}), placeAt: () => place } as unknown as SourcePlaces,
      settings: settingsWith({ markGenerated }),
    });
    assert(readFileSync(join(folder, name)).equals(bytes), 'the original stays');
    return readdirSync(folder).sort();
  }

  it('lies beside its original, unless that has the shape', async () => {
    const square = patternPng(64, 64, () => [0, 0, 255, 255]);
    assert.deepEqual(await save('a-fox.png', square, '16:9'), ['a-fox-2.png', 'a-fox.png']);
    const { width, height } = await decodePicture(readFileSync(join(folder, 'a-fox-2.png')), { maxPixels: 10_000 });
    assert.deepEqual([width, height], [64, 36]);
    assert.equal(await save('b.png', square, '1:1').then(({ length }) => length), 3);
    const [{ createdAt, jobId, ...record } = {}, ...others] = records;
    assert.equal(others.length, 0);
    assert(typeof createdAt === 'string' && jobId !== 'paid');
    const bytes = readFileSync(join(folder, 'a-fox-2.png'));
    assert.deepEqual(marksIn(bytes), { kinds: ['iptc'], source: 'trainedAlgorithmicMedia' });
    assert.deepEqual(record, {
      file: 'a-fox-2.png',
      kind: 'images',
      operation: 'generateImage',
      model: 'm',
      prompt: 'A fox',
      mediaType: 'image/png',
      bytes: bytes.length,
      sha256: hashOf(bytes),
      sandbox: true,
      madeFrom: { file: 'a-fox.png', sha256: hashOf(square) },
      digitalSourceType: 'trainedAlgorithmicMedia',
    });
  });

  it('says in its record that Content Credentials are lost', async () => {
    await save('signed.png', readFileSync('test/support/credentials/picture.png'), '1200x630', false);
    assert.equal(records[0]?.credentials, 'lost');
    assert.equal(records[0]?.digitalSourceType, undefined);
  });
});

describe('a region that is cut out, edited and put back', () => {
  let folder: string;
  const records: Readonly<Record<string, unknown>>[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'unified-media-region-'));
    warnings.length = 0;
    records.length = 0;
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const save = (name: string, bytes: Uint8Array): string => {
    writeFileSync(join(folder, name), bytes);
    return pathToFileURL(join(folder, name)).href;
  };

  /** Edits the middle of the upper left quarter of a picture. @returns what is sent, and the picture afterwards */
  async function edited(name: string, bytes: Uint8Array, result: (sent: Uint8Array) => Promise<Uint8Array>) {
    const { width, height } = await decodePicture(bytes, { maxPixels: 1_000_000 });
    const area = { x: width / 8, y: height / 8, width: width / 4, height: height / 4 };
    const isMarked = (x: number, y: number) =>
      x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height;
    const mask = save(
      'mask.png',
      patternPng(width, height, (x, y) => [0, 0, 0, isMarked(x, y) ? 0 : 255]),
    );
    const place = {
      folder: new LocalFolder(folder, folder),
      library: { entriesAt: async () => [], append: async (record: object) => void records.push({ ...record }) },
      recordedName: (file: string) => file,
    };
    const edit = await cutRegion(
      save(name, bytes),
      { mask, area, size: { width, height } },
      {
        places: { referenceBeside: () => ({}), placeAt: () => place } as unknown as Parameters<
          typeof cutRegion
        >[2]['places'],
        settings: settingsWith(),
      },
    );
    const sent = new Uint8Array(edit.bytes);
    const asset = { uri: save('answer.png', await result(sent)), operation: 'editImage', model: 'm', prompt: 'p' };
    const [whole] = await edit.putBack([asset as Asset]);
    assert(whole);
    const after = await decodePicture(readFileSync(new URL(whole.uri)), { maxPixels: 1_000_000 });
    return { sent, whole, after, width, height };
  }

  const pixel = ({ width, data }: { width: number; data: Uint8Array }, x: number, y: number) => [
    ...data.subarray((y * width + x) * 4).subarray(0, 4),
  ];
  const plain = (width: number, height: number, colour: readonly number[]): Uint8Array =>
    encode({
      width,
      height,
      channels: 4,
      data: Uint8Array.from({ length: width * height * 4 }, (_, i) => colour[i % 4] ?? 0),
    });

  it('lies where it was marked in a JPEG that the camera has turned', async () => {
    // Black on the left when it is displayed, and white on the right.
    const { sent, whole, after } = await edited('photo.jpg', turnedJpegFile, async () =>
      plain(64, 64, [255, 0, 0, 255]),
    );
    assert.deepEqual([after.width, after.height], [64, 64]);
    const piece = await decodePicture(sent, { maxPixels: 10_000 });
    assert((pixel(piece, 1, 1)[0] ?? 255) < 60, 'the part that is sent is upright');
    const [red = 0, green = 0] = pixel(after, 12, 12);
    assert(red > 200 && green < 60, `${pixel(after, 12, 12)}`);
    assert((pixel(after, 60, 60)[1] ?? 0) > 200, 'the rest is as it was');
    assert.match(whole.uri, /photo-2\.jpg$/);
    assert.equal(readFileSync(join(folder, 'photo.jpg')).equals(turnedJpegFile), true);
    assert.deepEqual(warnings, []);
  });

  it('keeps what is transparent outside, and takes over what is inside', async () => {
    const picture = patternPng(400, 300, (x) => (x < 200 ? [0, 0, 0, 0] : [0, 0, 255, 255]));
    const { after } = await edited('logo.png', picture, async (sent) => {
      const { width, height } = await decodePicture(sent, { maxPixels: 1_000_000 });
      return plain(width, height, [255, 0, 0, 255]);
    });
    assert.deepEqual(pixel(after, 100, 75), [255, 0, 0, 255]);
    assert.equal(pixel(after, 5, 5)[3], 0);
    assert.equal(pixel(after, 190, 290)[3], 0);
    assert.deepEqual(pixel(after, 399, 299), [0, 0, 255, 255]);
  });

  it('fits whatever size comes back, and says when that has another shape', async () => {
    const picture = plain(400, 300, [0, 0, 255, 255]);
    const { after, sent } = await edited('hero.png', picture, async () => plain(1024, 1024, [255, 0, 0, 255]));
    const { width, height } = await decodePicture(sent, { maxPixels: 1_000_000 });
    assert.equal(width, height);
    assert.deepEqual(pixel(after, 100, 75), [255, 0, 0, 255]);
    assert.deepEqual(warnings, []);
    await edited('hero.png', picture, async () => plain(300, 200, [255, 0, 0, 255]));
    assert.match(
      warnings.join(),
      /region of hero\.png in another shape.*164 × 164 pixels were sent, 300 × 200 came back/,
    );
  });

  it('goes as a mask with an upright copy of a picture that is stored turned, and else with the picture itself', async () => {
    const inputs = { fromBytes: async (_: unknown, file: string, bytes: Uint8Array) => save(`copy-${file}`, bytes) };
    /** Sends a JPEG with an Exif orientation, and returns the size of its copy. */
    const sent = async (width: number, height: number, orientation: number, mask = [width, height] as const) => {
      const white = plain(width, height, [255, 255, 255, 255]);
      const stored = Buffer.from((await transformImage(white, { format: 'jpeg' })).bytes);
      const exif = Buffer.from(
        '\xff\xe1\0\x22Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0',
        'latin1',
      );
      exif[exif.indexOf(6)] = orientation;
      const photo = save('photo.jpg', Buffer.concat([stored.subarray(0, 2), exif, stored.subarray(2)]));
      const copy = await uprightFor(photo, save('mask.png', plain(...mask, [0, 0, 0, 255])), inputs);
      if (copy === photo) return undefined;
      assert.match(copy, /copy-photo\.png$/);
      const upright = await decodePicture(readFileSync(new URL(copy)), { maxPixels: 10_000 });
      return [upright.width, upright.height];
    };
    assert.deepEqual(await sent(64, 32, 6, [32, 64]), [32, 64]);
    assert.deepEqual(await sent(64, 32, 3), [64, 32]);
    assert.deepEqual(await sent(64, 64, 8), [64, 64]);
    assert.equal(await sent(64, 32, 1), undefined);
    assert.equal(await sent(64, 32, 6, [60, 64]), undefined, 'a mask that does not fit it');
    const flat = save('flat.png', plain(64, 32, [0, 0, 0, 255]));
    assert.equal(await uprightFor(flat, save('mask-2.png', plain(64, 32, [0, 0, 0, 255])), inputs), flat);
    assert.equal(await uprightFor(flat, save('mask-3.png', plain(32, 64, [0, 0, 0, 255])), inputs), flat);
  });

  it('is recorded as an edit of the picture', async () => {
    await edited('hero.png', plain(400, 300, [0, 0, 255, 255]), async () => plain(20, 20, [255, 0, 0, 255]));
    const [record] = records;
    assert.equal(record?.file, 'hero-2.png');
    assert.match(
      JSON.stringify(record?.inputs),
      /^\[\{"field":"image_urls","file":"hero\.png","sha256":"[0-9a-f]{64}"\}\]$/,
    );
  });
});
