import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import type * as vscode from 'vscode';
import { findReferences } from '../../../src/documents/findReferences.ts';
import type { MediaReference } from '../../../src/documents/MediaReference.ts';
import { FolderEditor } from '../../sites/editor.ts';
import { importWithEditor } from '../../support/editorStub.ts';
import { mp4Bytes } from '../../support/mediaBytes.ts';
import { settingsWith } from '../../support/settingsWith.ts';

const folder = mkdtempSync(join(tmpdir(), 'typed-meanwhile-'));
const typed = 'Typed. ';

/** Has the cursor before the word CURSOR, or everything from there to the word END selected. The person types before the word HERE, where imports go, too. */
let document: vscode.TextDocument & { replace(edits: readonly vscode.TextEdit[]): void };
/** Counts the moments in which a command waits. The person types in one of them, or in all. */
let moments = 0;
let typesIn = 0;
let typesAlways = false;
const listeners = new Set<(event: unknown) => void>();

async function moment(): Promise<void> {
  await Promise.resolve();
  if (++moments !== typesIn && !typesAlways) return;
  const { start } = rangeOf('HERE');
  document.replace([vs.TextEdit.insert(start, typed)]);
  const contentChanges = [{ range: new vs.Range(start, start), text: typed }];
  for (const listener of listeners) listener({ document, contentChanges });
}

const folderEditor = new FolderEditor();
const { api } = folderEditor;
const vs = api as unknown as typeof vscode;

const rangeOf = (text: string) => {
  const start = document.getText().indexOf(text);
  return new vs.Range(document.positionAt(start), document.positionAt(start + text.length));
};
const pathOf = (name: string) => vs.Uri.file(join(folder, name)).path;
const textEditor = {
  get document() {
    return document;
  },
  get selection() {
    const { start } = rangeOf('CURSOR');
    const end = document.getText().includes('END') ? rangeOf('END').start : start;
    return { ...new vs.Range(start, end), active: end };
  },
  get selections() {
    return [this.selection];
  },
  set selections(_: unknown) {
    // The text alone is tested.
  },
  edit: async (write: (edit: object) => void) => {
    const edits: vscode.TextEdit[] = [];
    write({
      insert: (at: vscode.Position, text: string) => edits.push(vs.TextEdit.insert(at, text)),
      replace: (range: vscode.Range, text: string) => edits.push(vs.TextEdit.replace(range, text)),
    });
    document.replace(edits);
    return true;
  },
};
Object.assign(api.window as object, {
  activeTextEditor: textEditor,
  showTextDocument: async () => textEditor,
  createTextEditorDecorationType: () => new vs.Disposable(() => undefined),
  showQuickPick: async () => {
    await moment();
    return { uri: vs.Uri.file(join(folder, 'film.mp4')) };
  },
});
const { applyEdit } = vs.workspace;
Object.assign(api.workspace as object, {
  // Moves files, and then refuses the changes of a text that is no longer as it was.
  applyEdit: async (edit: vscode.WorkspaceEdit & { readonly renames: unknown[]; readonly edits: Map<string, []> }) => {
    const { version } = document;
    const isMove = edit.renames.length > 0;
    const edits = new Map(edit.edits);
    if (isMove) {
      edit.edits.clear();
      await applyEdit(edit);
      await moment();
    }
    if (document.version !== version) return false;
    return applyEdit({ edits, renames: [] } as never);
  },
  onDidChangeTextDocument: (listener: (event: unknown) => void) => {
    listeners.add(listener);
    return { dispose: () => listeners.delete(listener) };
  },
});
Object.assign(vs.workspace.fs, { copy: moment, isWritableFileSystem: () => true });

const load = <Module>(path: string) =>
  importWithEditor<Module>(new URL(`../../../src/features/${path}`, import.meta.url), {
    ...api,
    Selection: vs.Range,
  });
const quickFixes =
  await load<typeof import('../../../src/features/missingMedia/quickFixes.ts')>('missingMedia/quickFixes.ts');
const { insertAsset } =
  await load<typeof import('../../../src/features/references/assetCommands.ts')>('references/assetCommands.ts');
const { generateAtCursor } =
  await load<typeof import('../../../src/features/cursor/generateAtCursor.ts')>('cursor/generateAtCursor.ts');
const { byId, transcribeIntoDocument } = await load<
  typeof import('../../../src/features/recordings/recordingCommands.ts')
>('recordings/recordingCommands.ts');

/** The place of the last reference. */
let place: vscode.Range | undefined;

/** Waits before and after it reads the document, as one that reads folders does. */
const writer = {
  async textFor(_?: unknown, at?: vscode.Range) {
    place = at;
    const { start } = rangeOf('HERE');
    await moment();
    return { text: 'REFERENCE ', imports: [vs.TextEdit.insert(start, 'IMPORT ')] };
  },
  trackFor: () => writer.textFor(),
  async correctionOf(_: unknown, { range: { start, end } }: MediaReference, path: string) {
    const range = new vs.Range(document.positionAt(start), document.positionAt(end));
    await moment();
    return [vs.TextEdit.replace(range, path.replace(pathOf(''), ''))];
  },
};

const media = {
  references: async () => writer,
  async referencesIn() {
    const found = findReferences(document.getText(), 'markdown');
    await moment();
    return found;
  },
  async targetOf() {
    await moment();
    // As on a site whose top is the folder `static`.
    if (!existsSync(join(folder, 'film.mp4'))) return { path: pathOf('static/other.mp4'), exists: false };
    return { path: pathOf('film.mp4'), exists: true, isOutput: false, fault: 'notServed' };
  },
  folderFor: async () => pathOf('static'),
  noticeGenerated: async () => undefined,
};

const library = { versions: async () => [], entries: async () => [], entriesAt: async () => [] };
const dependencies = {
  settings: { ...settingsWith({ openAfterSave: false }), declaredFields: {} },
  log: { warn: () => undefined, error: assert.fail },
  lastEditors: { places: [] },
  references: async () => writer,
  places: {
    libraryOf: () => library,
    async referenceForDocument() {
      await moment();
      return { root: '', path: '' };
    },
  },
  runs: {
    async run() {
      await moment();
      return [{ status: 'fulfilled', value: [{ uri: 'file:///w/a.png', prompt: 'A' }] }];
    },
  },
  projects: async () => ({
    placeOf: () => ({
      document: {},
      places: {
        async resolve() {
          await moment();
          return { path: vs.Uri.file(join(folder, 'film.mp4')).path, exists: true };
        },
      },
    }),
  }),
  load: async () => ({ offer: () => 'TOKEN', resultOf: async () => [], withdraw: assert.fail }),
};

describe('What is typed while a command computes its edit', () => {
  before(() => {
    const wait = globalThis.setTimeout;
    // What the commands wait after the person typed. The threads have their own times.
    mock.method(globalThis, 'setTimeout', (then: () => void, ms?: number) => wait(then, ms === 300 ? 0 : ms));
  });

  after(() => {
    mock.restoreAll();
    rmSync(folder, { recursive: true });
  });

  const uri = () => document.uri.toString();
  const commands: readonly (readonly [name: string, text: string, run: () => Promise<unknown>, after: string])[] = [
    [
      'Point to',
      'HERE ![A](film.mp4) and ![B](film.mp4)',
      () => quickFixes.pointToFile({ uri: uri(), path: pathOf('film.mp4'), file: '/b/film.mp4' }, media as never),
      '¦HERE ![A](/b/film.mp4) and ![B](/b/film.mp4)',
    ],
    [
      'Copy to',
      'HERE ![A](film.mp4)',
      () => quickFixes.serveFile({ uri: uri(), path: pathOf('film.mp4'), copies: true }, media as never),
      '¦HERE ![A](/static/film.mp4)',
    ],
    [
      'Move to',
      'HERE ![A](film.mp4)',
      () => quickFixes.serveFile({ uri: uri(), path: pathOf('film.mp4'), copies: false }, media as never),
      '¦HERE ![A](/static/film.mp4)',
    ],
    [
      'Insert at Cursor',
      'HERE CURSOR',
      () => insertAsset(writer as never, { places: [] }, {} as never, { uri: vs.Uri.file(join(folder, 'film.mp4')) }),
      '¦IMPORT HERE REFERENCE CURSOR',
    ],
    [
      'the player below the title',
      '# Title\n\nHERE is the text.\n',
      () => {
        const argument = { uri: vs.Uri.file(join(folder, 'film.mp4')), belowTitle: true };
        return insertAsset(writer as never, { places: [] }, {} as never, argument);
      },
      '# Title\n\nREFERENCE \n\n¦IMPORT HERE is the text.\n',
    ],
    [
      'Generate Image at Cursor',
      'HERE CURSOR',
      () => generateAtCursor({ prompt: 'A' }, dependencies as never),
      '¦IMPORT HERE REFERENCE CURSOR',
    ],
    [
      'Transcribe Audio into This Document',
      'HERE CURSOR',
      async () => transcribeIntoDocument(undefined, (await dependencies.load()) as never, dependencies as never),
      '¦HERE TOKENCURSOR',
    ],
    [
      'Add Captions to Video',
      'HERE <video src="film.mp4"></video>',
      () => byId['unifiedMedia.addCaptions']({ uri: uri(), line: 0 }, dependencies as never),
      '¦IMPORT HERE <video src="film.mp4">REFERENCE </video>',
    ],
  ];
  const open = async (text: string) => {
    moments = 0;
    rmSync(join(folder, 'static'), { recursive: true, force: true });
    writeFileSync(join(folder, 'film.mp4'), mp4Bytes);
    writeFileSync(join(folder, 'film.vtt'), '');
    writeFileSync(join(folder, 'page.md'), text);
    folderEditor.open(folder);
    document = (await vs.workspace.openTextDocument(vs.Uri.file(join(folder, 'page.md')))) as typeof document;
  };
  it('stays in a selection, and Generate Image at Cursor writes a reference for the place behind it', async () => {
    typesIn = 1;
    await open('CURSOR HERE END');
    await generateAtCursor({ prompt: 'A' }, dependencies as never);
    assert.equal(document.getText(), `CURSOR ${typed}IMPORT HERE REFERENCE END`);
    assert.equal(place?.isEmpty, true);
  });

  for (const [name, text, run, expected] of commands) {
    it(`stays, and ${name} changes the same place`, async () => {
      for (typesIn = 0; typesIn === 0 || typesIn <= moments; typesIn++) {
        await open(text);
        await run();
        const now = expected.replace('¦', typesIn === 0 || typesIn > moments ? '' : typed);
        assert.equal(document.getText(), now, `typed in moment ${typesIn} of ${moments}`);
      }
      assert.ok(moments > 0, 'the command waits');
    });

    // A token is written without waiting for anything.
    if (expected.includes('TOKEN')) continue;
    it(`stays, and ${name} says so when it never ends`, async () => {
      typesAlways = true;
      try {
        await open(text);
        const { messages } = folderEditor;
        await run().catch(({ message }: Error) => messages.push(message));
        assert.equal(document.getText().replaceAll(typed, ''), text);
        assert.equal(messages.length, 1);
        const why = /page\.md .*kept changing or cannot be edited\./;
        assert.match(messages[0] ?? '', name === 'Move to' ? /film\.mp4 could not be moved/ : why);
      } finally {
        typesAlways = false;
      }
    });
  }
});
