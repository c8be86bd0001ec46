import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Asset } from '../../../src/library/LibraryRecord.ts';
import { wavBytes } from '../../support/mediaBytes.ts';
import { answerDialog } from '../answerDialog.ts';
import { answerQuestions } from '../answerQuestions.ts';
import { changeSettings, resetSettings } from '../changeSettings.ts';
import { eventually, repeatedly } from '../eventually.ts';
import { runTask } from '../runTask.ts';
import { emptyFolder, remove } from '../workspaceFolder.ts';
import { MemoryFiles } from './MemoryFiles.ts';

const model = 'sandbox-1';

function run(command: string, argument?: unknown): Promise<Asset[] | undefined> {
  return Promise.resolve(vscode.commands.executeCommand<Asset[] | undefined>(`unifiedMedia.${command}`, argument));
}

/** Adds a folder after the first one; replacing the first would restart the extension host. */
async function addFolder(uri: vscode.Uri): Promise<void> {
  const changed = new Promise((resolve) => vscode.workspace.onDidChangeWorkspaceFolders(resolve));
  vscode.workspace.updateWorkspaceFolders(1, 0, { uri });
  await changed;
}

async function removeFolder(): Promise<void> {
  const changed = new Promise((resolve) => vscode.workspace.onDidChangeWorkspaceFolders(resolve));
  vscode.workspace.updateWorkspaceFolders(1, 1);
  await changed;
}

beforeEach(() => changeSettings({ service: 'sandbox', openAfterSave: false }));

afterEach(async () => {
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  await resetSettings();
});

describe('in a virtual workspace', () => {
  const root = vscode.Uri.parse('memory-media:/project');
  let files: MemoryFiles;
  let provider: vscode.Disposable;
  let recording: string;

  beforeEach(async () => {
    files = new MemoryFiles();
    provider = vscode.workspace.registerFileSystemProvider(root.scheme, files, { isCaseSensitive: true });
    await vscode.workspace.fs.createDirectory(root);
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(root, 'notes.md'), Buffer.from('# Notes\n'));
    await addFolder(root);
    await vscode.window.showTextDocument(vscode.Uri.joinPath(root, 'notes.md'));
    recording = await mkdtemp(join(tmpdir(), 'recording-'));
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await removeFolder();
    provider.dispose();
    await rm(recording, { recursive: true });
  });

  const names = () => Object.keys(files.files).sort();
  const library = () => (files.files['/project/.unified-media/library.jsonl'] ?? '').trimEnd().split('\n');

  it('saves an image beside the active document, and records it', async () => {
    const [asset] = (await run('generateImage', { model, prompt: 'a fox' })) ?? [];
    assert.equal(asset?.uri, vscode.Uri.joinPath(root, 'media/images/a-fox.png').toString());
    const bytes = await vscode.workspace.fs.readFile(vscode.Uri.parse(asset.uri));
    assert.equal(bytes.length, asset.bytes);
    assert.equal(Buffer.from(bytes.subarray(1, 4)).toString(), 'PNG');
    const [record] = library().map((line) => JSON.parse(line) as { file: string });
    assert.equal(record?.file, 'media/images/a-fox.png');
    assert.deepEqual(names(), [
      '/project/.unified-media/library.jsonl',
      '/project/media/images/a-fox.png',
      '/project/notes.md',
    ]);
  });

  it('gives each of four concurrent jobs its own file and record', async () => {
    const taken = vscode.Uri.joinPath(root, 'media/images/a-fox.png');
    await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(taken, '..'));
    await vscode.workspace.fs.writeFile(taken, Buffer.from('mine'));
    const jobs = Array.from({ length: 4 }, () => run('generateImage', { model, prompt: 'a fox' }));
    const uris = (await Promise.all(jobs)).flat().map((asset) => asset?.uri);
    assert.equal(new Set(uris).size, 4);
    assert.equal(library().length, 4);
    assert.equal(names().length, 4 + 3);
    assert.equal(files.files[taken.path], 'mine');
  });

  it('saves the transcript of a recording of this machine', async () => {
    const file = join(recording, 'talk.wav');
    await writeFile(file, wavBytes);
    const [asset] = (await run('transcribe', { model, file: vscode.Uri.file(file) })) ?? [];
    assert.equal(asset?.uri, vscode.Uri.joinPath(root, 'media/transcripts/talk.md').toString());
    assert.match(files.files['/project/media/transcripts/talk.md'] ?? '', /^---\nsource: "talk\.wav"/);
    assert.equal(library().length, 1);
  });

  it('edits an existing image', async () => {
    await run('generateImage', { model, prompt: 'a fox' });
    const image = vscode.Uri.joinPath(root, 'media/images/a-fox.png');
    const [edited] = (await run('editImage', { model, prompt: 'at night', image_urls: [image] })) ?? [];
    assert.equal(edited?.mediaType, 'image/png');
  });

  it('sends nothing when nothing can be written', async () => {
    provider.dispose();
    const readOnly = { isCaseSensitive: true, isReadonly: true };
    provider = vscode.workspace.registerFileSystemProvider(root.scheme, files, readOnly);
    await eventually(repeatedly, () => vscode.workspace.fs.isWritableFileSystem(root.scheme) === false);
    await assert.rejects(run('generateImage', { model, prompt: 'a fox' }), {
      message: /^Nothing was sent\. Files cannot be saved in memory-media:.* \[save\]$/,
    });
  });
});

describe('in a workspace of several folders', () => {
  let first: string;
  let second: string;

  beforeEach(async () => {
    first = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    assert(first);
    second = await mkdtemp(join(tmpdir(), 'second-'));
    await addFolder(vscode.Uri.file(second));
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await removeFolder();
    await remove(second);
    await emptyFolder(first);
  });

  const answers = { 'What the image shows': 'a fox' };

  it('saves in the folder of the active file without asking', async () => {
    await writeFile(join(second, 'notes.md'), '# Notes\n');
    await vscode.window.showTextDocument(vscode.Uri.file(join(second, 'notes.md')));
    await run('generateImage', { model, prompt: 'a fox' });
    assert.deepEqual(await readdir(join(second, 'media/images')), ['a-fox.png']);
    assert.match(await readFile(join(second, '.unified-media/library.jsonl'), 'utf8'), /media\/images\/a-fox\.png/);
    assert.deepEqual(await readdir(first), []);
  });

  it('asks for the folder when no file is active', async () => {
    using _ = answerQuestions(answers);
    using dialog = answerDialog('showWorkspaceFolderPick', () => vscode.workspace.workspaceFolders?.[1]);
    await run('generateImage');
    assert.equal(dialog.questions.length, 1);
    assert.deepEqual(await readdir(join(second, 'media/images')), ['a-fox.png']);
  });

  it('sends nothing when that question is dismissed', async () => {
    using asked = answerQuestions(answers);
    using _ = answerDialog('showWorkspaceFolderPick', () => undefined);
    assert.equal(await run('generateImage'), undefined);
    assert.deepEqual(asked.questions, []);
    assert.deepEqual([...(await readdir(first)), ...(await readdir(second))], []);
  });

  it('runs the task of each folder with its own manifest', async () => {
    const entry = { operation: 'generateImage', prompt: 'a', model };
    await writeFile(join(first, 'media.jsonc'), JSON.stringify({ assets: { 'a.png': entry } }));
    await writeFile(join(second, 'media.jsonc'), JSON.stringify({ assets: {} }));
    const written = { label: 'written', type: 'media', verb: 'plan', manifest: 'media.jsonc' };
    await mkdir(join(second, '.vscode'));
    await writeFile(join(second, '.vscode/tasks.json'), JSON.stringify({ version: '2.0.0', tasks: [written] }));
    const codeOf = async (label: string, folder: string) => {
      let task: vscode.Task | undefined;
      await eventually(repeatedly, async () => {
        task = (await vscode.tasks.fetchTasks({ type: 'media' })).find(
          ({ name, scope }) => name === label && typeof scope === 'object' && scope.uri.fsPath === folder,
        );
        return task !== undefined;
      });
      assert(task);
      return runTask(task);
    };
    assert.equal(await codeOf('plan media.jsonc', first), 2);
    assert.equal(await codeOf('plan media.jsonc', second), 0);
    assert.equal(await codeOf('written', second), 0);
  });

  it('shows the view of assets and its commands as long as a folder with a manifest is open', async () => {
    const third = await mkdtemp(join(tmpdir(), 'third-'));
    await writeFile(join(third, 'media.jsonc'), JSON.stringify({ assets: {} }));
    const { executeCommand } = vscode.commands;
    const shown: unknown[] = [];
    Object.assign(vscode.commands, {
      executeCommand: (id: string, ...rest: readonly unknown[]) => {
        if (id === 'setContext' && rest[0] === 'unifiedMedia.hasManifest') shown.push(rest[1]);
        return executeCommand(id, ...rest);
      },
    });
    try {
      await addFolder(vscode.Uri.file(third));
      await eventually(repeatedly, () => shown.at(-1) === true);
      await removeFolder();
      await eventually(repeatedly, () => shown.at(-1) === false);
    } finally {
      Object.assign(vscode.commands, { executeCommand });
      await remove(third);
    }
  });

  it('uses the first folder for a caller', async () => {
    await run('generateImage', { model, prompt: 'a fox' });
    assert.deepEqual(await readdir(join(first, 'media/images')), ['a-fox.png']);
  });
});
