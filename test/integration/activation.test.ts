import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
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

  it('loads at most 60 kB, and reports how long it took beside built-in extensions', async () => {
    for (const id of [extensionId, 'vscode.git', 'vscode.github']) {
      await vscode.extensions.getExtension(id)?.activate();
      const { load, activate } = activationTime(id);
      console.log(`      ${id}: ${load + activate} ms (load ${load} ms, activate ${activate} ms)`);
    }
    const folder = join(vscode.extensions.getExtension(extensionId)?.extensionPath ?? '', 'dist');
    const bytes = firstLoad(folder, 'extension.js').reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
    console.log(`      first-load code: ${(bytes / 1000).toFixed(1)} kB`);
    assert(bytes <= 60_000);
  });
});

/** A file of dist/ and all that it imports statically, each once. */
function firstLoad(folder: string, file: string, known: readonly string[] = []): readonly string[] {
  if (known.includes(file)) return known;
  const code = readFileSync(join(folder, file), 'utf8');
  const imports = [...code.matchAll(/^(?:import|\} from) ?"\.\/([^"]+)";$/gm)].map(([, name = '']) => name);
  return imports.reduce<readonly string[]>((files, name) => firstLoad(folder, name, files), [...known, file]);
}
