import type * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { register } from '../../editor/commands.ts';
import { runCommand } from '../../editor/runCommand.ts';
import type { Window } from '../../editor/Window.ts';

/** Registers the commands that choose the service and set its key; loaded with the first one. */
export function registerService({ settings, keys, log }: Pick<Window, 'settings' | 'keys' | 'log'>): vscode.Disposable {
  return register(() => import('./serviceCommands.ts'), {
    [commandIds.setApiKey]: ({ setApiKey }) => setApiKey(settings, keys),
    [commandIds.removeApiKey]: ({ removeApiKey }) => removeApiKey(keys),
    [commandIds.useService]: ({ useService }) => useService(settings, keys),
    [commandIds.useSandbox]: ({ useSandbox }) => useSandbox(settings),
    [commandIds.usePreset]: ({ usePreset }, argument) =>
      runCommand(argument === undefined ? 'person' : 'program', { settings, log }, () => usePreset(argument, settings)),
  });
}
