import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalFolder } from '../../../src/library/LocalFolder.ts';

describe('LocalFolder', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'local-folder-'));
  });

  afterEach(() => rm(root, { recursive: true }));

  describe('check', () => {
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

    it('refuses a file where a folder should be', async () => {
      await writeFile(join(root, 'media'), '');
      await assert.rejects(new LocalFolder(join(root, 'media/images'), root).check(), { kind: 'save' });
    });

    it('refuses a folder that cannot be written', async function () {
      // Windows ignores the mode of a folder.
      if (process.platform === 'win32') this.skip();
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

  describe('replace', () => {
    const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');

    it('puts a file in the place of the one that it expects there', async () => {
      const folder = new LocalFolder(root, root);
      await writeFile(join(root, 'a.mp3'), 'old');
      const created = await folder.create('.a.part', inChunks('new'));
      assert.equal(await folder.replace(created, 'a.mp3', { bytes: 3, sha256: sha256Of('old') }), true);
      assert.deepEqual(await readdir(root), ['a.mp3']);
      assert.equal(await readFile(join(root, 'a.mp3'), 'utf8'), 'new');
    });

    it('leaves what it does not expect, a link, and nothing', async () => {
      const folder = new LocalFolder(root, root);
      await writeFile(join(root, 'a.mp3'), 'own');
      await symlink(join(root, 'a.mp3'), join(root, 'link.mp3'));
      const created = await folder.create('.a.part', inChunks('new'));
      for (const [name, text] of [
        ['a.mp3', 'old'],
        ['a.mp3', 'longer'],
        ['link.mp3', 'own'],
        ['missing.mp3', ''],
      ] as const) {
        const content = { bytes: text.length, sha256: sha256Of(text) };
        assert.equal(await folder.replace(created, name, content), false, name);
      }
      assert.equal(await readFile(join(root, 'a.mp3'), 'utf8'), 'own');
      assert.deepEqual((await readdir(root)).sort(), ['.a.part', 'a.mp3', 'link.mp3']);
    });

    it('refuses a created file that somebody has changed', async () => {
      const folder = new LocalFolder(root, root);
      await writeFile(join(root, 'a.mp3'), 'old');
      const created = await folder.create('.a.part', inChunks('new'));
      await writeFile(join(root, '.a.part'), 'longer');
      const content = { bytes: 3, sha256: sha256Of('old') };
      await assert.rejects(folder.replace(created, 'a.mp3', content), { kind: 'save', message: /another program/ });
      assert.equal(await readFile(join(root, 'a.mp3'), 'utf8'), 'old');
    });
  });

  describe('create', () => {
    it('says what it wrote, and names the file by an identity that no other file has', async () => {
      const folder = new LocalFolder(root, root);
      const one = await folder.create('a', inChunks('one', ' and more'));
      const other = await folder.create('b', inChunks('one', ' and more'));
      assert.deepEqual({ ...one, identity: undefined }, { name: 'a', bytes: 12, identity: undefined });
      assert.match(one.identity ?? '', /^\d+:\d+$/);
      assert.notEqual(one.identity, other.identity);
      assert.equal(await readFile(join(root, 'a'), 'utf8'), 'one and more');
    });

    it('rejects when the name is taken, reads nothing of the data and leaves the file alone', async () => {
      await writeFile(join(root, 'a'), 'mine');
      let read = false;
      async function* data() {
        read = true;
        yield Buffer.from('yours');
      }
      await assert.rejects(new LocalFolder(root, root).create('a', data()), { code: 'EEXIST' });
      assert.equal(read, false);
      assert.equal(await readFile(join(root, 'a'), 'utf8'), 'mine');
    });

    it('leaves nothing behind when the data breaks off, however much was written', async () => {
      for (const length of [1, 3 * 2 ** 20]) {
        async function* data() {
          yield Buffer.alloc(length);
          throw new Error('cut');
        }
        await assert.rejects(new LocalFolder(root, root).create('a', data()), /cut/);
        assert.deepEqual(await readdir(root), []);
      }
    });
  });

  it('lists the files, and neither folders nor links; of a missing folder none', async () => {
    await writeFile(join(root, 'a.png'), '');
    await writeFile(join(root, '.b.part'), '');
    await mkdir(join(root, 'folder'));
    await symlink(join(root, 'folder'), join(root, 'link'), 'junction');
    assert.deepEqual([...(await new LocalFolder(root, root).list())].sort(), ['.b.part', 'a.png']);
    assert.deepEqual(await new LocalFolder(join(root, 'missing'), root).list(), []);
  });

  it('tells the size of a file, and of nothing else', async () => {
    const folder = new LocalFolder(root, root);
    await writeFile(join(root, 'a'), '12345');
    await mkdir(join(root, 'folder'));
    assert.equal(await folder.size('a'), 5);
    assert.equal(await folder.size('folder'), undefined);
    assert.equal(await folder.size('missing'), undefined);
    assert.equal(await new LocalFolder(join(root, 'missing'), root).size('a'), undefined);
  });

  it('removes a file if it is there', async () => {
    const folder = new LocalFolder(root, root);
    await writeFile(join(root, 'a'), '');
    await folder.remove('a');
    await folder.remove('a');
    await new LocalFolder(join(root, 'missing'), root).remove('a');
    assert.deepEqual(await readdir(root), []);
  });

  it('reads from a position on, or the end; nothing of a missing file', async () => {
    const folder = new LocalFolder(root, root);
    await writeFile(join(root, 'a'), 'abcdef');
    const read = async (from?: number) => Buffer.from((await folder.read('a', from)) ?? []).toString();
    assert.deepEqual(await Promise.all([read(), read(4), read(9), read(-2), read(-9)]), [
      'abcdef',
      'ef',
      '',
      'ef',
      'abcdef',
    ]);
    assert.equal(await folder.read('missing'), undefined);
  });

  it('streams a file, and has it open only meanwhile', async () => {
    const opened: FileHandle[] = [];
    const folder = new LocalFolder(root, root, {
      open: async (path, flags) => {
        const handle = await open(path, flags);
        opened.push(handle);
        return handle;
      },
    });
    const bytes = Buffer.alloc(3 * 2 ** 20 + 5, 'abc');
    await writeFile(join(root, 'a'), bytes);

    const unread = folder.stream('a');
    assert.equal(opened.length, 0, 'nothing is opened before it is read');
    const chunks: Uint8Array[] = [];
    for await (const chunk of unread) chunks.push(chunk);
    assert(bytes.equals(Buffer.concat(chunks)));
    for await (const _ of folder.stream('a')) break;
    await folder.read('a');
    await folder.append('b', 'line\n');
    await folder.create('c', inChunks('data'));
    await folder.check();
    await assert.rejects(
      async () => {
        for await (const _ of folder.stream('missing')) assert.fail();
      },
      { code: 'ENOENT' },
    );
    assert(opened.length >= 6, String(opened.length));
    // A closed handle has the descriptor -1.
    assert.deepEqual(new Set(opened.map(({ fd }) => fd)), new Set([-1]));
  });
});

async function* inChunks(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}
