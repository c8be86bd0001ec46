import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type FileCalls, nodeCalls } from '../../../src/files/FileCalls.ts';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { failureOf } from '../../support/failureOf.ts';
import { linkFile, skipUnless } from '../../support/skipUnless.ts';

const path = 'media/images';

describe('LocalFolder and links', () => {
  let parent: string;
  let root: string;
  /** A sibling whose path starts with the path of the workspace folder. */
  let outside: string;

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'folder-links-'));
    root = join(parent, 'project');
    outside = join(parent, 'project-2');
    await mkdir(join(root, path), { recursive: true });
    await mkdir(join(outside, 'images'), { recursive: true });
  });

  afterEach(() => rm(parent, { recursive: true }));

  const folderWith = (calls: Partial<FileCalls> = {}) => new LocalFolder(join(root, path), root, calls);
  const linkTo = (target: string, at: string) => symlink(target, at, 'junction');
  /** Replaces a part of the path by a link that leaves the workspace, as another program would. */
  const leadOut = async (part = 'media') => {
    await rename(join(root, part), join(root, `${part}-before`));
    await linkTo(part === 'media' ? outside : join(outside, 'images'), join(root, part));
  };
  const leadBack = async (part = 'media') => {
    await unlink(join(root, part)).catch(() => rmdir(join(root, part)));
    await rename(join(root, `${part}-before`), join(root, part));
  };
  const filesOutside = async () => {
    const entries = await readdir(outside, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return Object.fromEntries(
      await Promise.all(files.map(async (file) => [basename(file), await readFile(file, 'utf8')] as const)),
    );
  };

  const created = { name: '.a.part', bytes: 6 };
  const uses: Readonly<Record<string, (folder: LocalFolder) => Promise<unknown>>> = {
    check: (folder) => folder.check(),
    'check of a file': (folder) => folder.check('library.jsonl'),
    create: (folder) => folder.create('new.png', data('mine')),
    moveIfAbsent: (folder) => folder.moveIfAbsent(created, 'new.png'),
    append: (folder) => folder.append('library.jsonl', 'line\n'),
    'append to a new file': (folder) => folder.append('new.jsonl', 'line\n'),
    read: (folder) => folder.read('library.jsonl'),
    stream: (folder) => read(folder.stream('library.jsonl')),
    size: (folder) => folder.size('library.jsonl'),
    list: (folder) => folder.list(),
    remove: (folder) => folder.remove('library.jsonl'),
  };

  for (const part of ['media', path]) {
    for (const [name, use] of Object.entries(uses)) {
      it(`${name} rejects when a link that leaves the workspace replaced ${part}`, async () => {
        await writeFile(join(outside, 'images/library.jsonl'), 'theirs');
        await writeFile(join(outside, 'images/.a.part'), 'theirs');
        const folder = folderWith();
        await folder.check();
        await leadOut(part);
        const error = await failureOf(use(folder));
        assert.equal(error.kind, 'save');
        assert.match(error.message, /leads outside the workspace folder/);
        assert.deepEqual(await filesOutside(), { 'library.jsonl': 'theirs', '.a.part': 'theirs' });
      });
    }
  }

  it('follows the link that leads to the root to where it leads now', async () => {
    const way = join(parent, 'way');
    await linkTo(root, way);
    const folder = new LocalFolder(join(way, path), way);
    await folder.append('before.txt', 'line\n');
    await unlink(way).catch(() => rmdir(way));
    await linkTo(outside, way);
    await mkdir(join(outside, path), { recursive: true });
    await folder.append('after.txt', 'line\n');
    assert.deepEqual(await filesOutside(), { 'after.txt': 'line\n' });
  });

  it('follows a link within the workspace, but not a further one that leaves it', async () => {
    await rm(join(root, 'media'), { recursive: true });
    await mkdir(join(root, 'assets/images'), { recursive: true });
    await linkTo(join(root, 'assets'), join(root, 'media'));
    const folder = folderWith();
    await folder.check('library.jsonl');
    await folder.append('library.jsonl', 'line\n');
    assert.equal(await folder.moveIfAbsent(await folder.create('.a.part', data('mine')), 'a.png'), true);
    assert.equal(await readFile(join(root, 'assets/images/a.png'), 'utf8'), 'mine');
    assert.deepEqual([...(await folder.list())].sort(), ['a.png', 'library.jsonl']);

    await rm(join(root, 'assets/images'), { recursive: true });
    await linkTo(join(outside, 'images'), join(root, 'assets/images'));
    await assert.rejects(folder.append('library.jsonl', 'line\n'), /leads out/);
    assert.deepEqual(await filesOutside(), {});
  });

  it('creates no folder behind a dangling link', async () => {
    await rm(join(root, 'media'), { recursive: true });
    await linkTo(join(outside, 'new'), join(root, 'media'));
    await assert.rejects(folderWith().check(), { kind: 'save' });
    await assert.rejects(folderWith().append('library.jsonl', 'line\n'));
    assert.deepEqual(await readdir(outside), ['images']);
  });

  it('leaves no folder outside when a link appears before one is created', async () => {
    await rm(join(root, path), { recursive: true });
    await rm(join(outside, 'images'), { recursive: true });
    const mkdirOutside = async (made: string) => {
      await leadOut();
      await mkdir(made);
    };
    await assert.rejects(folderWith({ mkdir: mkdirOutside }).check(), /leads out/);
    assert.deepEqual(await readdir(outside), []);
  });

  it('keeps an existing folder outside', async () => {
    await rm(join(root, path), { recursive: true });
    const mkdirOutside = async (made: string) => {
      await leadOut();
      await mkdir(made);
    };
    await assert.rejects(folderWith({ mkdir: mkdirOutside }).check(), /leads out/);
    assert.deepEqual(await readdir(outside), ['images']);
  });

  it('accepts a folder that another process creates at the same time', async () => {
    await rm(join(root, 'media'), { recursive: true });
    const twice = async (made: string) => {
      await mkdir(made);
      await mkdir(made);
    };
    await folderWith({ mkdir: twice }).check();
    assert.deepEqual(await readdir(join(root, path)), []);
  });

  it('rejects, rather than recreating a workspace folder that is gone', async () => {
    await rm(root, { recursive: true });
    await assert.rejects(folderWith().append('library.jsonl', 'line\n'), { code: 'ENOENT' });
    await assert.rejects(folderWith().create('a', data('mine')), { code: 'ENOENT' });
    assert.deepEqual(await readdir(parent), ['project-2']);
  });

  const onFile: Readonly<Record<string, (folder: LocalFolder) => Promise<unknown>>> = {
    check: (folder) => folder.check('library.jsonl'),
    append: (folder) => folder.append('library.jsonl', 'line\n'),
    read: (folder) => folder.read('library.jsonl'),
    stream: (folder) => read(folder.stream('library.jsonl')),
    moveIfAbsent: (folder) => folder.moveIfAbsent({ name: 'library.jsonl', bytes: 4 }, 'a.png'),
  };
  for (const [name, use] of Object.entries(onFile)) {
    it(`${name} rejects a file that is a link, wherever it leads`, async function () {
      const victim = join(root, 'victim');
      await writeFile(victim, 'mine');
      await linkFile(this, victim, join(root, path, 'library.jsonl'));
      await assert.rejects(use(folderWith()), { kind: 'save', message: /is a link to another file/ });
      assert.equal(await readFile(victim, 'utf8'), 'mine');
    });

    it(`${name} rejects a pipe instead of waiting for it`, function () {
      skipUnless(this, process.platform !== 'win32', 'mkfifo');
      assert.equal(spawnSync('mkfifo', [join(root, path, 'library.jsonl')]).status, 0);
      return assert.rejects(use(folderWith()), { kind: 'save', message: /is not a file/ });
    });
  }

  it('omits a link from size and list, and removes the link but not its target', async function () {
    const victim = join(root, 'victim');
    await writeFile(victim, 'mine');
    await linkFile(this, victim, join(root, path, 'a.png'));
    assert.equal(await folderWith().size('a.png'), undefined);
    assert.deepEqual(await folderWith().list(), []);
    await folderWith().remove('a.png');
    assert.deepEqual(await readdir(join(root, path)), []);
    assert.equal(await readFile(victim, 'utf8'), 'mine');
  });

  describe('with a link made between the check and the call', () => {
    /** Opens a file after making a link that leaves the workspace. */
    const openOutside: FileCalls['open'] = async (file, flags) => {
      await leadOut();
      return open(file, flags);
    };
    const opening = ['check', 'check of a file', 'create', 'append to a new file'] as const;
    for (const name of opening) {
      it(`${name} leaves no file outside`, async () => {
        await assert.rejects(uses[name]?.(folderWith({ open: openOutside })) ?? assert.fail(), { kind: 'save' });
        assert.deepEqual(await filesOutside(), {});
      });
    }

    for (const name of ['append', 'read', 'stream', 'check of a file'] as const) {
      it(`${name} neither reads nor changes a file outside`, async () => {
        await writeFile(join(root, path, 'library.jsonl'), 'mine');
        await writeFile(join(outside, 'images/library.jsonl'), 'theirs');
        const use = uses[name] ?? assert.fail();
        await assert.rejects(use(folderWith({ open: openOutside })), { kind: 'save', message: /leads out/ });
        assert.deepEqual(await filesOutside(), { 'library.jsonl': 'theirs' });
      });
    }

    it('append removes no file outside that it did not create', async () => {
      await writeFile(join(outside, 'images/library.jsonl'), 'theirs');
      const folder = folderWith({ open: openOutside });
      await assert.rejects(folder.append('library.jsonl', 'line\n'), { kind: 'save', message: /leads out/ });
      assert.deepEqual(await filesOutside(), { 'library.jsonl': 'theirs' });
    });

    it('create, append and read write nothing outside even if the link is removed again', async () => {
      const inAndOut: FileCalls['open'] = async (file, flags) => {
        await leadOut();
        const handle = await open(file, flags);
        await leadBack();
        return handle;
      };
      const folder = folderWith({ open: inAndOut });
      await assert.rejects(folder.create('.a.part', data('mine')), { code: 'ENOENT' });
      await writeFile(join(root, path, 'library.jsonl'), 'mine');
      await writeFile(join(outside, 'images/library.jsonl'), 'theirs');
      await assert.rejects(folder.append('library.jsonl', 'line\n'), /replaced/);
      await assert.rejects(folder.read('library.jsonl'), /replaced/);
      // No path leads to the created file any more, so it stays, empty.
      assert.deepEqual(await filesOutside(), { '.a.part': '', 'library.jsonl': 'theirs' });
      assert.equal(await readFile(join(root, path, 'library.jsonl'), 'utf8'), 'mine');
    });

    const eio = () => Promise.reject(Object.assign(new Error('no links here'), { code: 'ENOTSUP' }));
    for (const way of ['link', 'rename'] as const) {
      it(`moveIfAbsent by ${way} leaves neither name outside`, async () => {
        const moved: FileCalls['rename'] = async (from, to) => {
          // The folder itself is moved out with the file in it.
          await rm(join(outside, 'images'), { recursive: true });
          await rename(join(root, path), join(outside, 'images'));
          await linkTo(join(outside, 'images'), join(root, path));
          await nodeCalls[way](from, to);
        };
        const folder = folderWith(way === 'link' ? { link: moved } : { link: eio, rename: moved });
        const file = await folder.create('.a.part', data('mine'));
        await assert.rejects(folder.moveIfAbsent(file, 'a.png'), { kind: 'save', message: /leads out/ });
        assert.deepEqual(await filesOutside(), {});
      });
    }
  });

  describe('with a link made while data is written', () => {
    beforeEach(function () {
      skipUnless(this, process.platform !== 'win32', 'moving a folder with an open file');
    });

    for (const bytes of [4, 3 * 2 ** 20]) {
      it(`leaves nothing outside after ${bytes} bytes`, async () => {
        async function* swapping() {
          yield Buffer.alloc(bytes, 'a');
          await leadOut();
          yield Buffer.alloc(bytes, 'b');
        }
        await assert.rejects(folderWith().create('.a.part', swapping()));
        assert.deepEqual(await filesOutside(), {});
        assert.equal(
          await readFile(join(root, 'media-before/images/.a.part'), 'utf8'),
          '',
          'this file cannot be found again',
        );
      });

      it(`leaves nothing outside after ${bytes} bytes when the folder itself is moved there`, async () => {
        await rm(outside, { recursive: true });
        async function* swapping() {
          yield Buffer.alloc(bytes, 'a');
          await rename(join(root, 'media'), outside);
          await linkTo(outside, join(root, 'media'));
          yield Buffer.alloc(bytes, 'b');
        }
        await assert.rejects(folderWith().create('.a.part', swapping()), { kind: 'save', message: /leads out/ });
        assert.deepEqual(await filesOutside(), {});
      });
    }
  });

  describe('with a file that is replaced while it is opened, as git does', () => {
    const file = () => join(root, path, 'library.jsonl');
    /** Opens a file, and replaces it after opening, the given number of times. */
    const replacing = (times: number): FileCalls['open'] => {
      let left = times;
      return async (opened, flags) => {
        const handle = await open(opened, flags);
        if (left-- > 0) {
          await writeFile(join(dirname(opened), 'new'), `new ${left}\n`);
          await rename(join(dirname(opened), 'new'), opened);
        }
        return handle;
      };
    };

    beforeEach(async function () {
      skipUnless(this, process.platform !== 'win32', 'a system that replaces open files');
      await writeFile(file(), 'old\n');
    });

    it('reads the new file', async () => {
      const bytes = await folderWith({ open: replacing(2) }).read('library.jsonl');
      assert.equal(Buffer.from(bytes ?? []).toString(), 'new 0\n');
    });

    it('appends to the new file', async () => {
      await folderWith({ open: replacing(2) }).append('library.jsonl', 'line\n');
      assert.equal(await readFile(file(), 'utf8'), 'new 0\nline\n');
    });

    it('appends to a file that another process has just created', async () => {
      await rm(file());
      let created = false;
      const createdByOther: FileCalls['open'] = async (opened, flags) => {
        if (!created) await writeFile(opened, 'theirs\n');
        created = true;
        return open(opened, flags);
      };
      await folderWith({ open: createdByOther }).append('library.jsonl', 'line\n');
      assert.equal(await readFile(file(), 'utf8'), 'theirs\nline\n');
    });

    it('rejects when the file is replaced every time', async () => {
      const folder = folderWith({ open: replacing(Number.POSITIVE_INFINITY) });
      await assert.rejects(folder.append('library.jsonl', 'line\n'), /another program replaced/);
      await assert.rejects(folder.read('library.jsonl'), /another program replaced/);
    });
  });
});

async function* data(text: string) {
  yield Buffer.from(text);
}

async function read(stream: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of stream);
}
