import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { Asset } from '../../../src/library/LibraryRecord.ts';
import { commonEditor, importWithEditor, Position, Uri } from '../../support/editorStub.ts';

const { EventEmitter, TabInputText } = commonEditor;
const token = '<!-- transcribing call.wav · 12345678 -->';
/** The files on disk, by address. */
const files = new Map<string, string>();
/** What was shown: messages, then the files that were opened. */
const shown: string[] = [];
/** The button that the person chooses in each message. */
let answers: string[] = [];

function documentOf(address: string, text: string) {
  return {
    ...{ uri: Uri.parse(address), languageId: 'markdown', version: 1, isClosed: false },
    getText: () => text,
    positionAt: (offset: number) => new Position(0, offset),
  };
}

/** The document in front, which has nothing to do with the job. */
const front = {
  document: documentOf('file:///w/contract.md', 'A contract.\n'),
  selection: { active: new Position(0, 4) },
};
const edits: string[] = [];
const ask = async (sentence: string, ...buttons: string[]) => {
  shown.push(`${sentence} ${buttons.map((button) => `[${button}]`).join(' ')}`);
  return answers.shift();
};
const { deliverTranscript } = await importWithEditor<typeof import('../../../src/editor/deliverTranscript.ts')>(
  new URL('../../../src/editor/deliverTranscript.ts', import.meta.url),
  {
    WorkspaceEdit: class {
      set(uri: Uri): void {
        edits.push(uri.path);
      }
    },
    TextEdit: { insert: () => undefined, replace: () => undefined },
    commands: { executeCommand: async (_command: string, { path }: Uri) => shown.push(path) },
    window: {
      ...{ activeTextEditor: front, visibleTextEditors: [front] },
      tabGroups: {
        all: [{ tabs: [{ input: Object.assign(new TabInputText(), { uri: front.document.uri }) }] }],
        activeTabGroup: {},
      },
      showTextDocument: async () => front,
      showInformationMessage: ask,
      showWarningMessage: ask,
    },
    workspace: {
      textDocuments: [front.document],
      onDidChangeTextDocument: new EventEmitter().event,
      asRelativePath: ({ path }: Uri) => path.slice('/w/'.length),
      openTextDocument: async (uri: Uri) => {
        const text = files.get(uri.toString());
        // VS Code makes an untitled document when there is none.
        if (text === undefined && uri.scheme !== 'untitled') throw new Error('No such file');
        return documentOf(uri.toString(), text ?? '');
      },
      fs: { readFile: async () => Buffer.from('---\nsource: "call.wav"\n---\n\nHello Bob.\n') },
      applyEdit: async () => true,
    },
  },
);

describe('a transcript whose place is gone', () => {
  const transcript = { uri: 'file:///w/media/call.md' } as Asset;
  const dependencies = { references: () => assert.fail('no player'), log: { warn: assert.fail } };

  beforeEach(() => {
    files.clear();
    shown.length = 0;
    edits.length = 0;
  });

  /** The messages stay open when a delivery ends; here they are answered at once. */
  const answered = async () => {
    for (let turn = 0; turn < 20; turn++) await setImmediate();
  };

  it('is inserted into no other document when its own was deleted, or was never saved', async () => {
    for (const document of ['file:///w/notes.md', 'untitled:///w/notes.md']) {
      shown.length = 0;
      answers = ['Insert', 'Open'];
      await deliverTranscript([transcript], { document, text: token }, dependencies);
      await answered();
      const saved = 'The transcript was saved as media/call.md. It was not inserted, because';
      assert.deepEqual(shown, [
        `${saved} its place in notes.md is gone or the document is closed. [Insert] [Open]`,
        `${saved} notes.md can no longer be opened. [Open]`,
        '/w/media/call.md',
      ]);
      assert.deepEqual(edits, []);
    }
  });
});
