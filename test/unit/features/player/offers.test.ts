import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { findReferences } from '../../../../src/documents/findReferences.ts';
import { Library } from '../../../../src/library/Library.ts';
import { importWithEditor, Uri } from '../../../support/editorStub.ts';

const nothing = { dispose: () => undefined };
const root = Uri.file(mkdtempSync(join(tmpdir(), 'lenses-')));
const providers: vscode.CodeLensProvider[] = [];
const listen = () => nothing;
const editor = {
  CodeLens: class {
    readonly range: unknown;
    readonly command: unknown;
    constructor(range: unknown, command: unknown) {
      this.range = range;
      this.command = command;
    }
  },
  CodeAction: class {},
  commands: { registerCommand: listen },
  languages: {
    registerCodeLensProvider: (_: unknown, provider: vscode.CodeLensProvider) => providers.push(provider),
    registerDocumentDropEditProvider: listen,
    registerDocumentPasteEditProvider: listen,
    registerCodeActionsProvider: listen,
    registerRenameProvider: listen,
  },
  window: {
    registerWebviewViewProvider: listen,
    createTextEditorDecorationType: listen,
    onDidChangeVisibleTextEditors: listen,
    onDidChangeTextEditorVisibleRanges: listen,
    onDidChangeTextEditorSelection: listen,
  },
  workspace: {
    textDocuments: [],
    workspaceFolders: [{ uri: root }],
    getWorkspaceFolder: () => ({ uri: root }),
    onDidCloseTextDocument: listen,
    onDidChangeTextDocument: listen,
    onDidRenameFiles: listen,
    fs: {
      readDirectory: async ({ fsPath }: Uri) => readdirSync(fsPath).map((name) => [name, 1]),
      readFile: async () => new Uint8Array(),
      stat: async ({ fsPath }: Uri) => assert(existsSync(fsPath)),
    },
  },
};

/** Imports a module of the editor, with the object above in its place. */
const load = <Module>(path: string) => importWithEditor<Module>(new URL(path, import.meta.url), editor);
const { WorkspacePlaces } = await load<typeof import('../../../../src/editor/WorkspacePlaces.ts')>(
  '../../../../src/editor/WorkspacePlaces.ts',
);
const { registerPlayer } = await load<typeof import('../../../../src/features/player/registerPlayer.ts')>(
  '../../../../src/features/player/registerPlayer.ts',
);
const { PlayerCommands } = await load<typeof import('../../../../src/features/player/PlayerCommands.ts')>(
  '../../../../src/features/player/PlayerCommands.ts',
);
const { registerRecordings } = await load<typeof import('../../../../src/features/recordings/registerRecordings.ts')>(
  '../../../../src/features/recordings/registerRecordings.ts',
);
const { captionActions } = await load<typeof import('../../../../src/features/recordings/addCaptions.ts')>(
  '../../../../src/features/recordings/addCaptions.ts',
);
const { speakerLenses } = await load<typeof import('../../../../src/features/recordings/renameSpeakers.ts')>(
  '../../../../src/features/recordings/renameSpeakers.ts',
);
const { TimedPairs } = await load<typeof import('../../../../src/editor/timedPair.ts')>(
  '../../../../src/editor/timedPair.ts',
);

describe('what the editor offers for recordings', () => {
  const places = new WorkspacePlaces({ keepsLibraryPrivate: false } as never, Uri.file('/storage'), undefined as never);
  const library = places.libraryOf(root);
  const { versions } = Library.prototype;
  let reads = 0;

  before(() => {
    Library.prototype.versions = function (word) {
      reads++;
      return versions.call(this, word);
    };
  });

  after(() => {
    Library.prototype.versions = versions;
    rmSync(root.fsPath, { recursive: true });
  });

  const write = (name: string) => {
    writeFileSync(join(root.fsPath, name), '');
    return { uri: Uri.file(join(root.fsPath, name)) } as never;
  };

  it('in lines needs the library only beside a recording, and again when it or a file beside them has changed', async () => {
    const commands = new PlayerCommands({ places } as never);
    const lensesOf = async (document: never, isCancellationRequested = false) =>
      (await commands.lenses(document, { isCancellationRequested } as never)).length;
    const plain = write('README.md');
    const call = write('call.md');
    write('call.vtt');
    assert.deepEqual([await lensesOf(plain), await lensesOf(call), reads], [0, 0, 0]);
    write('call.mp3');
    assert.deepEqual([await lensesOf(call, true), reads], [0, 0]);
    assert.deepEqual([await lensesOf(call), await lensesOf(call), reads], [1, 1, 1]);
    rmSync(join(root.fsPath, 'call.vtt'));
    library.changed();
    assert.deepEqual([await lensesOf(call), reads], [0, 2]);
  });

  it('in the action for captions needs the library once while the cursor moves in a video', async () => {
    write('clip.mp4');
    write('clip.vtt');
    const text = '<video src="clip.mp4"></video>';
    const document = {
      getText: () => text,
      positionAt: () => ({ line: 0 }),
      uri: Uri.file(join(root.fsPath, 'a.html')),
    };
    const projects = async () => ({
      referencesIn: async () => findReferences(text, 'html'),
      placeOf: () => ({ places: { resolve: async () => ({ exists: true, path: `${root.path}/clip.mp4` }) } }),
    });
    const pairs = new TimedPairs(places);
    const actions = () =>
      captionActions(document as never, { start: { line: 0 } } as never, pairs, { projects } as never);
    reads = 0;
    assert.deepEqual([(await actions()).length, (await actions()).length, reads], [1, 1, 1]);
  });

  it('in the line for speakers needs the library once for a text that names some', async () => {
    const pairs = new TimedPairs(places);
    const lensesOf = async () => {
      const document = { ...(write('notes.txt') as object), getText: () => 'Ada: Milk.\n\nBen: Bread.\n' };
      return (await speakerLenses(document as never, pairs)).length;
    };
    reads = 0;
    assert.deepEqual([await lensesOf(), await lensesOf(), reads], [0, 0, 1]);
    const entry = { kind: 'transcripts', operation: 'transcribe', model: 'm', jobId: 'job' } as const;
    await library.append({ ...entry, file: 'notes.txt', createdAt: new Date().toISOString() });
    assert.deepEqual([await lensesOf(), await lensesOf()], [1, 1]);
  });

  it('in lines is asked for again when a library changes', () => {
    registerPlayer({ places } as never);
    registerRecordings({ places } as never);
    let asked = 0;
    for (const { onDidChangeCodeLenses } of providers) onDidChangeCodeLenses?.(() => asked++);
    library.changed();
    assert.equal(asked, 2);
  });
});
