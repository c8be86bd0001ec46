import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import type { Libraries } from '../../../../src/features/references/AssetReferences.ts';
import { LocalFolder } from '../../../../src/files/LocalFolder.ts';
import { Library } from '../../../../src/library/Library.ts';
import { FolderEditor } from '../../../sites/editor.ts';
import { importWithEditor } from '../../../support/editorStub.ts';

const folder = mkdtempSync(join(tmpdir(), 'insert-'));
const { api } = new FolderEditor();
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
const { insertAsset } = await importWithEditor<typeof import('../../../../src/features/references/AssetReferences.ts')>(
  new URL('../../../../src/features/references/AssetReferences.ts', import.meta.url),
  api,
);

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
});
