import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { changeSettings, resetSettings } from './changeSettings.ts';
import { untilReported } from './untilReported.ts';

describe('unifiedMedia.insertAsset in a project', () => {
  let root: vscode.Uri;

  before(() => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert(folder);
    root = vscode.Uri.joinPath(folder, 'projects');
  });

  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  after(async () => {
    await resetSettings();
    await vscode.workspace.fs.delete(root, { recursive: true });
  });

  const write = (path: string, text: string) =>
    vscode.workspace.fs.writeFile(vscode.Uri.joinPath(root, path), new TextEncoder().encode(text));

  it('follows changes of the configuration and the setting', async () => {
    const written = async () => {
      const document = vscode.Uri.joinPath(root, `${Math.random()}.tsx`);
      await vscode.workspace.fs.writeFile(document, new Uint8Array());
      await vscode.window.showTextDocument(document);
      const argument = { uri: vscode.Uri.joinPath(root, 'public/fox.png').toString(), title: 'A fox' };
      assert.equal(await vscode.commands.executeCommand('unifiedMedia.insertAsset', argument), true);
      const text = vscode.window.activeTextEditor?.document.getText() ?? '';
      await vscode.commands.executeCommand('workbench.action.files.save');
      return text;
    };
    const watcher = vscode.workspace.createFileSystemWatcher('**/*');
    try {
      // VS Code reliably reports files only in folders that it has already reported.
      await untilReported(watcher, root.fsPath, async () => vscode.workspace.fs.createDirectory(root));
      await write('next.config.js', '');
      await write('public/fox.png', '');
      assert.equal(await written(), '<img src="/fox.png" alt="A fox" />');
      const { fsPath } = vscode.Uri.joinPath(root, 'next.config.js');
      await untilReported(watcher, fsPath, async () =>
        write('next.config.js', "module.exports = { basePath: '/new' }"),
      );
    } finally {
      watcher.dispose();
    }
    assert.equal(await written(), '<img src="/new/fox.png" alt="A fox" />');
    await changeSettings({ references: 'relative' });
    assert.equal(await written(), '<img src="public/fox.png" alt="A fox" />');
    await changeSettings({ references: { '/cdn/': 'projects/public' } });
    assert.equal(await written(), '<img src="/cdn/fox.png" alt="A fox" />');
  });
});
