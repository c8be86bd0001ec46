import assert from 'node:assert/strict';
import { importWithEditor, Uri } from '../../support/editorStub.ts';

const uriOf = (path: string, scheme?: string, fragment?: string) => Uri.file(path).with({ scheme, fragment });
const cellOf = (scheme: string) => uriOf('/w/notes/a.ipynb', 'vscode-notebook-cell', `W0${scheme}`);
const root = uriOf('/w');
/** Paths of the folders that are watched. */
const watched = new Set<string>();
const none = { dispose: () => undefined };
let create: (uri: object) => void = () => undefined;
let remove: (event: object) => void = () => undefined;

const editor = {
  workspace: {
    getWorkspaceFolder: ({ path, scheme }: Uri) =>
      scheme === 'file' && path.startsWith('/w/') ? { uri: root } : undefined,
    // A comparison with the last commit shows two notebooks with the same path.
    notebookDocuments: ['git', 'file'].map((scheme) => ({
      uri: uriOf('/w/notes/a.ipynb', scheme),
      getCells: () => [{ document: { uri: cellOf(scheme) } }],
    })),
    onDidChangeWorkspaceFolders: (listener: typeof remove) => {
      remove = listener;
      return none;
    },
    createFileSystemWatcher: ({ base }: { readonly base: Uri }) => {
      watched.add(base.path);
      return {
        onDidChange: () => none,
        onDidCreate: (listener: typeof create) => {
          create = listener;
          return none;
        },
        onDidDelete: () => none,
        dispose: () => watched.delete(base.path),
      };
    },
    fs: { readDirectory: async () => [] },
  },
};
const { DocumentPlaces } = await importWithEditor<typeof import('../../../src/editor/DocumentPlaces.ts')>(
  new URL('../../../src/editor/DocumentPlaces.ts', import.meta.url),
  editor,
);

const documentAt = (path: string, languageId: string) =>
  ({ uri: uriOf(path), languageId, version: 1, getText: () => '![cat](cat.png)' }) as never;

describe('DocumentPlaces', () => {
  const read: string[] = [];
  const reader = {
    findReferences: async (_text: string, language: string) => {
      read.push(language);
      return [];
    },
  };
  const places = new DocumentPlaces({ references: () => 'auto' }, reader as never);

  it('watches a workspace folder until it is removed, and no folder around other files', async () => {
    for (const path of ['/home/ann/notes.md', '/readme.md', '/w/a.md']) {
      const document = documentAt(path, 'markdown');
      await places.referencesIn(document);
      places.placeOf(document);
    }
    assert.deepEqual([...watched], ['/w']);
    remove({ removed: [{ uri: root }] });
    assert.deepEqual([...watched], []);
  });

  it('places a cell where its notebook is', async () => {
    const cell = { uri: cellOf('file'), languageId: 'markdown' } as never;
    for (const { places: placed, document } of [places.placeOf(cell), places.placeOf(cell, uriOf('/w/img/cat.png'))]) {
      assert.equal(placed, places.placeOf(documentAt('/w/a.md', 'markdown')).places);
      assert.deepEqual(document, { path: '/w/notes/a.ipynb', language: 'markdown' });
      const { address } = await placed.write(document, '/w/img/cat.png', { form: 'inline' });
      assert.equal(address, '../img/cat.png');
    }
  });

  it('reads no file of a language without references', async () => {
    read.length = 0;
    for (const [path, languageId] of [
      ['/w/b.md', 'markdown'],
      ['/w/a.py', 'python'],
      ['/w/a.log', 'log'],
    ] as const) {
      await places.referencesIn(documentAt(path, languageId));
    }
    assert.deepEqual(read, ['markdown']);
  });

  it('ignores files of packages and of git in folders where nothing was looked for', async () => {
    let events = 0;
    places.onDidChangeFiles(() => events++);
    const { places: placed, document } = places.placeOf(documentAt('/w/a.md', 'markdown'));
    const eventsOf = (...paths: readonly string[]) => {
      events = 0;
      for (const path of paths) create(uriOf(path));
      return events;
    };
    assert.equal(eventsOf('/w/node_modules/cat/cat.png', '/w/.git/index.lock', '/w/.git/cat'), 0);
    assert.equal(eventsOf('/w/cat.png', '/w/node_modules'), 2);
    for (const path of ['/w/node_modules/cat/img/cat.png', '/w/node_modules/cat']) {
      await placed.resolve(document, { form: 'inline', address: 'node_modules/cat/img/cat.png' });
      assert.equal(eventsOf(path), 1, path);
    }
  });
});
