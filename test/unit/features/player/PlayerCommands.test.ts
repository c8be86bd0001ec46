import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { maxPlayedBytes } from '../../../../src/transcripts/times.ts';
import { commonEditor, importWithEditor, Position, Range, Uri } from '../../../support/editorStub.ts';

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
const renamed = new commonEditor.EventEmitter();
/** The files that were read, in order. */
const read: string[] = [];
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
    onDidRenameFiles: renamed.event,
    openTextDocument: async (uri: Uri) => documentAt(uri),
    fs: {
      readDirectory: async ({ fsPath }: Uri) => readdirSync(fsPath).map((name) => [name, 1]),
      readFile: async ({ fsPath }: Uri) => {
        read.push(fsPath);
        return readFileSync(fsPath);
      },
      stat: async ({ fsPath }: Uri) => ({ mtime: 0, size: statSync(fsPath).size }),
    },
  },
};
const { PlayerCommands } = await importWithEditor<typeof import('../../../../src/features/player/PlayerCommands.ts')>(
  new URL('../../../../src/features/player/PlayerCommands.ts', import.meta.url),
  editor,
);

describe('PlayerCommands', () => {
  after(() => rmSync(root.fsPath, { recursive: true }));

  beforeEach(() => {
    visibleTextEditors.length = 0;
  });

  const write = (name: string, text = ''): Uri => {
    mkdirSync(dirname(join(root.fsPath, name)), { recursive: true });
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
      ...{ log, context: { extensionUri: root }, settings: { get: () => undefined } },
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

  it('reads no times above 8 MB, and plays the recording all the same (promise 17)', async () => {
    const times = write('long.vtt', 'WEBVTT\n\n00:00.000 --> 00:09.000\nThe red fox\n');
    truncateSync(times.fsPath, maxPlayedBytes + 1);
    write('long.mp3');
    const uri = write('long.md', 'The red fox');
    const { commands, report } = start();
    await commands.playFromHere({ uri, line: 0 });
    await report(1000, true);
    assert.equal(commands.player.current?.recording.fsPath, join(root.fsPath, 'long.mp3'));
    assert.deepEqual(commands.player.current?.cues, []);
    await assert.rejects(
      commands.hearParagraph({ uri, line: 0 }),
      /long\.vtt is too large \(9 MB\); files with times may have 8 MB/,
    );
    assert(!read.includes(times.fsPath));
    write('long.vtt', 'WEBVTT\n\n00:00.000 --> 00:09.000\nThe red fox\n');
    await commands.hearParagraph({ uri, line: 0 });
    assert(read.includes(times.fsPath));
  });

  it('shows what is heard also after the document, or a folder above it, was renamed', async () => {
    write('talks/call.mp3');
    write('talks/call.vtt', 'WEBVTT\n\n00:00.000 --> 00:09.000\nThe red fox\n');
    const uri = write('talks/call.md', 'The red fox');
    let isMarked = false;
    const shown = {
      document: documentAt(uri),
      setDecorations: (_: unknown, { length }: { readonly length: number }) => {
        isMarked = length > 0;
      },
    };
    visibleTextEditors.push(shown);
    const { commands, report } = start();
    await commands.playFromHere({ uri, line: 0 });
    await report(1000, true);
    assert(isMarked);
    for (const [from, to, now] of [
      ['talks/call.md', 'talks/interview.md', 'talks/interview.md'],
      ['talks', 'recordings', 'recordings/interview.md'],
    ] as const) {
      // VS Code opens the document under its new name before it reports the rename.
      const { document } = shown;
      shown.document = { ...document, uri: Uri.joinPath(root, now) };
      await report(2000, true);
      renamed.fire({ files: [{ oldUri: Uri.joinPath(root, from), newUri: Uri.joinPath(root, to) }] });
      assert(isMarked, now);
    }
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
