import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmod,
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { linkFile, skipUnless } from '../../support/skipUnless.ts';

describe('LocalFolder', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'local-folder-'));
  });

  afterEach(() => rm(root, { recursive: true }));

  describe('check', () => {
    it('creates the folder and leaves nothing in it', async () => {
      await new LocalFolder(join(root, 'a/b/c'), root).check();
      assert.deepEqual(await readdir(join(root, 'a/b/c')), []);
    });

    it('creates a storage folder that does not exist yet', async () => {
      await new LocalFolder(join(root, 'storage/library'), undefined).check('library.jsonl');
      assert.deepEqual(await readdir(join(root, 'storage/library')), ['library.jsonl']);
    });

    it('rejects, rather than recreating a workspace folder that is gone', async () => {
      const gone = join(root, 'gone');
      await assert.rejects(new LocalFolder(join(gone, 'media'), gone).check(), { kind: 'save', message: /ENOENT/ });
    });

    it('rejects when a file is in place of a folder', async () => {
      await writeFile(join(root, 'media'), '');
      await assert.rejects(new LocalFolder(join(root, 'media/images'), root).check(), { kind: 'save' });
    });

    it('rejects when the folder is not writable', async function () {
      skipUnless(this, process.platform !== 'win32', 'the modes of folders');
      await chmod(root, 0o755);
      await mkdir(join(root, 'locked'), { mode: 0o555 });
      // Root can write anywhere, so check as nobody.
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

    it('replaces a file whose content is as expected', async () => {
      const folder = new LocalFolder(root, root);
      await writeFile(join(root, 'a.mp3'), 'old');
      const created = await folder.create('.a.part', inChunks('new'));
      assert.equal(await folder.replace(created, 'a.mp3', { bytes: 3, sha256: sha256Of('old') }), true);
      assert.deepEqual(await readdir(root), ['a.mp3']);
      assert.equal(await readFile(join(root, 'a.mp3'), 'utf8'), 'new');
    });

    it('keeps the permissions of the file that it replaces', async function () {
      skipUnless(this, process.platform !== 'win32', 'the modes of files');
      const folder = new LocalFolder(root, root);
      for (const mode of [0o600, 0o664, 0o644]) {
        await writeFile(join(root, 'a.vtt'), 'old');
        await chmod(join(root, 'a.vtt'), mode);
        const created = await folder.create('.a.part', inChunks('new'));
        assert.equal(await folder.replace(created, 'a.vtt', { bytes: 3, sha256: sha256Of('old') }), true);
        assert.equal((await stat(join(root, 'a.vtt'))).mode & 0o777, mode, mode.toString(8));
      }
    });

    it('leaves a link alone', async function () {
      const folder = new LocalFolder(root, root);
      await writeFile(join(root, 'a.mp3'), 'own');
      await linkFile(this, join(root, 'a.mp3'), join(root, 'link.mp3'));
      const created = await folder.create('.a.part', inChunks('new'));
      assert.equal(await folder.replace(created, 'link.mp3', { bytes: 3, sha256: sha256Of('own') }), false);
      assert.equal(await readFile(join(root, 'a.mp3'), 'utf8'), 'own');
      assert.deepEqual((await readdir(root)).sort(), ['.a.part', 'a.mp3', 'link.mp3']);
    });

    it('leaves unexpected content and missing files alone', async () => {
      const folder = new LocalFolder(root, root);
      await writeFile(join(root, 'a.mp3'), 'own');
      const created = await folder.create('.a.part', inChunks('new'));
      for (const [name, text] of [
        ['a.mp3', 'old'],
        ['a.mp3', 'longer'],
        ['missing.mp3', ''],
      ] as const) {
        const content = { bytes: text.length, sha256: sha256Of(text) };
        assert.equal(await folder.replace(created, name, content), false, name);
      }
      assert.equal(await readFile(join(root, 'a.mp3'), 'utf8'), 'own');
      assert.deepEqual((await readdir(root)).sort(), ['.a.part', 'a.mp3']);
    });

    it('rejects when the created file was changed by another program', async () => {
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
    it('returns the name, size and identity of the written file', async () => {
      const folder = new LocalFolder(root, root);
      const one = await folder.create('a', inChunks('one', ' and more'));
      const other = await folder.create('b', inChunks('one', ' and more'));
      assert.deepEqual({ ...one, identity: undefined }, { name: 'a', bytes: 12, identity: undefined });
      assert.match(one.identity ?? '', /^\d+:\d+$/);
      assert.notEqual(one.identity, other.identity);
      assert.equal(await readFile(join(root, 'a'), 'utf8'), 'one and more');
    });

    it('rejects when the name is taken, without reading the data', async () => {
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

    it('leaves no file when the data fails, however much was written', async () => {
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

  it('lists files, but not folders or links', async () => {
    await writeFile(join(root, 'a.png'), '');
    await writeFile(join(root, '.b.part'), '');
    await mkdir(join(root, 'folder'));
    await symlink(join(root, 'folder'), join(root, 'link'), 'junction');
    assert.deepEqual([...(await new LocalFolder(root, root).list())].sort(), ['.b.part', 'a.png']);
    assert.deepEqual(await new LocalFolder(join(root, 'missing'), root).list(), []);
  });

  it('returns the size of a file, and undefined for anything else', async () => {
    const folder = new LocalFolder(root, root);
    await writeFile(join(root, 'a'), '12345');
    await mkdir(join(root, 'folder'));
    assert.equal(await folder.size('a'), 5);
    assert.equal(await folder.size('folder'), undefined);
    assert.equal(await folder.size('missing'), undefined);
    assert.equal(await new LocalFolder(join(root, 'missing'), root).size('a'), undefined);
  });

  it('removes a file, and ignores a missing one', async () => {
    const folder = new LocalFolder(root, root);
    await writeFile(join(root, 'a'), '');
    await folder.remove('a');
    await folder.remove('a');
    await new LocalFolder(join(root, 'missing'), root).remove('a');
    assert.deepEqual(await readdir(root), []);
  });

  it('reads from an offset, also from the end, and returns undefined for a missing file', async () => {
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

  it('keeps a file open only while it is streamed', async () => {
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
    assert.equal(opened.length, 0, 'nothing is opened before the first read');
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
    // The descriptor of a closed handle is -1.
    assert.deepEqual(new Set(opened.map(({ fd }) => fd)), new Set([-1]));
  });
});

async function* inChunks(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}
