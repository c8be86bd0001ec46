import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { importWithEditor } from '../../../support/editorStub.ts';

const names = ['Hero.png', 'Größe.png'.normalize('NFC'), 'Größe.png'.normalize('NFD'), 'a{1}.png', 'other.png'];
const editor = {
  workspace: {
    findFiles: async ({ pattern }: { readonly pattern: string }) =>
      names.map((name) => ({ path: `/w/img/${name}` })).filter(({ path }) => posix.matchesGlob(path, pattern)),
  },
};
const { filesNamed } = await importWithEditor<typeof import('../../../../src/features/missingMedia/MissingMedia.ts')>(
  new URL('../../../../src/features/missingMedia/MissingMedia.ts', import.meta.url),
  editor,
);

describe('filesNamed', () => {
  for (const [name, ...expected] of [
    ['hero.PNG', 'Hero.png'],
    ['GRÖßE.png'.normalize('NFC'), ...names.slice(1, 3)],
    ['größe.png'.normalize('NFD'), ...names.slice(1, 3)],
    ['a{1}.png', 'a{1}.png'],
    ['her.png'],
  ]) {
    it(`finds files whose name is spelled like ${JSON.stringify(name)}`, async () => {
      const found = await filesNamed({} as never, name ?? '', {} as never);
      assert.deepEqual(
        found.map((path) => posix.basename(path)),
        expected,
      );
    });
  }
});
