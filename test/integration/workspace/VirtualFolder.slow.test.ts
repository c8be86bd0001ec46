import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { VirtualFolder } from '../../../src/editor/VirtualFolder.ts';
import { hasFile } from '../../../src/files/Folder.ts';
import { MemoryFiles } from './MemoryFiles.ts';

describe('VirtualFolder', () => {
  const location = vscode.Uri.parse('memory-folder:/project/media');
  let files: MemoryFiles;
  let provider: vscode.Disposable;
  let folder: VirtualFolder;

  beforeEach(async () => {
    files = new MemoryFiles();
    provider = vscode.workspace.registerFileSystemProvider(location.scheme, files, { isCaseSensitive: true });
    folder = new VirtualFolder(location);
    await folder.check();
  });

  afterEach(() => provider.dispose());

  async function* data(text: string) {
    yield Buffer.from(text.slice(0, 1));
    yield Buffer.from(text.slice(1));
  }

  it('creates a file with a free name and lists it', async () => {
    const created = await folder.create('.a.part', data('mine'));
    assert.deepEqual(created, { name: '.a.part', bytes: 4 });
    await folder.create('a.png', data('theirs'));
    assert.equal(await folder.moveIfAbsent(created, 'a.png'), false);
    assert.equal(await folder.moveIfAbsent(created, 'b.png'), true);
    await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(location, 'folder'));
    assert.deepEqual([...(await folder.list())].sort(), ['a.png', 'b.png']);
    assert.deepEqual(files.files, { '/project/media/a.png': 'theirs', '/project/media/b.png': 'mine' });
  });

  it('replaces no file, and removes incomplete data', async () => {
    await folder.create('a', data('mine'));
    await assert.rejects(folder.create('a', data('yours')), { code: 'FileExists' });
    async function* broken() {
      yield Buffer.from('half');
      throw new Error('cut');
    }
    await assert.rejects(folder.create('b', broken()), /cut/);
    assert.deepEqual(files.files, { '/project/media/a': 'mine' });
  });

  it('does not rename a file that another program has changed', async () => {
    const created = await folder.create('.a.part', data('mine'));
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(location, '.a.part'), Buffer.from('longer'));
    await assert.rejects(folder.moveIfAbsent(created, 'a.png'), { kind: 'save', message: /another program changed/ });
    assert.deepEqual(files.files, { '/project/media/.a.part': 'longer' });
  });

  it('replaces a file only if it is the expected one', async () => {
    await folder.create('a.mp3', data('old'));
    const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');
    const created = await folder.create('.a.part', data('new'));
    assert.equal(await folder.replace(created, 'a.mp3', { bytes: 3, sha256: sha256Of('own') }), false);
    assert.equal(await folder.replace(created, 'b.mp3', { bytes: 3, sha256: sha256Of('old') }), false);
    assert.equal(await folder.replace(created, 'a.mp3', { bytes: 3, sha256: sha256Of('old') }), true);
    assert.deepEqual(files.files, { '/project/media/a.mp3': 'new' });
  });

  it('knows the size and the content of a file', async () => {
    await folder.create('a', data('mine'));
    const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');
    assert.equal(await folder.size('a'), 4);
    assert.equal(await folder.size('missing'), undefined);
    assert.equal(await hasFile(folder, 'a', { bytes: 4, sha256: sha256Of('mine') }), true);
    assert.equal(await hasFile(folder, 'a', { bytes: 4, sha256: sha256Of('them') }), false);
    assert.deepEqual(await new VirtualFolder(vscode.Uri.joinPath(location, 'missing')).list(), []);
  });

  it('starts a new line after a truncated one, and loses no concurrent line', async () => {
    await folder.append('lines', '');
    assert.deepEqual(files.files, { '/project/media/lines': '' });
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(location, 'lines'), Buffer.from('one\ntw'));
    await Promise.all([folder.append('lines', 'three\n'), folder.append('lines', 'four\n')]);
    assert.deepEqual(files.files, { '/project/media/lines': 'one\ntw\nthree\nfour\n' });
  });
});
