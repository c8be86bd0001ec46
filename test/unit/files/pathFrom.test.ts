import assert from 'node:assert/strict';
import { win32 } from 'node:path';
import { isAbsolutePath, pathFrom } from '../../../src/files/pathFrom.ts';

describe('pathFrom', () => {
  it('ignores the case of drives, and keeps that of names', () => {
    for (const [folder, file] of [
      ['/c:/w', '/C:/w/Images/A.png'],
      ['/C:/w/site', '/c:/w/a.png'],
      ['/c:/w', '/c:/w'],
      ['/c:/', '/C:/a.png'],
    ] as const) {
      const expected = win32.relative(folder.slice(1), file.slice(1)).replaceAll('\\', '/');
      assert.equal(pathFrom(folder, file), expected, file);
    }
  });

  it('leaves paths alone that have no drive', () => {
    assert.equal(pathFrom('/w', '/w/A/b.png'), 'A/b.png');
    assert.equal(pathFrom('/w', '/W/a.png'), '../W/a.png');
  });
});

describe('isAbsolutePath', () => {
  it('knows drives, shares of the network and the top of a disk, with slashes of both kinds', () => {
    const absolute = [
      'C:\\a.png',
      'c:/a.png',
      '\\\\server\\share\\a.png',
      '//server/share/a.png',
      '\\\\wsl$\\Debian\\a.png',
      '\\\\?\\C:\\a.png',
      '\\a.png',
      '/srv/a.png',
      '/c:/a.png',
    ];
    const relative = [
      'a.png',
      'img\\a.png',
      'img/a.png',
      './a.png',
      '..\\a.png',
      'c:a.png',
      'server\\share\\a.png',
      '',
    ];
    assert.deepEqual([...absolute, ...relative].filter(isAbsolutePath), absolute);
  });
});
