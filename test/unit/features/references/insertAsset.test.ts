import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import type { Libraries } from '../../../../src/features/references/presentFiles.ts';
import { LocalFolder } from '../../../../src/files/LocalFolder.ts';
import { Library } from '../../../../src/library/Library.ts';
import { FolderEditor } from '../../../sites/editor.ts';
import { importWithEditor } from '../../../support/editorStub.ts';

const folder = mkdtempSync(join(tmpdir(), 'insert-'));
const folderEditor = new FolderEditor();
const { api } = folderEditor;
const vs = api as unknown as typeof vscode;
const root = vs.Uri.file(folder);
const written: string[] = [];
const document = {
  ...{ uri: vs.Uri.joinPath(root, 'page.md'), version: 1, languageId: 'markdown' },
  ...{ getText: () => '', positionAt: () => new vs.Position(0, 0) },
};
const textEditor = {
  document,
  selections: [],
  edit: async () => true,
};
Object.assign(vs.workspace.fs, { isWritableFileSystem: () => true });
Object.assign(vs.window, { activeTextEditor: textEditor, showTextDocument: async () => textEditor });
const { insertAsset, openAsset, revealAsset } = await importWithEditor<
  typeof import('../../../../src/features/references/assetCommands.ts')
>(new URL('../../../../src/features/references/assetCommands.ts', import.meta.url), {
  ...api,
  UIKind: { Desktop: 1 },
});

const writer = {
  textFor: async (_document: unknown, _at: unknown, { uris }: { readonly uris: readonly vscode.Uri[] }) => {
    written.push(...uris.map(({ path }) => path));
    return { text: '', imports: [] };
  },
};
const library = new Library(new LocalFolder(folder, folder));
const made = {
  kind: 'images',
  operation: 'generateImage',
  model: 'painter',
  createdAt: '2026-01-01T00:00:00Z',
} as const;
const insert = (libraries: object, argument: unknown) =>
  insertAsset(writer as never, { places: [] }, libraries as Libraries, argument);

describe('insertAsset', () => {
  before(async () => {
    writeFileSync(join(folder, 'fox.png'), '');
    await library.append({ ...made, jobId: 'j', file: 'fox.png' });
  });
  beforeEach(() => {
    written.length = 0;
  });
  after(() => rmSync(folder, { recursive: true }));

  const chosen = { place: { root: root.toString(), isChosen: true } };
  for (const [how, places, jobs] of [
    ['in this window', { chosen: root }, []],
    ['by a job of an earlier window', {}, [chosen]],
  ] as const) {
    it(`inserts the newest result of a window without a folder, from the folder chosen ${how}`, async () => {
      assert.equal(
        await insert({ places: { ...places, libraryOf: () => library }, jobs: { all: jobs } }, { last: true }),
        true,
      );
      assert.deepEqual(written, [vs.Uri.joinPath(root, 'fox.png').path]);
    });
  }

  describe('of a file that was renamed since a list or a notification named it', () => {
    const libraries = { places: { chosen: root, libraryOf: () => library }, jobs: { all: [] } } as unknown as Libraries;
    const uriOf = (name: string) => vs.Uri.joinPath(root, name).toString();
    const opened: string[] = [];

    before(async () => {
      Object.assign(vs.commands, {
        executeCommand: async (_: string, uri: vscode.Uri) => opened.push(uri.path),
      });
      renameSync(join(folder, 'fox.png'), join(folder, 'hero.png'));
      await library.append({ moved: 'j/fox.png', file: 'hero.png' });
    });
    beforeEach(() => {
      opened.length = 0;
      folderEditor.messages.length = 0;
    });

    it('inserts, opens and reveals it under its present name', async () => {
      const { path } = vs.Uri.joinPath(root, 'hero.png');
      assert.equal(await insert(libraries, { uri: uriOf('fox.png') }), true);
      await openAsset({ uris: [uriOf('fox.png')] }, libraries);
      Object.assign(api.env as object, { remoteName: undefined, uiKind: 1 });
      await revealAsset({ uri: uriOf('fox.png') }, libraries);
      assert.deepEqual([...written, ...opened], [path, path, path]);
    });

    it('tells results apart by their job that were saved under the same name', async () => {
      writeFileSync(join(folder, 'den.png'), '');
      await library.append({ ...made, jobId: 'k', file: 'fox.png' }, { moved: 'k/fox.png', file: 'den.png' });
      for (const jobId of ['j', 'k', undefined]) await insert(libraries, { uris: [uriOf('fox.png')], jobId });
      assert.deepEqual(
        written,
        ['hero.png', 'den.png'].map((name) => vs.Uri.joinPath(root, name).path),
      );
      assert.match(folderEditor.messages.join(), /fox\.png is gone or was renamed\.$/);
    });

    it('inserts and opens nothing when one is gone, and says which', async () => {
      const argument = { uris: [uriOf('hero.png'), uriOf('gone.png')] };
      assert.equal(await insert(libraries, argument), false);
      await openAsset(argument, libraries);
      assert.deepEqual([...written, ...opened], []);
      assert.match(folderEditor.messages.join(), /^\S*gone\.png is gone or was renamed\.,/);
    });
  });
});
