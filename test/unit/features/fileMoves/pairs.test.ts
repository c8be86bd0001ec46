import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type * as vscode from 'vscode';
import { LocalFolder } from '../../../../src/files/LocalFolder.ts';
import { Library } from '../../../../src/library/Library.ts';
import type { LibraryRecord } from '../../../../src/library/LibraryRecord.ts';
import { FolderEditor } from '../../../sites/editor.ts';
import { importWithEditor } from '../../../support/editorStub.ts';
import { skipUnless } from '../../../support/skipUnless.ts';

interface Renames {
  readonly files: readonly { readonly oldUri: vscode.Uri; readonly newUri: vscode.Uri }[];
}

const folder = mkdtempSync(join(tmpdir(), 'pairs-'));
const folderEditor = new FolderEditor();
const { api } = folderEditor;
const { Uri, workspace } = api as unknown as typeof vscode;
let ignoresCase = false;
let willRename: (event: Renames & { waitUntil(edit: Promise<unknown>): void }) => void;
let didRename: (event: Renames) => void;
let configure: (event: { affectsConfiguration(): boolean }) => void;
const { stat } = workspace.fs;
Object.assign(workspace.fs, {
  stat: async (uri: vscode.Uri) => {
    const name = readdirSync(folder).find((one) => one.toLowerCase() === basename(uri.path).toLowerCase());
    return stat(ignoresCase && name !== undefined ? Uri.file(join(folder, name)) : uri);
  },
});
const noEvent = () => ({ dispose: () => undefined });
Object.assign(workspace, {
  onWillRenameFiles: (listener: typeof willRename) => {
    willRename = listener;
    return noEvent();
  },
  onDidRenameFiles: (listener: typeof didRename) => {
    didRename = listener;
    return noEvent();
  },
  onDidChangeConfiguration: (listener: typeof configure) => {
    configure = listener;
    return noEvent();
  },
  onDidChangeWorkspaceFolders: noEvent,
});
const { LibraryFollower, FileMoves } = await importWithEditor<
  typeof import('../../../../src/features/fileMoves/LibraryFollower.ts')
>(new URL('../../../../src/features/fileMoves/LibraryFollower.ts', import.meta.url), api);

describe('A transcript and its times', () => {
  let library: Library;
  const libraryOf = () => library;

  beforeEach(() => {
    ignoresCase = false;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    folderEditor.open(folder);
    library = new Library(new LocalFolder(join(folder, '.unified-media'), folder));
  });

  after(() => rmSync(folder, { recursive: true }));

  const at = (name: string) => Uri.file(join(folder, name));
  const write = (...names: readonly string[]) => names.forEach((name) => void writeFileSync(join(folder, name), name));

  async function record(file: string, times: string): Promise<void> {
    const record: LibraryRecord = {
      file,
      kind: 'transcripts',
      operation: 'transcribe',
      model: 'm',
      createdAt: '2026-11-01T00:00:00.000Z',
      jobId: 'job',
      times: { name: times, sha256: 'a'.repeat(64) },
    };
    await library.append(record);
  }

  type Moves = readonly (readonly [from: string, to: string])[];

  const filesOf = (moves: Moves) => moves.map(([from, to]) => ({ oldUri: at(from), newUri: at(to) }));

  function follow() {
    const follower = new LibraryFollower({ libraryOf } as never, { warn: assert.fail } as never);
    return Object.assign(follower, { [Symbol.dispose]: () => follower.dispose() });
  }

  /** Returns the further moves with which VS Code is to do one or several, as old and new name. */
  async function alongWith(...moves: Moves) {
    using _ = follow();
    return asked(...moves);
  }

  /** As {@link alongWith}, of the follower that was made last. */
  async function asked(...moves: Moves) {
    let edit: Promise<unknown> | undefined;
    willRename({ files: filesOf(moves), waitUntil: (given) => (edit = given) });
    const { renames } = (await edit) as { readonly renames: readonly (readonly [vscode.Uri, vscode.Uri])[] };
    return renames.map((pair) => pair.map(({ path }) => basename(path)));
  }

  it('go together where the library records them', async () => {
    write('call.md', 'call.vtt', 'call.mp4');
    await record('call.md', 'call.vtt');
    assert.deepEqual(await alongWith(['call.md', 'talk.md']), [['call.vtt', 'talk.vtt']]);
    assert.deepEqual(await alongWith(['call.vtt', 'talk.vtt']), [['call.md', 'talk.md']]);
  });

  it('stay with a recording that is renamed, as the text names it anew', async () => {
    write('call.mp3', 'other.mp3');
    const text = '---\nsource: "call.mp3"\n---\n\n[call.mp3](call.mp3)\n\n[00:07](call.mp3#t=7) Hi.\n';
    writeFileSync(join(folder, 'call.md'), text);
    const edited = async (...move: Moves[number]) => {
      using _ = follow();
      let edit: Promise<unknown> | undefined;
      willRename({ files: filesOf([move]), waitUntil: (given) => (edit = given) });
      const { edits } = (await edit) as { readonly edits: ReadonlyMap<string, readonly vscode.TextEdit[]> };
      return [...edits].map(([path, [one]]) => [basename(path), one?.newText]);
    };
    assert.deepEqual(await edited('call.mp3', 'talk.mp3'), [['call.md', text.replaceAll('call.mp3', 'talk.mp3')]]);
    assert.deepEqual(await edited('other.mp3', 'talk.mp3'), []);
  });

  it('are looked for in the other library once the setting names it', () => {
    let changes = 0;
    library.onDidChange(() => changes++);
    using _ = follow();
    assert.equal(changes, 0);
    configure({ affectsConfiguration: () => true });
    assert.equal(changes, 1);
  });

  it('are not any page and the captions of its video', async () => {
    write('intro.md', 'intro.vtt', 'intro.mp4');
    assert.deepEqual(await alongWith(['intro.md', 'about.md']), []);
    assert.deepEqual(await alongWith(['intro.vtt', 'intro.en.vtt']), []);
    await record('intro.md', 'other.vtt');
    assert.deepEqual(await alongWith(['intro.md', 'about.md']), []);
  });

  it('go together where the front matter names a recording, unless a video stays or the times are renamed', async () => {
    write('call.vtt');
    writeFileSync(join(folder, 'call.md'), '---\nsource: "call.mp3"\n---\nText');
    assert.deepEqual(await alongWith(['call.md', 'talk.md']), [['call.vtt', 'talk.vtt']]);
    assert.deepEqual(await alongWith(['call.vtt', 'talk.vtt']), []);
    write('call.mp4');
    assert.deepEqual(await alongWith(['call.md', 'talk.md']), []);
    assert.deepEqual(await alongWith(['call.md', 'talk.md'], ['call.mp4', 'talk.mp4']), [['call.vtt', 'talk.vtt']]);
  });

  it('go together where a recording is beside them, unless a video stays', async () => {
    for (const text of ['call.txt', 'call.md']) {
      const moved = text.replace('call', 'talk');
      write(text, 'call.vtt');
      assert.deepEqual(await alongWith([text, moved]), []);
      write('call.mp3');
      assert.deepEqual(await alongWith([text, moved]), [['call.vtt', 'talk.vtt']]);
      write('call.mp4');
      assert.deepEqual(await alongWith([text, moved]), []);
      for (const name of [text, 'call.mp3', 'call.mp4']) rmSync(join(folder, name));
    }
  });

  it('let a folder with the name of a text be renamed', async () => {
    mkdirSync(join(folder, 'call.md'));
    write('call.vtt', 'call.mp3');
    assert.deepEqual(await alongWith(['call.md', 'talk.md']), []);
  });

  it('go together again after a rename that failed, or whose further moves the person skipped', async () => {
    write('call.md', 'call.vtt');
    await record('call.md', 'call.vtt');
    using _ = follow();
    assert.deepEqual(await asked(['call.md', 'talk.md']), [['call.vtt', 'talk.vtt']]);
    assert.deepEqual(await asked(['call.vtt', 'talk.vtt']), [], 'VS Code asks about the further move, too');
    assert.deepEqual(await asked(['call.md', 'talk.md']), [['call.vtt', 'talk.vtt']]);
    assert.deepEqual(await asked(['call.vtt', 'other.vtt']), [['call.md', 'other.md']], 'another name');
    assert.deepEqual(await asked(['call.md', 'talk.md']), [['call.vtt', 'talk.vtt']]);
    renameSync(join(folder, 'call.md'), join(folder, 'talk.md'));
    didRename({ files: filesOf([['call.md', 'talk.md']]) });
    renameSync(join(folder, 'talk.md'), join(folder, 'call.md'));
    didRename({ files: filesOf([['talk.md', 'call.md']]) });
    assert.deepEqual(await asked(['call.vtt', 'talk.vtt']), [['call.md', 'talk.md']]);
  });

  it('replace no file', async () => {
    write('call.md', 'call.vtt', 'talk.vtt');
    await record('call.md', 'call.vtt');
    assert.deepEqual(await alongWith(['call.md', 'talk.md']), []);
  });

  it('replace no file whose name differs in case alone', async function () {
    write('call.md', 'call.vtt', 'Call.vtt');
    skipUnless(this, readdirSync(folder).includes('Call.vtt'), 'a disk that does not ignore case');
    await record('call.md', 'call.vtt');
    assert.deepEqual(await alongWith(['call.md', 'Call.md']), []);
  });

  it('both get another case where the disk ignores it', async () => {
    ignoresCase = true;
    write('call.md', 'call.vtt');
    await record('call.md', 'call.vtt');
    assert.deepEqual(await alongWith(['call.md', 'Call.md']), [['call.vtt', 'Call.vtt']]);
  });

  it('are recorded under the name that the times have on disk', async () => {
    ignoresCase = true;
    write('call.md', 'call.vtt');
    await record('call.md', 'call.vtt');
    const moves = new FileMoves({ libraryOf });
    const rename = async (from: string, to: string) => {
      renameSync(join(folder, from), join(folder, to));
      moves.renamed([{ oldUri: at(from), newUri: at(to) }]);
      await moves.follow();
      return (await library.entries()).map(({ file, times }) => [file, times?.name]);
    };
    assert.deepEqual(await rename('call.md', 'Call.md'), [['Call.md', 'call.vtt']]);
    renameSync(join(folder, 'call.vtt'), join(folder, 'CALL.vtt'));
    assert.deepEqual(await rename('Call.md', 'CALL.md'), [['CALL.md', 'CALL.vtt']]);
  });
});
