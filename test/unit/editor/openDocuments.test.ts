import assert from 'node:assert/strict';
import type { DocumentAnchor } from '../../../src/editor/openDocuments.ts';
import { commonEditor, importWithEditor, Range, Uri } from '../../support/editorStub.ts';

const { TabInputText, TabInputCustom } = commonEditor;
const document = { uri: Uri.file('/w/guide.md') };
const window = {
  activeTextEditor: undefined,
  visibleTextEditors: [] as object[],
  tabGroups: { all: [] as object[], activeTabGroup: {} },
  showTextDocument: async (_: unknown, options: object) => options,
};
const workspace = {
  textDocuments: [],
  fs: { isWritableFileSystem: () => true },
  openTextDocument: async () => document,
};
const { editorToWriteIn } = await importWithEditor<typeof import('../../../src/editor/openDocuments.ts')>(
  new URL('../../../src/editor/openDocuments.ts', import.meta.url),
  { window, workspace },
);

describe('editorToWriteIn, while a picture covers the document in the second group', () => {
  const tab = { input: Object.assign(new TabInputText(), document) };
  const picture = { input: Object.assign(new TabInputCustom(), { uri: Uri.file('/w/fox.png') }) };
  const range = new Range(50, 0, 50, 0);
  const write = (...viewColumns: readonly (number | undefined)[]) => {
    const places = viewColumns.map((viewColumn) => ({ ...document, range, viewColumn }) as unknown as DocumentAnchor);
    return editorToWriteIn(places, 'Insert at Cursor');
  };

  beforeEach(() => {
    const covered = { viewColumn: 2, activeTab: picture, tabs: [tab, picture] };
    window.tabGroups = { all: [{ viewColumn: 1, activeTab: tab, tabs: [tab] }, covered], activeTabGroup: covered };
    window.visibleTextEditors = [{ document, viewColumn: 1 }];
  });

  it('shows the place where the person wrote last in that group, though the first shows the document', async () => {
    assert.deepEqual(await write(2), { viewColumn: 2, selection: range });
  });

  it('keeps the selection of an editor that is visible and was the last one', async () => {
    assert.deepEqual(await write(1), { viewColumn: 1 });
    assert.deepEqual(await write(), { viewColumn: 1 });
  });

  it('shows the place in another group when the tab of its own is closed', async () => {
    window.tabGroups.all.pop();
    assert.deepEqual(await write(2), { viewColumn: 1, selection: range });
  });
});
