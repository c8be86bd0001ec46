import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commandIds } from '../../src/contributions.ts';
import { activationTime } from './activationTime.ts';
import { untilQuiet } from './untilQuiet.ts';

const extensionId = 'unified-media.unified-media';
const builtIn = ['vscode.git', 'vscode.github'];

describe('activation', () => {
  // The startup work of VS Code and other extensions must not count as ours.
  before(async () => {
    await Promise.all(builtIn.map((id) => vscode.extensions.getExtension(id)?.activate()));
    await untilQuiet();
  });

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

  it('reports how long it took beside built-in extensions', () => {
    for (const id of [extensionId, ...builtIn]) {
      const { load, activate } = activationTime(id);
      console.log(`      ${id}: ${load + activate} ms (load ${load} ms, activate ${activate} ms)`);
    }
  });
});
