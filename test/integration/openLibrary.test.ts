import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { answerWarning } from './answerDialog.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';

describe('unifiedMedia.openLibrary', () => {
  const open = (argument: unknown) => vscode.commands.executeCommand('unifiedMedia.openLibrary', argument);

  before(() => changeSettings({ service: 'sandbox', openAfterSave: false }));

  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  after(() => resetSettings());

  it('warns about a file that the library does not know, and only about that', async () => {
    const [asset] = await vscode.commands.executeCommand<readonly { readonly uri: string }[]>(
      'unifiedMedia.generateImage',
      { model: 'sandbox-1', prompt: 'a known harbour' },
    );
    assert(asset);
    using dialogs = answerWarning();
    await open({ uri: asset.uri });
    await open({ uri: vscode.Uri.parse(asset.uri) });
    await open({});
    assert.deepEqual(dialogs.questions, []);
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert(folder);
    await open({ uri: vscode.Uri.joinPath(folder, 'media', 'unknown.png').toString() });
    assert.equal(dialogs.questions.length, 1);
    assert.match(dialogs.questions[0] ?? '', /^media\/unknown\.png is not in the library/);
    await vscode.workspace.fs.delete(vscode.Uri.parse(asset.uri));
  });

  it('rejects what is not a URI', async () => {
    for (const uri of [7, ' ']) {
      await assert.rejects(async () => open({ uri }), { message: /must be the URI of a file/ });
    }
  });
});
