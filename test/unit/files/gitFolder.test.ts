import assert from 'node:assert/strict';
import { chown, cp, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sharedGitFolder } from '../../../src/files/gitFolder.ts';
import { skipUnless } from '../../support/skipUnless.ts';

describe('sharedGitFolder', () => {
  let root: string;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'git-folder-')));
    await write('main/.git/HEAD', 'ref: refs/heads/main\n');
    await mkdir(at('main/.git/objects'));
    await mkdir(at('main/docs'));
    await mkdir(at('tree/docs'), { recursive: true });
  });
  afterEach(() => rm(root, { recursive: true }));

  const at = (path: string) => join(root, path);
  const find = (path: string) => sharedGitFolder(at(path));
  async function write(path: string, text: string): Promise<void> {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), text);
  }
  /** Makes `tree` a linked work tree as git does, except for these texts. */
  async function linkTree({ git = `gitdir: ${at('main/.git/worktrees/tree')}\n`, common = '../..\n', back = '' } = {}) {
    await write('tree/.git', git);
    await write('main/.git/worktrees/tree/commondir', common);
    await write('main/.git/worktrees/tree/gitdir', back || `${at('tree/.git')}\n`);
  }

  it('finds that of a checkout and of a linked work tree, from any folder in it', async () => {
    await linkTree();
    for (const path of ['main', 'main/docs', 'tree', 'tree/docs'])
      assert.equal(await find(path), at('main/.git'), path);
  });

  it('reads the relative paths of newer versions of git', async () => {
    await linkTree({ git: 'gitdir: ../main/.git/worktrees/tree\n', back: '../../../../tree/.git\n' });
    assert.equal(await find('tree/docs'), at('main/.git'));
  });

  it('finds a bare repository of a linked work tree', async () => {
    await linkTree({ git: `gitdir: ${at('main.git/worktrees/tree')}\n` });
    await rename(at('main/.git'), at('main.git'));
    assert.equal(await find('tree'), at('main.git'));
  });

  it('finds none without a repository, in a submodule, and in an empty folder of that name', async () => {
    assert.equal(await find('tree'), undefined);
    await write('main/.git/modules/sub/HEAD', '');
    await mkdir(at('main/.git/modules/sub/objects'));
    await write('main/sub/.git', 'gitdir: ../.git/modules/sub\n');
    assert.equal(await find('main/sub'), undefined);
    await mkdir(at('main/docs/.git'));
    assert.equal(await find('main/docs'), undefined);
  });

  const copies: Readonly<Record<string, () => Promise<unknown>>> = {
    'git records another work tree': () => linkTree({ back: `${at('main/docs/.git')}\n` }),
    'git records none': async () => {
      await linkTree();
      await rm(at('main/.git/worktrees/tree/gitdir'));
    },
    'it was copied from one': async () => {
      await linkTree();
      await rename(at('tree'), at('first'));
      await mkdir(at('tree'));
      await cp(at('first/.git'), at('tree/.git'));
      await writeFile(at('main/.git/worktrees/tree/gitdir'), `${at('first/.git')}\n`);
    },
    'it names a folder of git in itself, which names a shared one elsewhere': async () => {
      await write('tree/own/worktrees/tree/commondir', at('main/.git'));
      await write('tree/own/worktrees/tree/gitdir', at('tree/.git'));
      await write('tree/own/HEAD', '');
      await mkdir(at('tree/own/objects'));
      await write('tree/.git', 'gitdir: own/worktrees/tree\n');
    },
    'it names what is no repository': async () => {
      await linkTree();
      await rm(at('main/.git/HEAD'));
    },
    'it is a link': () => symlink(at('main/.git'), at('tree/.git'), 'junction'),
    'its text is longer than any path': () =>
      linkTree({ git: `gitdir: ${'./'.repeat(20_000)}../main/.git/worktrees/tree` }),
  };
  for (const [name, prepare] of Object.entries(copies)) {
    it(`finds none if a folder only claims to be a work tree: ${name} (promise 41)`, async () => {
      await prepare();
      assert.equal(await find('tree'), undefined);
    });
  }

  it('finds none that belongs to another user, as git does not (promise 41)', async function () {
    skipUnless(this, process.getuid?.() === 0, 'root on Linux');
    await chown(at('main/.git'), 1, 1);
    assert.equal(await find('main'), undefined);
  });
});
