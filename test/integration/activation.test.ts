import assert from 'node:assert/strict';
import { parse } from 'jsonc-parser';
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

  it('has keybindings that VS Code and its own extensions leave free', async () => {
    const defaults = vscode.Uri.parse('vscode://defaultsettings/keybindings.json');
    const text = (await vscode.workspace.openTextDocument(defaults)).getText();
    const bindings = parse(text) as readonly {
      readonly key: string;
      readonly command: string;
      readonly when?: string;
    }[];
    const isOurs = ({ command }: { readonly command: string }) => command.startsWith('unifiedMedia.');
    // Those of a list, a search or a suggestion are used only there.
    const isGeneral = ({ when }: { readonly when?: string }) =>
      when === undefined || /^(?:editorFocus|editorTextFocus|textInputFocus|!editorReadonly| && )+$/.test(when);
    const others = bindings.filter((one) => !isOurs(one) && isGeneral(one));
    const taken = new Map(others.map(({ key, command }) => [key, command]));
    const own = bindings.filter(isOurs);
    assert(taken.size > 100 && own.length >= 5, `${taken.size}, ${own.length}`);
    assert.deepEqual(
      own.map(({ key, command }) => [command, taken.get(key)]),
      own.map(({ command }) => [command, undefined]),
    );
    // A player that was used stays, so its keys leave out where they mean something else.
    const whenOf = (id: string) => own.find(({ command }) => command === id)?.when ?? '';
    const suggestion = bindings.find(({ command }) => command === 'toggleSuggestionFocus');
    assert.deepEqual([suggestion?.key, suggestion?.when?.includes('suggestWidgetVisible')], ['ctrl+alt+space', true]);
    assert.match(whenOf(commandIds.playPause), /!suggestWidgetVisible/);
    // On Windows this key executes the cell of a notebook.
    assert.match(whenOf(commandIds.playFromHere), /!notebookEditorFocused/);
  });

  it('reports how long it took beside built-in extensions', () => {
    for (const id of [extensionId, ...builtIn]) {
      const { load, activate } = activationTime(id);
      console.log(`      ${id}: ${load + activate} ms (load ${load} ms, activate ${activate} ms)`);
    }
  });
});
