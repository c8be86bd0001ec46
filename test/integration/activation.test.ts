import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('activation', () => {
  it('finds and activates the extension', async () => {
    const extension = vscode.extensions.getExtension('unified-media.unified-media');
    assert.ok(extension, 'the extension is not installed');
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('registers the command that shows the log', async () => {
    const commands = await vscode.commands.getCommands(true);
    assert.ok(commands.includes('unifiedMedia.showLog'));
  });
});
