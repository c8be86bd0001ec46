import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreatedFile } from '../../../src/files/Folder.ts';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { type ConvertBytes, saveMedia } from '../../../src/library/saveMedia.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { jpegFile, webpFile } from '../../support/pictureFiles.ts';

describe('saveMedia with an exact extension', () => {
  let root: string;
  let folder: LocalFolder;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'exact-name-'));
    folder = new LocalFolder(root, root);
  });

  afterEach(() => rm(root, { recursive: true }));

  function save(bytes: Uint8Array, extension: string, convert?: ConvertBytes) {
    async function* data() {
      yield bytes;
    }
    return saveMedia(folder, data(), { name: 'hero', extension, kind: 'images', id: randomUUID(), convert });
  }

  /** Stands in for a converter: returns the given result and records its calls. */
  function converter(result: Uint8Array | undefined) {
    const asked: unknown[] = [];
    const convert: ConvertBytes = async (bytes, extension) => {
      asked.push([Buffer.from(bytes), extension]);
      return result;
    };
    return { asked, convert };
  }

  it('keeps the spelling of the extension when the bytes match it', async () => {
    const { asked, convert } = converter(undefined);
    assert.equal((await save(jpegFile, 'jpeg', convert)).name, 'hero.jpeg');
    assert.equal((await save(jpegFile, 'JPG', convert)).name, 'hero.JPG');
    assert.equal((await save(pngBytes, 'png', convert)).name, 'hero.png');
    assert.deepEqual(asked, []);
  });

  it('saves only the converted bytes and describes them', async () => {
    const { asked, convert } = converter(jpegFile);
    const saved = await save(pngBytes, 'jpg', convert);
    assert.partialDeepStrictEqual(saved, { name: 'hero.jpg', mediaType: 'image/jpeg', bytes: jpegFile.length });
    assert.deepEqual(asked, [[pngBytes, 'jpg']]);
    assert.deepEqual(await readdir(root), ['hero.jpg']);
    assert.deepEqual(await readFile(join(root, 'hero.jpg')), jpegFile);
  });

  for (const [what, result] of [
    ['cannot be converted', undefined],
    ['are converted to another type', webpFile],
    ['are converted to something that is not an image', Buffer.from('jpg')],
  ] as const) {
    it(`uses the extension of the bytes when they ${what}`, async () => {
      const saved = await save(pngBytes, 'jpg', converter(result).convert);
      assert.partialDeepStrictEqual(saved, { name: 'hero.png', mediaType: 'image/png' });
      assert.deepEqual(await readdir(root), ['hero.png']);
      assert.deepEqual(await readFile(join(root, 'hero.png')), pngBytes);
    });
  }

  it('saves the bytes as they are when there is no room for the converted ones', async () => {
    class FullFolder extends LocalFolder {
      override create(name: string, data: AsyncIterable<Uint8Array>): Promise<CreatedFile> {
        const isSecond = name.includes('converted');
        return isSecond ? Promise.reject(new Error('ENOSPC: no space left on device')) : super.create(name, data);
      }
    }
    folder = new FullFolder(root, root);
    assert.equal((await save(pngBytes, 'jpg', converter(jpegFile).convert)).name, 'hero.png');
    assert.deepEqual(await readdir(root), ['hero.png']);
  });

  it('appends a number to a name that is taken', async () => {
    await writeFile(join(root, 'hero.jpg'), 'mine');
    assert.equal((await save(pngBytes, 'jpg', converter(jpegFile).convert)).name, 'hero-2.jpg');
    assert.equal(await readFile(join(root, 'hero.jpg'), 'utf8'), 'mine');
  });
});
