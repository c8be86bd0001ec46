import assert from 'node:assert/strict';
import { relativeFolder } from '../../../src/library/relativeFolder.ts';

describe('The setting outputFolder', () => {
  const folders: readonly (readonly [setting: string, folder: string])[] = [
    ['media/${kind}', 'media/images'],
    ['assets\\${kind}\\', 'assets/images'],
    ['./media//new/../old', 'media/old'],
    ['src/assets/.cache', 'src/assets/.cache'],
    ['Bilder für ${date}', 'Bilder für ${date}'],
    ['.github', '.github'],
    ['', ''],
    ['./', ''],
  ];
  for (const [setting, folder] of folders) {
    it(`may be “${setting}”`, () => assert.equal(relativeFolder(setting, 'images'), folder));
  }

  const refused: readonly (readonly [reason: RegExp, ...settings: readonly string[]])[] = [
    [/points outside the workspace folder/, '../elsewhere', '/tmp', 'media/../../x', 'C:\\elsewhere', '..'],
    [/Git uses/, '.git', '.git/hooks', 'media/.GIT/x', 'git~1'],
    [/some systems cannot have/, 'aux/${kind}', 'media.', 'media /x', 'a?b', 'media:images', 'media/nul.txt', 'a\tb'],
  ];
  for (const [message, ...settings] of refused) {
    for (const setting of settings) {
      it(`cannot be “${setting}”`, () =>
        assert.throws(
          () => relativeFolder(setting, 'images'),
          (error: Error) =>
            message.test(error.message) && error.message.includes(`“unifiedMedia.outputFolder” (${setting})`),
        ));
    }
  }
});
