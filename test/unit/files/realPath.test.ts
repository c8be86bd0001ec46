import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realPath } from '../../../src/files/FileCalls.ts';

describe('realPath', () => {
  let root: string;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'real-path-')));
    await mkdir(join(root, 'folder'));
    await symlink(join(root, 'folder'), join(root, 'link'), 'junction');
  });

  afterEach(() => rm(root, { recursive: true }));

  const failing = (code: string) => async () => {
    throw Object.assign(new Error(code), { code });
  };

  it('resolves links, also on drives for which the system cannot', async () => {
    assert.equal(await realPath(join(root, 'link')), join(root, 'folder'));
    for (const code of ['EISDIR', 'UNKNOWN']) {
      assert.equal(await realPath(join(root, 'link'), failing(code)), join(root, 'folder'));
      await assert.rejects(realPath(join(root, 'gone'), failing(code)), { code: 'ENOENT' });
    }
  });

  it('passes every other error on', async () => {
    await assert.rejects(realPath(join(root, 'gone')), { code: 'ENOENT' });
    await assert.rejects(realPath(join(root, 'link'), failing('EACCES')), { code: 'EACCES' });
  });
});
