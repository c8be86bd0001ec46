import assert from 'node:assert/strict';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { pngBytes } from '../support/mediaBytes.ts';
import { changeSettings } from './changeSettings.ts';
import { eventually, repeatedly } from './eventually.ts';
import { untilRead } from './untilRead.ts';
import { useSandboxInWorkspace } from './workspaceFolder.ts';

const { executeCommand } = vscode.commands;

const page = `---
import small from '../../public/images/small.webp';
---
<img src="/images/a.png" alt="A"><img src={small.src} alt="B">
`;
const manifest = `{
  // The pictures of the start page
  "assets": {
    "public/images/a.png": {"operation": "generateImage", "prompt": "a", "model": "m"}, // the large one
    "public/images/small.webp": { "from": "public/images/a.png", "size": [16, 16] }
  }
}
`;

describe('A renamed file', () => {
  const folder = useSandboxInWorkspace();
  const at = (path: string) => join(folder, 'site', path);
  const uriAt = (path: string) => vscode.Uri.file(at(path));
  const texts = ['src/pages/index.astro', 'media.jsonc', 'media.lock.jsonl'];

  beforeEach(async () => {
    // In a browser VS Code saves every document by itself.
    await changeSettings({ autoSave: 'off' }, 'files');
    await vscode.extensions.getExtension('unified-media.unified-media')?.activate();
    const files = {
      'astro.config.mjs': 'export default {}',
      'src/pages/index.astro': page,
      'notes.md': '![A](public/images/a.png)\n',
      'media.jsonc': manifest,
      'public/images/a.png': pngBytes,
      'public/images/small.webp': pngBytes,
    };
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), content);
    }
    await untilRead(uriAt('media.jsonc'), manifest);
    const paths = ['public/images/a.png', 'public/images/small.webp'];
    await executeCommand('unifiedMedia.acceptAssets', { manifest: uriAt('media.jsonc'), paths });
  });

  const onDisk = () => Promise.all(texts.map((path) => readFile(at(path), 'utf8')));
  const areOnDisk = (expected: readonly string[]) =>
    eventually(repeatedly, async () => (await onDisk()).join() === expected.join()).catch(async (error: unknown) => {
      assert.deepEqual(await onDisk(), expected);
      throw error;
    });
  const isThere = (path: string) =>
    access(at(path)).then(
      () => true,
      () => false,
    );

  async function rename(from: string, to: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(uriAt(from), uriAt(to));
    assert(await vscode.workspace.applyEdit(edit));
  }

  it('has its page, manifest and lock right after one step, for 0 requests, and undo takes all back', async () => {
    const before = await onDisk();
    for (const [from, to] of [
      ['public/images/a.png', 'public/images/hero.png'],
      ['public/images', 'public/pictures'],
    ] as const) {
      const after = before.map((text) => text.replaceAll(from, to).replaceAll(from.slice(6), to.slice(6)));
      assert.notDeepEqual(after, before);
      await rename(from, to);
      await areOnDisk(after);
      const plan = await executeCommand<{ readonly requests: object; readonly entries: readonly { state: string }[] }>(
        'unifiedMedia.planAssets',
        { manifest: uriAt('media.jsonc') },
      );
      assert.deepEqual(plan.requests, {});
      assert.deepEqual(
        plan.entries.map(({ state }) => state),
        ['fresh', 'fresh'],
      );
      await vscode.window.showTextDocument(uriAt('src/pages/index.astro'));
      await executeCommand('undo');
      await areOnDisk(before);
      await eventually(repeatedly, async () => (await isThere(from)) && !(await isThere(to)));
    }
  });

  it('is named anew in a document with unsaved changes, which stays unsaved', async () => {
    const document = await vscode.workspace.openTextDocument(uriAt('notes.md'));
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'Unsaved, too: ![A](public/images/a.png)\n\n'));
    await rename('public/images/a.png', 'a b.png');
    assert.equal(document.getText(), 'Unsaved, too: ![A](a%20b.png)\n\n![A](a%20b.png)\n');
    assert(document.isDirty);
    assert.equal(await readFile(at('notes.md'), 'utf8'), '![A](public/images/a.png)\n');
    await executeCommand('workbench.action.files.revert');
  });
});
