import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commandIds } from '../../src/contributions.ts';
import { activationTime } from './activationTime.ts';

const extensionId = 'unified-media.unified-media';

describe('activation', () => {
  it('finds and activates the extension', async () => {
    const extension = vscode.extensions.getExtension(extensionId);
    assert.ok(extension, 'the extension is not installed');
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('registers every command', async () => {
    const commands = await vscode.commands.getCommands(true);
    for (const id of Object.values(commandIds)) assert(commands.includes(id), id);
  });

  it('reports how long it took beside built-in extensions', async () => {
    for (const id of [extensionId, 'vscode.git', 'vscode.github']) {
      await vscode.extensions.getExtension(id)?.activate();
      const { load, activate } = activationTime(id);
      console.log(`      ${id}: ${load + activate} ms (load ${load} ms, activate ${activate} ms)`);
    }
  });
});
