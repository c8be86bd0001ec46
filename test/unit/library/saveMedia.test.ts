import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Folder } from '../../../src/library/Folder.ts';
import { LocalFolder } from '../../../src/library/LocalFolder.ts';
import { saveMedia } from '../../../src/library/saveMedia.ts';
import { giveAway } from '../../../src/operations/freeMemory.ts';
import { MediaError } from '../../../src/operations/MediaError.ts';
import type { AssetKind } from '../../../src/operations/operations.ts';
import { mp4Bytes, pngBytes, wavBytes } from '../../support/mediaBytes.ts';

describe('saveMedia', () => {
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

  it('tells what it saved', async () => {
    const saved = await save(folder, 'fox', 'images', inPieces(pngBytes));
    assert.deepEqual(saved, {
      name: 'fox.png',
      mediaType: 'image/png',
      bytes: pngBytes.length,
      sha256: createHash('sha256').update(pngBytes).digest('hex'),
    });
    assert.deepEqual(await readFile(join(path, 'fox.png')), pngBytes);
  });

  it('knows the type and the hash of what is freed when it is written, and believes data that knows its hash', async () => {
    const bytes = Buffer.concat([pngBytes, Buffer.alloc(2 ** 20)]);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
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

  it('never overwrites: fifty at once get fifty names', async () => {
    await writeFile(join(path, 'fox.png'), 'mine');
    const saved = await Promise.all(
      Array.from({ length: 50 }, () => save(folder, 'fox', 'images', inPieces(pngBytes))),
    );
    assert.equal(new Set(saved.map(({ name }) => name)).size, 50);
    assert.equal(await readFile(join(path, 'fox.png'), 'utf8'), 'mine');
    assert.equal((await readdir(path)).length, 51);
  });

  it('does not where the file system knows no links either', async () => {
    const link = () => Promise.reject(Object.assign(new Error('links are not supported'), { code: 'ENOTSUP' }));
    const plain = new LocalFolder(path, root, { link });
    await writeFile(join(path, 'fox.png'), 'mine');
    const saved = await Promise.all(Array.from({ length: 20 }, () => save(plain, 'fox', 'images', inPieces(pngBytes))));
    assert.equal(new Set(saved.map(({ name }) => name)).size, 20);
    assert.equal(await readFile(join(path, 'fox.png'), 'utf8'), 'mine');
    for (const { name } of saved) assert.deepEqual(await readFile(join(path, name)), pngBytes);
  });

  const wrong: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ['a web page', '<html><script>alert(1)</script></html>', /is a web page instead of an image/],
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', /is an SVG drawing instead/],
    ['a sound', wavBytes, /audio\/wav instead of an image/],
    ['nothing', '', /is nothing instead of an image/],
  ];
  for (const [name, bytes, sentence] of wrong) {
    it(`saves no image that is ${name}, and leaves nothing behind`, async () => {
      await assert.rejects(save(folder, 'fox', 'images', inPieces(Buffer.from(bytes))), (error) => {
        assert(error instanceof MediaError);
        assert.equal(error.kind, 'download');
        assert.match(error.message, sentence);
        return true;
      });
      assert.deepEqual(await readdir(path), []);
    });
  }

  it('leaves nothing behind when the data breaks off, and passes its error on', async () => {
    const broken = new MediaError('download', 'cut');
    async function* data() {
      yield pngBytes;
      throw broken;
    }
    await assert.rejects(save(folder, 'fox', 'images', data()), broken);
    assert.deepEqual(await readdir(path), []);
  });

  it('keeps sound without a signature by what the service calls it', async () => {
    const data = inPieces(Buffer.alloc(64));
    const options = { name: 'talk', kind: 'speech', id: 'a', announced: 'audio/pcm' } as const;
    assert.equal((await saveMedia(folder, data, options)).name, 'talk.pcm');
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

  it('keeps what is complete when only its name could not be given, and says where', async () => {
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

  it('says so when the folder is gone', async () => {
    await rm(join(root, 'media'), { recursive: true });
    await assert.rejects(save(folder, 'fox', 'images', inPieces(pngBytes)), { kind: 'save' });
  });
});

describe('LocalFolder.check', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'library-'));
  });

  afterEach(() => rm(root, { recursive: true }));

  it('makes the folder and leaves nothing in it', async () => {
    await new LocalFolder(join(root, 'a/b/c'), root).check();
    assert.deepEqual(await readdir(join(root, 'a/b/c')), []);
  });

  it('makes a folder of the storage that is not there yet', async () => {
    await new LocalFolder(join(root, 'storage/library'), undefined).check('library.jsonl');
    assert.deepEqual(await readdir(join(root, 'storage/library')), ['library.jsonl']);
  });

  it('does not bring back a workspace folder that is gone', async () => {
    const gone = join(root, 'gone');
    await assert.rejects(new LocalFolder(join(gone, 'media'), gone).check(), { kind: 'save', message: /ENOENT/ });
  });

  it('refuses a link that leads out', async () => {
    await symlink(tmpdir(), join(root, 'out'), 'junction');
    await assert.rejects(new LocalFolder(join(root, 'out/images'), root).check(), {
      kind: 'save',
      message: /leads out of the workspace folder/,
    });
  });

  it('refuses to add to a link, and never follows one', async () => {
    const victim = join(root, 'victim');
    await writeFile(victim, 'mine');
    await mkdir(join(root, 'library'));
    await symlink(victim, join(root, 'library/library.jsonl'));
    const library = new LocalFolder(join(root, 'library'), root);
    await assert.rejects(library.check('library.jsonl'), { kind: 'save', message: /is a link/ });
    await assert.rejects(library.append('library.jsonl', 'line'));
    assert.equal(await readFile(victim, 'utf8'), 'mine');
  });

  it('refuses a file where a folder should be', async () => {
    await writeFile(join(root, 'media'), '');
    await assert.rejects(new LocalFolder(join(root, 'media/images'), root).check(), { kind: 'save' });
  });

  it('refuses a folder that cannot be written', async () => {
    await chmod(root, 0o755);
    await mkdir(join(root, 'locked'), { mode: 0o555 });
    // The superuser can write everywhere, so that the check is made as nobody.
    const nobody = 65534;
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(nobody);
    try {
      await assert.rejects(new LocalFolder(join(root, 'locked/images'), root).check(), { kind: 'save' });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});

function save(folder: Folder, name: string, kind: AssetKind, data: AsyncIterable<Uint8Array>) {
  return saveMedia(folder, data, { name, kind, id: randomUUID() });
}

/** Bytes one by one at first, then the rest: no chunk boundary is special. */
async function* inPieces(bytes: Buffer) {
  for (const index of [0, 1, 2, 3]) yield bytes.subarray(index, index + 1);
  yield bytes.subarray(4);
}
