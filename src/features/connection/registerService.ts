import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { runCommand } from '../../editor/runCommand.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { ApiKeys } from '../../service/ServiceConnection.ts';

/** Registers the commands that choose the service and set its key; loaded with the first one. */
export function registerService(settings: Settings, keys: ApiKeys, log: vscode.LogOutputChannel): vscode.Disposable {
  const load = () => import('./serviceCommands.ts');
  return vscode.Disposable.from(
    vscode.commands.registerCommand(commandIds.setApiKey, async () => (await load()).setApiKey(settings, keys)),
    vscode.commands.registerCommand(commandIds.removeApiKey, async () => (await load()).removeApiKey(keys)),
    vscode.commands.registerCommand(commandIds.useService, async () => (await load()).useService(settings, keys)),
    vscode.commands.registerCommand(commandIds.useSandbox, async () => (await load()).useSandbox(settings)),
    vscode.commands.registerCommand(commandIds.usePreset, async (argument?: unknown) => {
      const { usePreset } = await load();
      return runCommand(argument === undefined ? 'person' : 'program', { settings, log }, () =>
        usePreset(argument, settings),
      );
    }),
  );
}
