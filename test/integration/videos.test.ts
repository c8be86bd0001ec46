import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { Previews } from '../../src/editor/Previews.ts';
import { VideoCommands, type VideoItem, VideoTree } from '../../src/features/videos/Videos.ts';
import { LocalFolder } from '../../src/files/LocalFolder.ts';
import { Library } from '../../src/library/Library.ts';
import type { LibraryRecord } from '../../src/library/LibraryRecord.ts';
import { videoRecord } from '../support/largeLibrary.ts';
import { answerWarning } from './answerDialog.ts';

describe('the Videos tree', () => {
  let folder: string;
  let library: Library;
  let tree: VideoTree;
  let previews: Previews;
  /** Items that the view was asked to refresh. */
  let refreshed: (readonly string[] | 'everything')[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'videos-'));
    library = libraryIn(folder);
    previews = new Previews(vscode.Uri.file(join(folder, 'previews')));
    tree = new VideoTree(previews, (error) => assert.fail(String(error)));
    tree.setRoots([vscode.Uri.file(folder)], { libraryOf: () => library });
    await tree.getChildren();
    refreshed = [];
    tree.onDidChangeTreeData((items) => refreshed.push(items?.map(({ label }) => label) ?? 'everything'));
  });

  afterEach(async () => {
    tree.dispose();
    previews.dispose();
    await rm(folder, { recursive: true });
  });

  function libraryIn(root: string): Library {
    return new Library(new LocalFolder(join(root, '.unified-media'), root));
  }

  async function record(
    index: number,
    facts: Partial<LibraryRecord> & { parent?: number } = {},
  ): Promise<LibraryRecord> {
    const { parent, ...others } = facts;
    const entry = { ...videoRecord(index, parent), prompt: `take ${index}`, ...others };
    if (entry.file) {
      await mkdir(dirname(join(folder, entry.file)), { recursive: true });
      await writeFile(join(folder, entry.file), '');
    }
    await library.append(entry);
    return entry;
  }

  async function outline(item?: VideoItem, indent = ''): Promise<readonly string[]> {
    const lines: string[] = [];
    for (const child of await tree.getChildren(item)) {
      lines.push(`${indent}${child.label}`, ...(await outline(child, `${indent}  `)));
      assert.equal(tree.getParent(child), item);
    }
    return lines;
  }

  async function first(): Promise<VideoItem> {
    const [item] = await tree.getChildren();
    assert(item);
    return item;
  }

  it('lists all videos newest first, with remixes below their parents', async () => {
    for (const [index, parent] of [[1], [2], [3, 1], [4, 3], [5, 99], [6, 1]] as const) {
      await record(index, parent === undefined ? {} : { parent });
    }
    await library.append({ ...videoRecord(7), kind: 'images', operation: 'generateImage' });
    assert.deepEqual(await outline(), ['take 5', 'take 2', 'take 1', '  take 6', '  take 3', '    take 4']);
  });

  it('describes model, age, sandbox and missing files', async () => {
    const createdAt = new Date(Date.now() - 3 * 3_600_000 - 1000).toISOString();
    await record(1, { createdAt, sandbox: true });
    const there = tree.getTreeItem(await first());
    assert.equal(there.label, 'take 1');
    assert.equal(there.description, 'sandbox-1 · 3 hours ago');
    assert.equal(there.accessibilityInformation?.label, 'take 1, sandbox-1, 3 hours ago, sandbox');
    await rm(join(folder, 'media'), { recursive: true });
    library.changed();
    const missing = tree.getTreeItem(await first());
    assert.equal(missing.description, 'missing · sandbox-1 · 3 hours ago');
    assert.equal(missing.command, undefined);
    assert.match(missing.contextValue ?? '', /\bremixable\b/);
    assert.doesNotMatch(missing.contextValue ?? '', /\bfile\b/);
  });

  it('shows a video as missing and as restored, and refreshes nothing else', async () => {
    await record(1);
    const { file = '' } = await record(2);
    assert.equal((await first()).isMissing, false);
    refreshed = [];
    await rm(join(folder, file));
    library.changed();
    assert.equal((await first()).isMissing, true);
    await writeFile(join(folder, file), '');
    library.changed();
    assert.equal((await first()).isMissing, false);
    assert.deepEqual(refreshed, [['take 2'], ['take 2']]);
  });

  it('refreshes only the parent of a new remix, and nothing when nothing has changed', async () => {
    await record(1);
    await record(2, { parent: 1 });
    await outline();
    const before = await first();
    refreshed = [];
    await record(3, { parent: 2 });
    assert.deepEqual(await outline(), ['take 1', '  take 2', '    take 3']);
    await library.append({ ...videoRecord(9), kind: 'images', operation: 'generateImage' });
    await outline();
    assert.deepEqual(refreshed, [['take 2']]);
    assert.equal(await first(), before, 'items stay the same objects');
  });

  it('refreshes only the video whose picture arrives', async () => {
    await record(1);
    await record(2);
    for (const item of await tree.getChildren()) tree.getTreeItem(item);
    refreshed = [];
    const shown = new Promise((resolve) => tree.onDidChangeTreeData(resolve));
    await previews.keep((await first()).entry, new Uint8Array(1), 2);
    await shown;
    assert.deepEqual(refreshed, [['take 2']]);
    assert.match(String(tree.getTreeItem(await first()).iconPath), /-2000\.webp$/);
  });

  it('shows a prompt as plain text on one line', async () => {
    const prompt = '$(flame) [x](command:workbench.action.quit) <img src=x>\r\n\u202e\u0007**bold**';
    await record(1, { prompt });
    const item = await first();
    const resolved = tree.resolveTreeItem(tree.getTreeItem(item), item);
    assert.equal(resolved.label, '$(flame) [x](command:workbench.action.quit) <img src=x> **bold**');
    assert.equal(typeof resolved.tooltip, 'string');
    assert.match(String(resolved.tooltip), /\*\*bold\*\*\n\nModel: sandbox-1\nDate: .*\nFile: .*\.mp4\nID: video_1$/);
  });

  it('shows the libraries of all folders, and a remix below its parent in another', async () => {
    const other = await mkdtemp(join(tmpdir(), 'videos-'));
    try {
      await record(1);
      await libraryIn(other).append({ ...videoRecord(2, 1), prompt: 'elsewhere' });
      tree.setRoots(
        [folder, other].map((path) => vscode.Uri.file(path)),
        { libraryOf: ({ fsPath }) => libraryIn(fsPath) },
      );
      assert.deepEqual(await outline(), ['take 1', '  elsewhere']);
    } finally {
      await rm(other, { recursive: true });
    }
  });

  it('lists a video that was added by its id and has no file', async () => {
    const { file: _, ...added } = videoRecord(1);
    await library.append({ ...added, prompt: '' });
    const item = await first();
    assert.equal(item.label, 'video_1');
    assert.match(String(tree.getTreeItem(item).description), /^no file · /);
    assert.deepEqual(item.uris, []);
  });

  it('returns 10,000 items with unique ids, and children on request', async () => {
    await library.append(
      ...Array.from({ length: 10_000 }, (_, index) => videoRecord(index, index % 2 ? index - 1 : undefined)),
    );
    const items = await tree.getChildren();
    assert.equal(items.length, 5000);
    const treeItems = items.map((item) => tree.getTreeItem(item));
    assert.equal(new Set(treeItems.map(({ id }) => id)).size, 5000);
    assert(treeItems.every((item) => item.collapsibleState === vscode.TreeItemCollapsibleState.Collapsed));
    assert.equal((await tree.getChildren(items[0])).length, 1);
  });

  describe('its commands', () => {
    const commands = new VideoCommands({ libraryOf: () => library });

    it('copy the id and the whole prompt', async () => {
      const prompt = `a fox\n${'and more '.repeat(50)}`;
      await record(1, { prompt });
      await commands.copyId(await first());
      assert.equal(await vscode.env.clipboard.readText(), 'video_1');
      await commands.copyPrompt(await first());
      assert.equal(await vscode.env.clipboard.readText(), prompt);
    });

    it('remove a video from the list after confirmation, and keep its file', async () => {
      const { file = '' } = await record(1);
      {
        using dialogs = answerWarning();
        await commands.forget(await first());
        assert.equal((await outline()).length, 1);
        assert.match(dialogs.questions.join(), /^Remove .*lighthouse-in-a-storm-1\.mp4 from the list\?$/);
      }
      using _ = answerWarning('Remove from List');
      await commands.forget(await first());
      assert.deepEqual(await outline(), []);
      assert((await readdir(join(folder, dirname(file)))).length === 1);
    });

    it('delete a file after confirmation, and keep the video in the list', async () => {
      const { file = '' } = await record(1);
      const files = () => readdir(join(folder, dirname(file)));
      {
        using dialogs = answerWarning();
        await commands.deleteFile(await first());
        assert.equal((await files()).length, 1);
        assert.match(dialogs.questions.join(), /^Delete .*lighthouse-in-a-storm-1\.mp4\?$/);
      }
      {
        using _ = answerWarning('Move to Trash', 'Delete Permanently');
        await commands.deleteFile(await first());
      }
      assert.deepEqual(await files(), []);
      library.changed();
      assert.equal((await first()).isMissing, true);
    });

    it('do not promise a remix of a video without an ID, which no service can find', async () => {
      const { file = '' } = await record(1, { videoId: undefined });
      using dialogs = answerWarning();
      await commands.deleteFile(await first());
      assert.deepEqual(dialogs.details, ['The video stays in the list, but cannot be remixed.']);
      await rm(join(folder, file));
      library.changed();
      const item = await first();
      const { tooltip } = tree.resolveTreeItem(tree.getTreeItem(item), item);
      assert.match(String(tooltip), /\nThe file no longer exists\.$/);
    });

    it('do nothing without a video, as when a keybinding runs them', async () => {
      for (const id of ['copyVideoId', 'copyPrompt', 'forgetVideo', 'deleteVideoFile', 'reusePrompt', 'playVideo']) {
        assert.equal(await vscode.commands.executeCommand(`unifiedMedia.${id}`), undefined);
      }
    });
  });
});
