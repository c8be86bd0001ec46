import type * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { register } from '../../editor/commands.ts';
import { runCommand } from '../../editor/runCommand.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { ApiKeys } from '../../service/ServiceConnection.ts';

/** Registers the commands that choose the service and set its key; loaded with the first one. */
export function registerService(settings: Settings, keys: ApiKeys, log: vscode.LogOutputChannel): vscode.Disposable {
  return register(() => import('./serviceCommands.ts'), {
    [commandIds.setApiKey]: ({ setApiKey }) => setApiKey(settings, keys),
    [commandIds.removeApiKey]: ({ removeApiKey }) => removeApiKey(keys),
    [commandIds.useService]: ({ useService }) => useService(settings, keys),
    [commandIds.useSandbox]: ({ useSandbox }) => useSandbox(settings),
    [commandIds.usePreset]: ({ usePreset }, argument) =>
      runCommand(argument === undefined ? 'person' : 'program', { settings, log }, () => usePreset(argument, settings)),
  });
}
