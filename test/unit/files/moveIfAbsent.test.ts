import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  type FileHandle,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  truncate,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FileCalls, nodeCalls } from '../../../src/files/FileCalls.ts';
import type { CreatedFile } from '../../../src/files/Folder.ts';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { skipUnless } from '../../support/skipUnless.ts';

describe('LocalFolder.moveIfAbsent', () => {
  let root: string;
  let pauses: number[];

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'move-if-absent-'));
    pauses = [];
  });

  afterEach(() => rm(root, { recursive: true }));

  const sleep = async (milliseconds: number) => {
    pauses.push(milliseconds);
  };
  const folderWith = (calls: Partial<FileCalls> = {}) => new LocalFolder(root, root, { sleep, ...calls });
  const create = (text = 'mine') => folderWith().create('.a.part', data(text));
  const files = async () => {
    const names = (await readdir(root)).sort();
    return Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await readFile(join(root, name), 'utf8')] as const)),
    );
  };
  const refused = { kind: 'save', message: /another program changed .*\.a\.part/ };

  it('renames the temporary file', async () => {
    assert.equal(await folderWith().moveIfAbsent(await create(), 'a.png'), true);
    assert.deepEqual(await files(), { 'a.png': 'mine' });
  });

  it('changes nothing when the name is taken', async () => {
    await writeFile(join(root, 'a.png'), 'theirs');
    assert.equal(await folderWith().moveIfAbsent(await create(), 'a.png'), false);
    assert.deepEqual(await files(), { '.a.part': 'mine', 'a.png': 'theirs' });
  });

  describe('when the file system has no links', () => {
    const codes = [
      'EISDIR',
      'EPERM',
      'ENOTSUP',
      'EOPNOTSUPP',
      'ENOSYS',
      'EXDEV',
      'EACCES',
      'EMLINK',
      'EINVAL',
      'UNKNOWN',
    ];
    for (const code of codes) {
      it(`on ${code}: renames without replacing another file`, async () => {
        const folder = folderWith({ link: failing(code) });
        const created = await create();
        await writeFile(join(root, 'a.png'), 'theirs');
        assert.equal(await folder.moveIfAbsent(created, 'a.png'), false);
        assert.equal(await folder.moveIfAbsent(created, 'b.png'), true);
        assert.deepEqual(await files(), { 'a.png': 'theirs', 'b.png': 'mine' });
        assert.deepEqual(pauses, []);
      });
    }

    const link = failing('ENOTSUP');

    it('leaves content alone that another program wrote to the name meanwhile', async () => {
      const created = await create();
      const openAndOther: FileCalls['open'] = async (path, flags) => {
        const handle = await open(path, flags);
        if (flags === 'wx') await writeFile(path, 'theirs');
        return handle;
      };
      assert.equal(await folderWith({ link, open: openAndOther }).moveIfAbsent(created, 'a.png'), false);
      assert.deepEqual(await files(), { '.a.part': 'mine', 'a.png': 'theirs' });
    });

    it('accepts a file whose identity changes on rename, as on FAT', async () => {
      const renameAnew: FileCalls['rename'] = async (from, to) => {
        await replace(to, await readFile(from, 'utf8'));
        await unlink(from);
      };
      assert.equal(await folderWith({ link, rename: renameAnew }).moveIfAbsent(await create(), 'a.png'), true);
      assert.deepEqual(await files(), { 'a.png': 'mine' });
    });

    it('leaves no file open', async () => {
      const opened: FileHandle[] = [];
      const recorded: FileCalls['open'] = async (path, flags) => {
        const handle = await open(path, flags);
        opened.push(handle);
        return handle;
      };
      await folderWith({ link, open: recorded }).moveIfAbsent(await create(), 'a.png');
      assert(opened.length > 0);
      assert(opened.every(({ fd }) => fd === -1));
    });

    it('frees the name when renaming fails', async () => {
      const folder = folderWith({ link, rename: failing('EIO') });
      await assert.rejects(folder.moveIfAbsent(await create(), 'a.png'), { code: 'EIO' });
      assert.deepEqual(await files(), { '.a.part': 'mine' });
      assert.deepEqual(pauses, [], 'this error does not pass by waiting');
    });

    it('keeps what another program wrote to the name when renaming fails', async () => {
      const other: FileCalls['rename'] = async (_, to) => {
        await writeFile(to, 'theirs');
        throw Object.assign(new Error('EIO'), { code: 'EIO' });
      };
      await assert.rejects(folderWith({ link, rename: other }).moveIfAbsent(await create(), 'a.png'), { code: 'EIO' });
      assert.deepEqual(await files(), { '.a.part': 'mine', 'a.png': 'theirs' });
    });

    it('succeeds when another program removed the reserved name meanwhile', async () => {
      const openAndRemove: FileCalls['open'] = async (path, flags) => {
        const handle = await open(path, flags);
        if (flags === 'wx') await unlink(path);
        return handle;
      };
      assert.equal(await folderWith({ link, open: openAndRemove }).moveIfAbsent(await create(), 'a.png'), true);
      assert.deepEqual(await files(), { 'a.png': 'mine' });
    });

    it('rejects when the name cannot be created', async () => {
      const denied: FileCalls['open'] = (path, flags) => (flags === 'wx' ? failing('EACCES')(path) : open(path, flags));
      await assert.rejects(folderWith({ link, open: denied }).moveIfAbsent(await create(), 'a.png'), {
        code: 'EACCES',
      });
      assert.deepEqual(await files(), { '.a.part': 'mine' });
    });

    for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
      it(`retries while another program holds the file (${code}), with growing pauses`, async () => {
        const folder = folderWith({ link, rename: failing(code, 3, rename) });
        assert.equal(await folder.moveIfAbsent(await create(), 'a.png'), true);
        assert.deepEqual(await files(), { 'a.png': 'mine' });
        assert.deepEqual(pauses, [20, 50, 100]);
      });
    }

    it('gives up after five retries', async () => {
      const folder = folderWith({ link, rename: failing('EBUSY') });
      await assert.rejects(folder.moveIfAbsent(await create(), 'a.png'), { code: 'EBUSY' });
      assert.deepEqual(await files(), { '.a.part': 'mine' });
      assert.deepEqual(pauses, [20, 50, 100, 200, 400]);
    });
  });

  for (const code of ['ENOSPC', 'ENOENT', 'EROFS']) {
    it(`rejects with ${code} when linking fails`, async () => {
      await assert.rejects(folderWith({ link: failing(code) }).moveIfAbsent(await create(), 'a.png'), { code });
      assert.deepEqual(await files(), { '.a.part': 'mine' });
    });
  }

  it('retries linking while another program holds the file', async () => {
    const folder = folderWith({ link: failing('EBUSY', 2, nodeCalls.link), rename: failing('EIO') });
    assert.equal(await folder.moveIfAbsent(await create(), 'a.png'), true);
    assert.deepEqual(await files(), { 'a.png': 'mine' });
    assert.deepEqual(pauses, [20, 50]);
  });

  for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
    it(`retries removing while another program holds the file (${code})`, async () => {
      const calls = () => ({ unlink: failing(code, 2, unlink) });
      assert.equal(await folderWith(calls()).moveIfAbsent(await create(), 'a.png'), true);
      assert.deepEqual(await files(), { 'a.png': 'mine' });
      await folderWith(calls()).remove('a.png');
      assert.deepEqual(await files(), {});
      assert.deepEqual(pauses, [20, 50, 20, 50]);
    });
  }

  it('succeeds even if the temporary file cannot be removed', async () => {
    const folder = folderWith({ unlink: failing('EBUSY') });
    assert.equal(await folder.moveIfAbsent(await create(), 'a.png'), true);
    assert.deepEqual(await files(), { '.a.part': 'mine', 'a.png': 'mine' });
    await assert.rejects(folder.remove('.a.part'), { code: 'EBUSY' });
  });

  describe('rejects a file that another process', () => {
    it('replaced with one of the same size', async () => {
      const created = await create('mine');
      await replace(join(root, '.a.part'), 'them');
      await assert.rejects(folderWith().moveIfAbsent(created, 'a.png'), refused);
      const sha256 = createHash('sha256').update('mine').digest('hex');
      await assert.rejects(folderWith().moveIfAbsent({ ...created, sha256 }, 'a.png'), refused);
      assert.deepEqual(await files(), { '.a.part': 'them' });
    });

    it('truncated', async () => {
      const created = await create();
      await truncate(join(root, '.a.part'), 2);
      await assert.rejects(folderWith().moveIfAbsent(created, 'a.png'), refused);
      const { identity: _, ...unidentified } = created;
      await assert.rejects(folderWith().moveIfAbsent(unidentified, 'a.png'), refused);
      assert.deepEqual(await files(), { '.a.part': 'mi' });
    });

    it('replaced just before it is linked', async () => {
      const link: FileCalls['link'] = async (existing, added) => {
        await replace(existing, 'them');
        await nodeCalls.link(existing, added);
      };
      await assert.rejects(folderWith({ link }).moveIfAbsent(await create(), 'a.png'), refused);
      assert.deepEqual(await files(), { '.a.part': 'them' });
    });

    it('replaced just after it was linked, and keeps theirs', async () => {
      const link: FileCalls['link'] = async (existing, added) => {
        await nodeCalls.link(existing, added);
        await replace(added, 'them');
      };
      await assert.rejects(folderWith({ link }).moveIfAbsent(await create(), 'a.png'), refused);
      assert.deepEqual(await files(), { '.a.part': 'mine', 'a.png': 'them' });
    });
  });

  it('checks a file without an identity by its size', async () => {
    await create();
    assert.equal(await folderWith().moveIfAbsent({ name: '.a.part', bytes: 4 }, 'a.png'), true);
    assert.deepEqual(await files(), { 'a.png': 'mine' });
  });

  it('accepts another identity with the same content, as after a remount', async () => {
    const sha256 = createHash('sha256').update('mine').digest('hex');
    const created: CreatedFile = { ...(await create('mine')), sha256 };
    await replace(join(root, '.a.part'), 'mine');
    assert.equal(await folderWith().moveIfAbsent(created, 'a.png'), true);
    assert.deepEqual(await files(), { 'a.png': 'mine' });
  });

  describe('flushing to disk', () => {
    beforeEach(function () {
      skipUnless(this, process.platform !== 'win32', 'fsync of folders');
    });

    /** Opens files whose `sync` is recorded, or fails. */
    const recording = (steps: string[], failure?: string): FileCalls['open'] => {
      return async (path, flags) => {
        const handle = await open(path, flags);
        const sync = handle.sync.bind(handle);
        handle.sync = async () => {
          steps.push(`sync ${path === root ? 'folder' : path.slice(root.length + 1)}: ${(await readdir(root)).sort()}`);
          await (failure === undefined ? sync() : failing(failure)(path));
        };
        return handle;
      };
    };

    it('syncs the folder once the file has its name', async () => {
      for (const link of [nodeCalls.link, failing('ENOTSUP')]) {
        const steps: string[] = [];
        const created = await create();
        await folderWith({ link, open: recording(steps) }).moveIfAbsent(created, 'a.png');
        assert.deepEqual(steps, ['sync folder: a.png']);
        await unlink(join(root, 'a.png'));
      }
    });

    it('ignores a folder that cannot be synced, but rejects on EIO', async () => {
      for (const code of ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES']) {
        const created = await create();
        assert.equal(await folderWith({ open: recording([], code) }).moveIfAbsent(created, 'a.png'), true);
        await unlink(join(root, 'a.png'));
      }
      const created = await create();
      await assert.rejects(folderWith({ open: recording([], 'EIO') }).moveIfAbsent(created, 'a.png'), { code: 'EIO' });
    });

    it('syncs every file that is created or appended to', async () => {
      const steps: string[] = [];
      const folder = folderWith({ open: recording(steps) });
      await folder.create('a', data('mine'));
      await folder.append('b', 'line\n');
      await folder.append('b', 'line\n');
      assert.deepEqual(steps, ['sync a: a', 'sync b: a,b', 'sync folder: a,b', 'sync b: a,b']);
    });
  });
});

/** A call that fails the given number of times and then does `then`. */
function failing(
  code: string,
  times = Number.POSITIVE_INFINITY,
  then: (from: string, to: string) => Promise<void> = () => assert.fail('unexpected call'),
): (from: string, to?: string) => Promise<never> {
  let left = times;
  const call = async (from: string, to = ''): Promise<void> => {
    if (left-- > 0) throw Object.assign(new Error(code), { code });
    await then(from, to);
  };
  return call as () => Promise<never>;
}

async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

async function* data(text: string) {
  yield Buffer.from(text);
}
