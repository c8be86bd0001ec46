import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { importWithEditor, Position, Range, Uri } from '../../../support/editorStub.ts';

/** A document of one line. */
function documentAt(uri: Uri) {
  const text = readFileSync(uri.fsPath, 'utf8');
  const line = { text, isEmptyOrWhitespace: false, range: new Range(0, 0, 0, text.length) };
  return {
    ...{ uri, version: 1, lineCount: 1 },
    getText: () => text,
    lineAt: () => line,
    offsetAt: ({ character }: Position) => character,
    positionAt: (offset: number) => new Position(0, offset),
    validatePosition: (position: Position) => position,
  };
}

const root = Uri.file(mkdtempSync(join(tmpdir(), 'player-')));
const nothing = { dispose: () => undefined };
const listen = () => nothing;
const visibleTextEditors: object[] = [];
/** Values of the context key `isPlaying`, in order. */
const keys: unknown[] = [];
const editor = {
  visibleTextEditors,
  TextEditorRevealType: {},
  commands: {
    executeCommand: async (_command: string, key: unknown, value: unknown) => {
      if (key === 'unifiedMedia.isPlaying') keys.push(value);
    },
  },
  window: {
    visibleTextEditors,
    tabGroups: { activeTabGroup: {}, all: [] },
    createTextEditorDecorationType: () => nothing,
    onDidChangeVisibleTextEditors: listen,
    onDidChangeTextEditorVisibleRanges: listen,
    onDidChangeTextEditorSelection: listen,
    showWarningMessage: async () => undefined,
  },
  workspace: {
    textDocuments: [],
    getWorkspaceFolder: () => undefined,
    onDidCloseTextDocument: listen,
    openTextDocument: async (uri: Uri) => documentAt(uri),
    fs: {
      readDirectory: async ({ fsPath }: Uri) => readdirSync(fsPath).map((name) => [name, 1]),
      readFile: async ({ fsPath }: Uri) => readFileSync(fsPath),
      stat: async () => ({ mtime: 0, size: 0 }),
    },
  },
};
const { PlayerCommands } = await importWithEditor<typeof import('../../../../src/features/player/PlayerCommands.ts')>(
  new URL('../../../../src/features/player/PlayerCommands.ts', import.meta.url),
  editor,
);

describe('PlayerCommands', () => {
  after(() => rmSync(root.fsPath, { recursive: true }));

  const write = (name: string, text = ''): Uri => {
    writeFileSync(join(root.fsPath, name), text);
    return Uri.joinPath(root, name);
  };
  const log = { warn: () => undefined, info: () => undefined, error: () => undefined };

  /** Starts the player with its page. */
  function start() {
    let receive: (message: unknown) => Promise<void> = async () => undefined;
    const webview = {
      asWebviewUri: String,
      postMessage: async () => true,
      onDidReceiveMessage: (listener: typeof receive) => {
        receive = listener;
        return nothing;
      },
    };
    const commands = new PlayerCommands({
      ...{ log, extensionUri: root, settings: { get: () => undefined } },
      places: { onDidChange: listen },
    } as never);
    commands.player.show({ webview, visible: false, onDidChangeVisibility: listen, onDidDispose: listen } as never);
    const report = (milliseconds: number, isPlaying: boolean) =>
      receive({ id: 1, name: 'report', body: { milliseconds, isPlaying, follows: false } });
    return { commands, report };
  }

  it('shows in a document only what is heard of it, also after that could not be played', async () => {
    const [heard, unheard] = ['heard', 'unheard'].map((name) => {
      write(`${name}.mp3`);
      return write(`${name}.md`, 'The red fox');
    });
    write('heard.vtt', 'WEBVTT\n\n00:00.000 --> 00:09.000\nThe red fox\n');
    const marked: string[] = [];
    for (const uri of [heard, unheard]) {
      assert(uri);
      const name = posix.basename(uri.path);
      const setDecorations = (_: unknown, { length }: { readonly length: number }) => length > 0 && marked.push(name);
      visibleTextEditors.push({ document: documentAt(uri), setDecorations });
    }
    const { commands, report } = start();
    await commands.playFromHere({ uri: heard, line: 0 });
    await assert.rejects(commands.hearParagraph({ uri: unheard, line: 0 }), /in no paragraph that is heard/);
    await report(1000, true);
    assert.deepEqual(new Set(marked), new Set(['heard.md']));
  });

  it('plays no more when another recording is opened, until that one plays', async () => {
    const { commands, report } = start();
    keys.length = 0;
    await commands.playFromHere({ uri: write('one.mp3') });
    await report(0, true);
    await commands.playFromHere({ uri: write('broken.mp3') });
    await report(0, false);
    assert.deepEqual(keys, [true, false]);
    assert.equal(commands.player.state.isPlaying, false);
  });
});
