import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Settings } from '../../src/editor/Settings.ts';
import { WorkspacePlaces } from '../../src/editor/WorkspacePlaces.ts';
import { LibraryFollower } from '../../src/features/fileMoves/LibraryFollower.ts';
import type { Library } from '../../src/library/Library.ts';
import type { LibraryRecord } from '../../src/library/LibraryRecord.ts';
import { eventually } from './eventually.ts';
import { untilReported } from './untilReported.ts';
import { emptyFolder, remove } from './workspaceFolder.ts';

/** Every test uses its own names: the editor merges or drops events of a file that is created and deleted at once. */
describe('files of the library', () => {
  let folder: string;
  let root: vscode.Uri;
  let library: Library;
  let watcher: vscode.FileSystemWatcher;

  before(async () => {
    // The extension itself follows moved files.
    await vscode.extensions.getExtension('unified-media.unified-media')?.activate();
    const workspaceFolder = vscode.workspace.workspaceFolders?.[0];
    assert(workspaceFolder);
    root = workspaceFolder.uri;
    folder = root.fsPath;
    watcher = vscode.workspace.createFileSystemWatcher('**/*');
  });

  after(async () => {
    watcher.dispose();
    await emptyFolder(folder);
  });

  /** Places without projects; nothing is saved through them. */
  const placesAt = (storage: vscode.Uri) =>
    new WorkspacePlaces(new Settings(), storage, () => Promise.reject(new Error('unused')));

  beforeEach(async () => {
    library = placesAt(root).libraryOf(root);
    await remove(join(folder, '.unified-media'));
  });

  /** Creates a folder and resolves when VS Code has reported it: only then does it reliably report files in it. */
  function makeFolder(path: string): Promise<void> {
    return untilReported(watcher, join(folder, path), () => mkdir(join(folder, path)));
  }

  function write(path: string, bytes: Uint8Array): Promise<void> {
    return untilReported(watcher, join(folder, path), () => writeFile(join(folder, path), bytes));
  }

  /** Writes files and their records, as a job does. */
  async function record(...paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const bytes = randomBytes(1000);
      await write(path, bytes);
      await library.append(recordOf(path, bytes));
    }
  }

  /** Resolves when the library lists exactly these files, oldest first. */
  async function filesAre(...expected: readonly string[]): Promise<void> {
    const files = async () => (await library.entries()).map(({ file }) => file);
    const change = (listener: () => void) =>
      vscode.Disposable.from(watcher.onDidCreate(listener), watcher.onDidChange(listener));
    await eventually(change, async () => (await files()).join() === expected.join()).catch(async (error: unknown) => {
      assert.deepEqual(await files(), expected);
      throw error;
    });
  }

  async function renameInEditor(from: string, to: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(vscode.Uri.joinPath(root, from), vscode.Uri.joinPath(root, to));
    assert(await vscode.workspace.applyEdit(edit));
  }

  it('are followed when the editor renames them', async () => {
    await record('fox.png', 'owl.png');
    await renameInEditor('fox.png', 'docs/red fox.png');
    await filesAre('docs/red fox.png', 'owl.png');
    const lines = (await readFile(join(folder, '.unified-media/library.jsonl'), 'utf8')).trimEnd().split('\n');
    assert.equal(lines.length, 3, 'one line more');
  });

  it('take the times of a transcript along, and the reverse, but replace no file', async () => {
    await record('call.md');
    await write('call.vtt', Buffer.from('WEBVTT'));
    const [entry] = await library.entries();
    assert(entry);
    await library.append({ moved: entry.id, file: 'call.md', times: { name: 'call.vtt', sha256: 'a'.repeat(64) } });
    const there = async () => (await readdir(folder)).filter((name) => /\.(?:md|vtt)$/.test(name)).sort();
    await renameInEditor('call.md', 'talk.md');
    assert.deepEqual(await there(), ['talk.md', 'talk.vtt']);
    await filesAre('talk.md');
    assert.equal((await library.entries())[0]?.times?.name, 'talk.vtt');
    await renameInEditor('talk.vtt', 'chat.vtt');
    assert.deepEqual(await there(), ['chat.md', 'chat.vtt']);
    await filesAre('chat.md');
    await write('kept.vtt', Buffer.from('WEBVTT\n\nNOTE another'));
    await renameInEditor('chat.md', 'kept.md');
    assert.deepEqual(await there(), ['chat.vtt', 'kept.md', 'kept.vtt']);
    assert.match(await readFile(join(folder, 'kept.vtt'), 'utf8'), /another/);
  });

  it('are followed when the editor renames their folder, and again when it renames that', async () => {
    await makeFolder('birds');
    await record('birds/hen.png', 'birds/emu.png', 'birdsong.mp3');
    await renameInEditor('birds', 'assets/birds');
    await filesAre('assets/birds/hen.png', 'assets/birds/emu.png', 'birdsong.mp3');
    await renameInEditor('assets', 'pictures');
    await filesAre('pictures/birds/hen.png', 'pictures/birds/emu.png', 'birdsong.mp3');
  });

  it('are followed when another program moves them', async () => {
    await record('seal.png', 'crab.png');
    await rename(join(folder, 'seal.png'), join(folder, 'sea lion.png'));
    await filesAre('sea lion.png', 'crab.png');
  });

  it('are followed when another program moves their folder', async () => {
    await makeFolder('cats');
    await record('cats/lion.mp4', 'cats/lynx.mp4');
    await rename(join(folder, 'cats'), join(folder, 'big cats'));
    await filesAre('big cats/lion.mp4', 'big cats/lynx.mp4');
  });

  it('are followed to an earlier copy when they are deleted', async () => {
    await record('wolf.png');
    await write('copy.png', await readFile(join(folder, 'wolf.png')));
    await rm(join(folder, 'wolf.png'));
    await filesAre('copy.png');
  });

  it('are not confused with files of the same size or of other records', async () => {
    await record('bear.png', 'mole.png');
    const bytes = await readFile(join(folder, 'bear.png'));
    await write('named.png', bytes);
    await library.append({ ...recordOf('named.png', bytes), jobId: 'other' });
    await write('same-size.png', Buffer.alloc(bytes.length));
    await rm(join(folder, 'bear.png'));
    // The later move shows that the earlier event has been handled.
    await rename(join(folder, 'mole.png'), join(folder, 'mole 2.png'));
    await filesAre('bear.png', 'mole 2.png', 'named.png');
  });

  describe('are reported to views', () => {
    let follower: LibraryFollower;
    let log: vscode.LogOutputChannel;

    beforeEach(() => {
      const places = placesAt(root);
      library = places.libraryOf(root);
      log = vscode.window.createOutputChannel('follow', { log: true });
      follower = new LibraryFollower(places, log);
    });

    afterEach(() => {
      follower.dispose();
      log.dispose();
    });

    /** Resolves when the library has reported a change and the condition holds. */
    async function changed(work: () => Promise<unknown>, holds: () => Promise<boolean>): Promise<void> {
      let hasTold = false;
      const listen = (listener: () => void) => {
        const listening = library.onDidChange(() => {
          hasTold = true;
          listener();
        });
        return new vscode.Disposable(() => listening.dispose());
      };
      const seen = eventually(listen, async () => hasTold && (await holds()));
      await work();
      await seen;
    }

    it('as missing and as restored, without moving the record', async () => {
      await record('heron.png');
      const file = join(folder, 'heron.png');
      const bytes = await readFile(file);
      const isThere = async () => (await readdir(folder)).includes('heron.png');
      await changed(
        () => rm(file),
        async () => !(await isThere()),
      );
      await changed(() => writeFile(file, bytes), isThere);
      await filesAre('heron.png');
    });

    it('when another window or git has written them', async () => {
      await record('newt.png');
      const hasTwo = async () => (await library.entries()).length === 2;
      const line = JSON.stringify(recordOf('toad.png', randomBytes(9)));
      await changed(() => appendFile(join(folder, '.unified-media/library.jsonl'), `${line}\n`), hasTwo);
    });

    it('when their whole folder goes and comes back, as with another branch', async () => {
      const libraryFolder = join(folder, '.unified-media');
      await makeFolder('.unified-media');
      await untilReported(watcher, join(libraryFolder, 'library.jsonl'), () => record('carp.png'));
      const elsewhere = join(folder, '..', 'other-branch');
      const isEmpty = async () => (await library.entries()).length === 0;
      await changed(() => rename(libraryFolder, elsewhere), isEmpty);
      await changed(
        () => rename(elsewhere, libraryFolder),
        async () => !(await isEmpty()),
      );
    });
  });
});

function recordOf(file: string, bytes: Uint8Array): LibraryRecord {
  return {
    file,
    kind: 'images',
    operation: 'generateImage',
    model: 'm',
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    createdAt: '2026-01-02T03:04:05.000Z',
    jobId: 'job',
  };
}
