import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import type { DocumentPlaces } from '../../../../src/editor/DocumentPlaces.ts';
import type { WorkspacePlaces } from '../../../../src/editor/WorkspacePlaces.ts';
import { LocalFolder } from '../../../../src/files/LocalFolder.ts';
import { decodePicture } from '../../../../src/images/codecs/decodePicture.ts';
import { Library } from '../../../../src/library/Library.ts';
import { importWithEditor, Uri } from '../../../support/editorStub.ts';
import { lfsPointer } from '../../../support/lfsPointer.ts';
import { patternPng, type Rgba } from '../../../support/patterns.ts';

const nothing = { dispose: () => undefined };
const root = mkdtempSync(join(tmpdir(), 'image-tab-'));
type Renames = { readonly files: readonly { readonly oldUri: Uri; readonly newUri: Uri }[] };
let renamed: (renames: Renames) => void;
let receive: (message: unknown) => Promise<void>;
let close: () => void;
const posted: object[] = [];
const panel = {
  visible: true,
  title: '',
  onDidChangeViewState: () => nothing,
  onDidDispose: (listener: () => void) => {
    const earlier = close;
    close = () => {
      earlier?.();
      listener();
    };
    return nothing;
  },
  webview: {
    html: '',
    asWebviewUri: String,
    postMessage: async (message: object) => posted.push(message),
    onDidReceiveMessage: (listener: typeof receive) => {
      receive = listener;
      return nothing;
    },
  },
};
const editor = {
  ViewColumn: {},
  window: { createWebviewPanel: (_id: string, title: string) => Object.assign(panel, { title }) },
  workspace: {
    getWorkspaceFolder: () => ({ uri: Uri.file(root) }),
    onDidRenameFiles: (listener: typeof renamed) => {
      renamed = listener;
      return nothing;
    },
    fs: {
      stat: async ({ fsPath }: Uri) => ({ size: statSync(fsPath).size, type: 1 }),
      readFile: async ({ fsPath }: Uri) => readFileSync(fsPath),
    },
  },
};
const { ImageTab } = await importWithEditor<typeof import('../../../../src/features/images/ImageCommands.ts')>(
  new URL('../../../../src/features/images/ImageCommands.ts', import.meta.url),
  editor,
);
const { readSource } = await importWithEditor<typeof import('../../../../src/editor/SourceFile.ts')>(
  new URL('../../../../src/editor/SourceFile.ts', import.meta.url),
  editor,
);

const red: Rgba = [255, 0, 0, 255];
const blue: Rgba = [0, 0, 255, 255];
const library = new Library(new LocalFolder(join(root, '.unified-media'), root));
const places = {
  referenceBeside: (uri: Uri) => posix.dirname(uri.fsPath),
  placeAt: (folder: string) => ({
    folder: new LocalFolder(folder, root),
    library,
    recordedName: (name: string) => posix.join(posix.relative(root, folder), name),
  }),
} as unknown as WorkspacePlaces;
const log = { warn: () => undefined, error: () => undefined };

describe('ImageTab', () => {
  const at = (path: string) => Uri.file(join(root, path));
  const write = (path: string, colour: Rgba) =>
    writeFileSync(
      at(path).fsPath,
      patternPng(8, 8, () => colour),
    );

  before(async () => {
    mkdirSync(join(root, 'img'));
    write('img/a.png', red);
    const dependencies = {
      ...{ settings: { get: () => false }, places, log, context: { extensionUri: Uri.file('/extension') } },
      projects: () => Promise.reject<DocumentPlaces>(new Error('not asked for')),
    };
    new ImageTab(await readSource(at('img/a.png') as never, places), dependencies as never);
    await ask('ready');
    posted.length = 0;
  });

  after(() => {
    close();
    rmSync(root, { recursive: true });
  });

  /** Returns what the host posts for a request. */
  async function ask(name: string, body: object = {}): Promise<string> {
    posted.length = 0;
    await receive({ id: 1, name, body });
    return JSON.stringify(posted);
  }

  const save = () => ask('save', { change: { width: 4, height: 4, format: 'png' } });
  const rename = (from: string, to: string) => {
    renameSync(at(from).fsPath, at(to).fsPath);
    renamed({ files: [{ oldUri: at(from), newUri: at(to) }] });
  };

  it('names a Git LFS pointer, also where it is resized or made into icons', async () => {
    writeFileSync(at('img/pointer.png').fsPath, lfsPointer);
    await assert.rejects(readSource(at('img/pointer.png') as never, places), {
      kind: 'invalidInput',
      field: 'file',
      message: 'pointer.png is a Git LFS pointer, not the file itself. Run “git lfs pull” first.',
    });
    rmSync(at('img/pointer.png').fsPath);
  });

  it('does not save a picture that its page has not shown, and shows it', async () => {
    write('img/a.png', blue);
    assert.match(await save(), /"type":"show".*"type":"failed".*a\.png has changed and is shown as it is now/);
    assert.deepEqual(readdirSync(at('img').fsPath), ['a.png']);
    assert.match(await save(), /^\[{"type":"reply".*a-2\.png/);
    const { data } = await decodePicture(readFileSync(at('img/a-2.png').fsPath), { maxPixels: 64 });
    assert.deepEqual([...data.slice(0, 4)], blue);
  });

  it('measures and shows a picture that changed', async () => {
    const shown = () => ask('measure', { change: { width: 4, height: 4, format: 'png' } });
    assert.match(await shown(), /^\[{"type":"reply"/);
    write('img/a.png', red);
    assert.match(await shown(), /"type":"show".*"type":"reply"/);
    // A page that was hidden then starts with the old data.
    assert.match(await ask('ready'), /"type":"show"/);
  });

  it('follows its picture, and saves beside it', async () => {
    rename('img/a.png', 'img/hero.png');
    rename('img', 'pictures');
    assert.equal(panel.title, 'Change hero.png');
    assert.match(panel.webview.html, /pictures\/hero\.png/);
    assert.match(await save(), /hero-2\.png/);
    const lines = readFileSync(join(root, '.unified-media', 'library.jsonl'), 'utf8');
    assert.match(lines, /"file":"pictures\/hero-2\.png".*"madeFrom":{"file":"pictures\/hero\.png"/);
  });

  it('says that its picture is gone', async () => {
    renameSync(at('pictures/hero.png').fsPath, at('pictures/other.png').fsPath);
    assert.match(await save(), /"type":"failed".*hero\.png \(file\): The file cannot be read/);
  });
});
