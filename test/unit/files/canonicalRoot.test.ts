import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  canonicalRoot,
  type FolderNames,
  isGone,
  pathOfRoot,
  spelledOnDisk,
} from '../../../src/files/canonicalRoot.ts';

/** As on a disk without links, where every folder exists. Windows keeps the case that was typed on some drives. */
const on = (platform: NodeJS.Platform): FolderNames => ({ platform, realPath: async (path) => path });

describe('canonicalRoot (promise 37)', () => {
  // What VS Code writes (with a lower-case drive and % codes), what Node's pathToFileURL writes, and what programs write.
  const sameOnWindows: readonly (readonly [string, ...string[]])[] = [
    ['c:\\work', 'file:///c%3A/work', 'file:///c:/work', 'file:///C:/work', 'file:///C:/Work/', 'file:///c:/WORK/.'],
    ['c:\\site (old)', 'file:///c%3A/site%20%28old%29', 'file:///C:/site%20(old)', 'file:///c:/Site%20%28Old%29'],
    ['c:\\größe', 'file:///c%3A/gr%C3%B6%C3%9Fe', 'file:///C:/Gr%C3%B6%C3%9Fe', 'file:///c:/größe'],
    ['\\\\server\\share$\\a', 'file://server/share%24/a', 'file://server/share$/a', 'file://SERVER/Share$/A'],
    [
      '\\\\wsl.localhost\\ubuntu\\home\\Me',
      'file://wsl%24/Ubuntu/home/Me',
      'file://wsl$/Ubuntu/home/Me',
      'file://wsl.localhost/ubuntu/home/Me',
      'file://WSL.localhost/Ubuntu/home/Me',
    ],
  ];
  for (const [name, ...roots] of sameOnWindows) {
    it(`is ${name} on Windows, however the folder is written`, async () => {
      for (const root of roots) assert.equal(await canonicalRoot(root, on('win32')), name, root);
    });
  }

  it('is the same for the URIs of VS Code and of Node', async () => {
    for (const path of ['C:\\Users\\Ä b', 'c:\\a+b,c&d', '\\\\server\\share\\x (1)', '\\\\wsl$\\Debian\\srv']) {
      const { href } = pathToFileURL(path, { windows: true });
      const encoded = href.replace(/[^/]+$/, (name) => encodeURIComponent(decodeURIComponent(name)));
      const both = [href, encoded.replace(/^file:\/\/\/([a-z]):/i, 'file:///$1%3A')];
      const [first, second] = await Promise.all(both.map((root) => canonicalRoot(root, on('win32'))));
      assert.equal(first, second, path);
      assert.equal(pathOfRoot(href, 'win32'), path);
    }
  });

  it('keeps folders apart that differ in case where case matters', async () => {
    const share = (name: string) => canonicalRoot(`file://wsl%24/Ubuntu/${name}`, on('win32'));
    assert.notEqual(await share('Site'), await share('site'));
    const linux = (name: string) => canonicalRoot(`file:///home/${name}`, on('linux'));
    assert.notEqual(await linux('Site'), await linux('site'));
    const mac = (name: string) => canonicalRoot(`file:///Users/${name}`, on('darwin'));
    assert.equal(await mac('Caf%C3%A9'), await mac('cafe%CC%81'));
  });

  it('resolves links, and names a folder that is gone by its path', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'canonical-root-')));
    try {
      await mkdir(join(folder, 'root'));
      await symlink(join(folder, 'root'), join(folder, 'link'), 'junction');
      const [root, link, gone] = ['root', 'link', 'gone'].map((name) => pathToFileURL(join(folder, name)).href);
      assert(root && link && gone);
      assert.equal(await canonicalRoot(link), await canonicalRoot(root));
      assert.equal(await canonicalRoot(`${gone}/../gone/`), await canonicalRoot(gone));
      assert.deepEqual(
        [isGone(root), isGone(link), isGone(gone), isGone('vscode-vfs://github/a')],
        [false, false, true, false],
      );
    } finally {
      await rm(folder, { recursive: true });
    }
    const missing = { ...on('win32'), realPath: () => Promise.reject(new Error('ENOENT')) };
    assert.equal(await canonicalRoot('file:///D:/Gone/', missing), 'd:\\gone');
  });

  it('decodes the URI of a folder that is on no disk', async () => {
    assert.equal(await canonicalRoot('vscode-vfs://github/a%2Fb'), 'vscode-vfs://github/a/b');
    assert.equal(await canonicalRoot('vscode-vfs://github/100%'), 'vscode-vfs://github/100%');
    assert.equal(pathOfRoot('vscode-vfs://github/a'), undefined);
  });
});

describe('spelledOnDisk', () => {
  const at = (platform: NodeJS.Platform, real: string) => ({ platform, realPath: async () => real });
  const [nfc, nfd] = ['/work/Größe/media.jsonc'.normalize('NFC'), '/work/Größe/media.jsonc'.normalize('NFD')];

  it('takes the names of the disk on Windows and macOS', async () => {
    const real = 'C:\\work\\site\\media.jsonc';
    assert.equal(await spelledOnDisk('c:\\WORK\\Site\\MEDIA.jsonc', at('win32', real)), real);
    assert.equal(await spelledOnDisk('/Work/Site/a', at('darwin', '/work/site/a')), '/work/site/a');
    for (const written of [nfc, nfd]) assert.equal(await spelledOnDisk(written, at('darwin', nfd)), nfc);
  });

  it('leaves a path through a link, one that does not exist, and those of Linux as they are', async () => {
    assert.equal(await spelledOnDisk('/tmp/Site/a', at('darwin', '/private/tmp/site/a')), '/tmp/Site/a');
    const gone = { platform: 'win32', realPath: () => Promise.reject(new Error('ENOENT')) } as const;
    assert.equal(await spelledOnDisk('C:\\Gone\\a', gone), 'C:\\Gone\\a');
    assert.equal(await spelledOnDisk(nfd, at('linux', nfc)), nfd);
  });
});
