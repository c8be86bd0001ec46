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
import type { PlayerTrack } from '../../../../src/webview/protocol/player.ts';
import { SpokenSoFar } from '../../../../src/wholes/SpokenSoFar.ts';
import { commonEditor, importWithEditor, Position, Range, Uri } from '../../../support/editorStub.ts';
import { blocksOf, soundOf } from '../../../support/narrations.ts';

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
const fileChanged = new commonEditor.EventEmitter();
/** When files were changed last, where it is not 0. */
const changedAt = new Map<string, number>();
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
    createFileSystemWatcher: () => ({ ...nothing, onDidChange: fileChanged.event, onDidCreate: listen }),
    openTextDocument: async (uri: Uri) => documentAt(uri),
    fs: {
      readDirectory: async ({ fsPath }: Uri) => readdirSync(fsPath).map((name) => [name, 1]),
      readFile: async ({ fsPath }: Uri) => {
        read.push(fsPath);
        return readFileSync(fsPath);
      },
      stat: async ({ fsPath }: Uri) => ({ mtime: changedAt.get(fsPath) ?? 0, size: statSync(fsPath).size }),
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
    const posted: { readonly type?: string; readonly track?: PlayerTrack }[] = [];
    const webview = {
      asWebviewUri: String,
      postMessage: async (message: (typeof posted)[number]) => posted.push(message) > 0,
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
    const ready = () => receive({ id: 2, name: 'ready', body: {} });
    /** The files that the page was told to play on in, in order. */
    const tracks = () =>
      posted.flatMap(({ type, track }) =>
        track ? [{ type, file: posix.basename(track.source), cues: track.cues.length, note: track.note }] : [],
      );
    return { commands, report, ready, tracks };
  }

  describe('while a narration is made', () => {
    const texts = ['One.', 'Two, longer.', 'Three is the longest of all.', 'Four.'];
    const goesOn = 'This is what is there so far. The rest follows as it is spoken.';

    /** Plays the first part of a narration, of which more parts can be added. */
    async function playFirst(name: string) {
      const blocks = blocksOf(texts, 'wav');
      const uri = write(`${name}.md`, texts.join(' '));
      const folder = join(root.fsPath, name);
      const spoken = new SpokenSoFar(blocks, { folder, savedIn: `${root}/media` }, () => undefined);
      const add = (index: number) => {
        writeFileSync(write(`${name}/${index}.wav`).fsPath, soundOf('wav', texts[index] ?? ''));
        spoken.add(blocks[index]?.key ?? '', join(folder, `${index}.wav`));
      };
      add(0);
      const player = start();
      await player.commands.playFromHere(Object.assign({}, { uri, spoken }));
      await player.ready();
      /** Waits until the player plays another file. */
      const nextFile = () =>
        new Promise<void>((resolve) => {
          const before = player.tracks().length;
          const listening = player.commands.player.onDidChange(() => {
            if (player.tracks().length === before) return;
            listening.dispose();
            resolve();
          });
        });
      const heard = () => readdirSync(folder, { recursive: true }).filter((one) => /heard-.*wav$/.test(String(one)));
      return { ...player, uri, spoken, add, nextFile, heard };
    }

    it('plays on in what has come, once the player has come to what came before, and in the saved file', async () => {
      const { tracks, report, spoken, add, nextFile, heard, commands } = await playFirst('whole');
      assert.equal(commands.player.current?.note, goesOn);
      const second = nextFile();
      add(1);
      await second;
      add(2);
      await report(0, true);
      assert.deepEqual(tracks(), [{ type: 'next', file: '2.wav', cues: 2, note: goesOn }]);
      const third = nextFile();
      await report(commands.player.current?.cues[1]?.start ?? 0, true);
      await third;
      await report(0, true);
      add(3);
      await spoken.saved(`${root}/media/whole.wav`);
      assert.deepEqual(tracks().slice(1), [
        { type: 'next', file: '3.wav', cues: 3, note: goesOn },
        { type: 'open', file: 'whole.wav', cues: 4, note: undefined },
      ]);
      await spoken.close();
      assert.deepEqual(heard(), []);
    });

    it('says that the rest did not come, and plays what is there', async () => {
      const { tracks, report, spoken } = await playFirst('part');
      await report(0, true);
      await spoken.failed('There is no credit left.');
      const note = 'This is only the beginning, because the rest did not come. There is no credit left.';
      assert.deepEqual(tracks(), [{ type: 'open', file: '1.wav', cues: 1, note }]);
      await report(1, true);
      assert.equal(tracks().length, 1);
    });

    it('leaves another recording alone that is opened meanwhile, and removes its files', async () => {
      const { commands, tracks, spoken, add, heard } = await playFirst('left');
      assert.equal(heard().length, 1);
      await commands.playFromHere({ uri: write('another.mp3') });
      await spoken.close();
      add(1);
      await spoken.saved(`${root}/media/left.wav`);
      assert.deepEqual(tracks(), []);
      assert.match(String(commands.player.current?.recording), /another\.mp3$/);
      await spoken.close();
      assert.deepEqual(heard(), []);
    });

    it('plays from the start when it is asked for again, with the same files', async () => {
      const { commands, uri, spoken, heard } = await playFirst('again');
      const { current } = commands.player;
      await commands.playFromHere(Object.assign({}, { uri, spoken }));
      assert.equal(commands.player.current, current);
      assert.equal(heard().length, 1);
    });
  });

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

  it('plays on in what its files are now: other times, another narration, another name', async () => {
    const recording = write('talk.mp3');
    const times = write('talk.vtt', 'WEBVTT\n\n00:00.000 --> 00:09.000\n<v SPEAKER_00>The red fox\n');
    const uri = write('talk.md', 'The red fox');
    const { commands, ready, report, tracks } = start();
    await commands.playFromHere({ uri, line: 0 });
    await ready();
    await report(1000, true);
    const next = async (change: () => void) => {
      const opened = new Promise<void>((resolve) => {
        const listening = commands.player.onDidChange(() => {
          listening.dispose();
          resolve();
        });
      });
      change();
      await opened;
      return tracks().at(-1);
    };
    const renewed = await next(() => {
      write('talk.vtt', 'WEBVTT\n\n00:00.000 --> 00:05.000\n<v Ana>The red\n\n00:05.000 --> 00:09.000\nfox\n');
      fileChanged.fire(times);
    });
    assert.deepEqual(renewed, { type: 'open', file: 'talk.mp3?v=0', cues: 2, note: undefined });
    const spoken = await next(() => {
      changedAt.set(recording.fsPath, 5);
      fileChanged.fire(recording);
    });
    assert.equal(spoken?.file, 'talk.mp3?v=5');
    const moved = await next(() => {
      for (const ending of ['md', 'mp3', 'vtt']) write(`moved/talk.${ending}`, ending === 'vtt' ? 'WEBVTT\n' : '');
      renamed.fire({ files: [{ oldUri: uri, newUri: Uri.joinPath(root, 'moved/talk.md') }] });
    });
    assert.deepEqual([commands.player.current?.recording.path, moved?.cues], [join(root.path, 'moved/talk.mp3'), 0]);
    assert.equal(tracks().length, 3);
    fileChanged.fire(Uri.joinPath(root, 'moved/other.mp3'));
    assert.equal(commands.player.state.milliseconds, 1000);
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
