import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type * as vscode from 'vscode';
import type { ReferenceStyle } from '../../../../src/projects/Places.ts';
import { FolderEditor } from '../../../sites/editor.ts';
import { importWithEditor } from '../../../support/editorStub.ts';

const folder = mkdtempSync(join(tmpdir(), 'unlisted-'));
const folderEditor = new FolderEditor();
const { api } = folderEditor;
const { Range, Uri, workspace } = api as unknown as typeof vscode;
/** The setting `references`. */
let style: ReferenceStyle = 'auto';
/** What the person was offered. */
let offered: readonly string[] = [];
Object.assign(api, {
  window: {
    visibleTextEditors: [],
    tabGroups: { activeTabGroup: {}, all: [] },
    showQuickPick: async (items: readonly string[]) => {
      offered = items;
      return items.find((item) => item === 'client');
    },
  },
  ConfigurationTarget: { WorkspaceFolder: 3 },
});
Object.assign(workspace, {
  findFiles: async () => [],
  getConfiguration: () => ({
    get: () => style,
    update: async (name: string, value: ReferenceStyle, target: number) => {
      assert.deepEqual([name, target], ['references', 3]);
      style = value;
    },
  }),
});
const load = <Module>(path: string) =>
  importWithEditor<Module>(new URL(`../../../../src/${path}`, import.meta.url), api);
const { MissingMedia } = await load<typeof import('../../../../src/features/missingMedia/MissingMedia.ts')>(
  'features/missingMedia/MissingMedia.ts',
);
const { missingActions, serveFile } = await load<typeof import('../../../../src/features/missingMedia/quickFixes.ts')>(
  'features/missingMedia/quickFixes.ts',
);
const { DocumentPlaces } =
  await load<typeof import('../../../../src/editor/DocumentPlaces.ts')>('editor/DocumentPlaces.ts');
const { ReferenceWriter } =
  await load<typeof import('../../../../src/editor/ReferenceWriter.ts')>('editor/ReferenceWriter.ts');

describe('The quick fix of a missing file in a project that is not listed', () => {
  after(() => rmSync(folder, { recursive: true }));

  it('asks once which folder is served, before anything is paid for', async () => {
    const files = { 'package.json': '{}', 'client/a.txt': '', 'src/a.jsx': '<img src="/img/fox.png" alt="A fox" />' };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    folderEditor.open(folder);
    const projects = new DocumentPlaces({ references: () => style });
    const media = new MissingMedia({
      projects: async () => projects,
      references: async () => new ReferenceWriter(projects),
      jobs: { all: [] },
      places: { libraryOf: () => ({}) },
    } as unknown as ConstructorParameters<typeof MissingMedia>[0]);
    const document = await workspace.openTextDocument(Uri.file(join(folder, 'src/a.jsx')));
    const [range, context] = [new Range(0, 12, 0, 12), { diagnostics: [] }];
    const token = { isCancellationRequested: false };
    Object.assign(media, { renamedTo: async () => [] });
    const actions = () =>
      missingActions(...([document, range, context, media, token] as unknown as Parameters<typeof missingActions>));
    assert.deepEqual(
      (await actions()).map(({ title }) => title),
      ['Choose the Folder That the Site Serves…'],
    );
    const chosen = await serveFile({ uri: document.uri.toString() }, media);
    assert.equal(chosen, Uri.file(join(folder, 'client')).toString());
    assert.deepEqual([offered, style], [['client', 'src', '.'], { '/': 'client' }]);
    assert.deepEqual(
      (await actions()).map(({ title }) => title),
      ['Generate client/img/fox.png from "A fox"'],
    );
    projects.dispose();
  });
});
