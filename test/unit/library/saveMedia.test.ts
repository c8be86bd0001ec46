import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Folder, hasFile } from '../../../src/files/Folder.ts';
import { giveAway } from '../../../src/files/freeMemory.ts';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { type FileFacts, type SaveMediaOptions, saveMedia } from '../../../src/library/saveMedia.ts';
import { MediaError } from '../../../src/operations/MediaError.ts';
import type { AssetKind } from '../../../src/operations/operations.ts';
import { failureOf } from '../../support/failureOf.ts';
import { mp4Bytes, pngBytes, wavBytes } from '../../support/mediaBytes.ts';

describe('saveMedia (promises 11, 12)', () => {
  let root: string;
  let path: string;
  let folder: LocalFolder;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'library-'));
    path = join(root, 'media/images');
    folder = new LocalFolder(path, root);
    await folder.check();
  });

  afterEach(() => rm(root, { recursive: true }));

  it('saves the data and describes the file', async () => {
    const saved = await save(folder, 'fox', 'images', inPieces(pngBytes));
    assert.deepEqual(saved, {
      name: 'fox.png',
      mediaType: 'image/png',
      bytes: pngBytes.length,
      sha256: sha256Of(pngBytes),
    });
    assert.deepEqual(await readFile(join(path, 'fox.png')), pngBytes);
  });

  it('detects type and hash of data that is freed when written, and trusts data that knows its hash', async () => {
    const bytes = Buffer.concat([pngBytes, Buffer.alloc(2 ** 20)]);
    const sha256 = sha256Of(bytes);
    const freed = () =>
      (async function* () {
        yield giveAway(Uint8Array.from(bytes));
      })();
    assert.partialDeepStrictEqual(await save(folder, 'fox', 'images', freed()), { name: 'fox.png', sha256 });
    const hashed = Object.assign(freed(), { sha256: () => 'known' });
    assert.partialDeepStrictEqual(await save(folder, 'fox', 'images', hashed), { name: 'fox-2.png', sha256: 'known' });
  });

  it('takes the extension from the bytes', async () => {
    const cases = [
      ['speech', wavBytes, 'x.wav'],
      ['videos', mp4Bytes, 'x.mp4'],
      ['images', pngBytes, 'x.png'],
    ] as const;
    for (const [kind, bytes, name] of cases) {
      assert.equal((await save(folder, 'x', kind, inPieces(bytes))).name, name);
    }
  });

  it('never overwrites: fifty concurrent saves get fifty names', async () => {
    await writeFile(join(path, 'fox.png'), 'mine');
    const saved = await Promise.all(
      Array.from({ length: 50 }, () => save(folder, 'fox', 'images', inPieces(pngBytes))),
    );
    assert.equal(new Set(saved.map(({ name }) => name)).size, 50);
    assert.equal(await readFile(join(path, 'fox.png'), 'utf8'), 'mine');
    assert.equal((await readdir(path)).length, 51);
  });

  it('never overwrites when the file system has no links', async () => {
    const link = () => Promise.reject(Object.assign(new Error('links are not supported'), { code: 'ENOTSUP' }));
    const plain = new LocalFolder(path, root, { link });
    await writeFile(join(path, 'fox.png'), 'mine');
    const saved = await Promise.all(Array.from({ length: 20 }, () => save(plain, 'fox', 'images', inPieces(pngBytes))));
    assert.equal(new Set(saved.map(({ name }) => name)).size, 20);
    assert.equal(await readFile(join(path, 'fox.png'), 'utf8'), 'mine');
    for (const { name } of saved) assert.deepEqual(await readFile(join(path, name)), pngBytes);
  });

  const wrong: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ['a web page', '<html><script>alert(1)</script></html>', /returned a web page instead of an image/],
    [
      'an SVG',
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      /returned an SVG drawing, which may hold scripts, instead/,
    ],
    ['a sound', wavBytes, /audio\/wav instead of an image/],
    ['nothing', '', /returned nothing instead of an image/],
  ];
  for (const [name, bytes, sentence] of wrong) {
    it(`rejects ${name} instead of an image, and leaves no file`, async () => {
      await assert.rejects(save(folder, 'fox', 'images', inPieces(Buffer.from(bytes))), (error) => {
        assert(error instanceof MediaError);
        assert.equal(error.kind, 'download');
        assert.match(error.message, sentence);
        return true;
      });
      assert.deepEqual(await readdir(path), []);
    });
  }

  it('rejects with the error of the data, and leaves no file', async () => {
    for (const broken of [new MediaError('download', 'cut'), new Error('cut')]) {
      async function* data() {
        yield pngBytes;
        throw broken;
      }
      await assert.rejects(save(folder, 'fox', 'images', data()), (error) => error === broken);
      assert.deepEqual(await readdir(path), []);
    }
  });

  it('saves sound without a signature by the type that the service reported', async () => {
    const data = inPieces(Buffer.alloc(64));
    const options = { name: 'talk', kind: 'speech', id: 'a', announced: 'audio/pcm' } as const;
    assert.equal((await saveMedia(folder, data, options)).name, 'talk.pcm');
    await assert.rejects(saveMedia(folder, inPieces(Buffer.alloc(0)), options), /returned nothing instead of audio/);
    await assert.rejects(
      saveMedia(folder, inPieces(Buffer.from('Too busy')), options),
      /returned text instead of audio/,
    );
  });

  it('leaves the temporary file of another attempt alone', async () => {
    await writeFile(join(path, '.a.part'), 'half');
    await assert.rejects(saveMedia(folder, inPieces(pngBytes), { name: 'fox', kind: 'images', id: 'a' }), {
      kind: 'save',
      message: /EEXIST/,
    });
    assert.equal(await readFile(join(path, '.a.part'), 'utf8'), 'half');
    const saved = await saveMedia(folder, inPieces(pngBytes), { name: 'fox', kind: 'images', id: 'b' });
    assert.deepEqual((await readdir(path)).sort(), ['.a.part', saved.name]);
  });

  it('calls onNaming before it gives a name', async () => {
    await writeFile(join(path, 'fox.png'), 'mine');
    const announced: unknown[] = [];
    const onNaming = async (name: string, facts: FileFacts) => {
      await setImmediate();
      announced.push([name, facts, (await readdir(path)).sort()]);
    };
    const saved = await saveMedia(folder, inPieces(pngBytes), { name: 'fox', kind: 'images', id: 'a', onNaming });
    const { name: _, ...facts } = saved;
    assert.deepEqual(facts, { mediaType: 'image/png', bytes: pngBytes.length, sha256: sha256Of(pngBytes) });
    // A name that is taken is not announced.
    assert.deepEqual(announced, [['fox-2.png', facts, ['.a.part', 'fox.png']]]);
    assert.equal(await hasFile(folder, 'fox-2.png', facts), true);
  });

  it('gives no name when onNaming rejects, and reports where the file is', async () => {
    const onNaming = () => Promise.reject(new Error('no room'));
    const saving = saveMedia(folder, inPieces(pngBytes), { name: 'fox', kind: 'images', id: 'a', onNaming });
    await assert.rejects(saving, { kind: 'save', message: /complete.*\.a\.part \(no room\)/ });
    assert.deepEqual(await readdir(path), ['.a.part']);
  });

  it('rejects a file that another process changed, and accepts one with the same content', async () => {
    const replace = async (bytes: Uint8Array) => {
      await writeFile(join(path, 'new'), bytes);
      await rename(join(path, 'new'), join(path, '.a.part'));
    };
    const other = Buffer.from(pngBytes).reverse();
    const options = { name: 'fox', kind: 'images', id: 'a' } as const;
    const saving = saveMedia(folder, inPieces(pngBytes), { ...options, onNaming: () => replace(other) });
    await assert.rejects(saving, {
      kind: 'save',
      message: /^The result was not saved, because another program changed/,
    });
    assert.deepEqual(await readdir(path), ['.a.part']);
    await rm(join(path, '.a.part'));
    await saveMedia(folder, inPieces(pngBytes), { ...options, onNaming: () => replace(pngBytes) });
    assert.deepEqual(await readdir(path), ['fox.png']);
  });

  describe('with data that is not of the expected kind', () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    const pcm = Buffer.alloc(3 * 2 ** 20, '\xff\x00', 'latin1');
    const cases: readonly (readonly [string, Buffer, AssetKind, string | undefined, RegExp])[] = [
      ['an SVG', svg, 'images', undefined, /returned an SVG drawing, which may hold scripts, instead of an image\./],
      [
        'sound as octets',
        pcm,
        'speech',
        undefined,
        /data of an unknown type \(“application\/octet-stream”\) instead of audio\./,
      ],
      ['a sound', wavBytes, 'images', 'audio/wav', /returned audio\/wav instead of an image\./],
    ];
    for (const [name, bytes, kind, mediaType, sentence] of cases) {
      it(`passes the bytes of ${name} to onUnknownType, and then removes the file`, async () => {
        const kept: unknown[] = [];
        const onUnknownType: SaveMediaOptions['onUnknownType'] = async (data, facts) => {
          await setImmediate();
          const chunks: Uint8Array[] = [];
          for await (const chunk of data) chunks.push(chunk);
          assert(bytes.equals(Buffer.concat(chunks)));
          kept.push(facts);
        };
        const announced = 'application/octet-stream; charset=binary';
        const options = { name: 'fox', kind, id: 'a', announced, onUnknownType };
        const error = await failureOf(saveMedia(folder, inPieces(bytes), options));
        assert.equal(error.kind, 'download');
        assert.match(error.message, sentence);
        assert.match(error.message, / The data is kept\. To get it as a file, choose “Save Raw Answer…”\.$/);
        assert.deepEqual(kept, [{ bytes: bytes.length, sha256: sha256Of(bytes), mediaType }]);
        assert.deepEqual(await readdir(path), []);
      });
    }

    it('keeps the file when onUnknownType rejects, and reports where it is', async () => {
      const onUnknownType = () => Promise.reject(new Error('no room'));
      const options = { name: 'fox', kind: 'images', id: 'a', onUnknownType } as const;
      const error = await failureOf(saveMedia(folder, inPieces(svg), options));
      assert.equal(error.kind, 'download');
      assert.match(error.message, /an SVG drawing.* The result is saved as file:.*\.a\.part; .* \(no room\)\.$/);
      assert.deepEqual(await readFile(join(path, '.a.part')), svg);
    });

    it('does not call onUnknownType for empty data', async () => {
      const onUnknownType = () => assert.fail('there is nothing');
      const options = { name: 'fox', kind: 'images', id: 'a', onUnknownType } as const;
      const error = await failureOf(saveMedia(folder, inPieces(Buffer.alloc(0)), options));
      assert.equal(error.message, 'The service returned nothing instead of an image. It was not saved.');
      assert.deepEqual(await readdir(path), []);
    });
  });

  it('keeps a complete file that cannot be named, and reports where it is', async () => {
    class WithoutNames extends LocalFolder {
      override moveIfAbsent(): Promise<boolean> {
        return Promise.reject(new Error('locked'));
      }
    }
    const locked = new WithoutNames(path, root);
    await assert.rejects(saveMedia(locked, inPieces(pngBytes), { name: 'fox', kind: 'images', id: 'a' }), {
      kind: 'save',
      message: /complete.*\.a\.part \(locked\)/,
    });
    assert.deepEqual(await readFile(join(path, '.a.part')), pngBytes);
  });

  it('rejects when the folder has become a link that leaves the workspace, and closes the data', async () => {
    await rm(path, { recursive: true });
    await symlink(tmpdir(), path, 'junction');
    let isClosed = false;
    const data = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: pngBytes }),
        return: async () => {
          isClosed = true;
          return { done: true as const, value: undefined };
        },
      }),
    };
    const error = await failureOf(save(folder, 'fox', 'images', data));
    assert.equal(error.kind, 'save');
    assert.match(error.message, /^\S*images leads outside the workspace folder, so it is not used\.$/);
    assert.equal(isClosed, true);
  });

  it('rejects when the folder is gone', async () => {
    await rm(join(root, 'media'), { recursive: true });
    await assert.rejects(save(folder, 'fox', 'images', inPieces(pngBytes)), { kind: 'save' });
  });
});

function save(folder: Folder, name: string, kind: AssetKind, data: AsyncIterable<Uint8Array>) {
  return saveMedia(folder, data, { name, kind, id: randomUUID() });
}

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Yields the first bytes one by one, then the rest, so that no chunk boundary is special. */
async function* inPieces(bytes: Buffer) {
  for (const index of [0, 1, 2, 3]) yield bytes.subarray(index, index + 1);
  yield bytes.subarray(4);
}
