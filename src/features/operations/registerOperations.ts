import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import type { ServiceConnection } from '../../editor/ServiceConnection.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { LastUsed } from './LastUsed.ts';
import type { OperationCommands } from './OperationCommands.ts';

export interface OperationDependencies {
  readonly settings: Settings;
  readonly service: Pick<ServiceConnection, 'checkReady' | 'open'>;
  readonly lastUsed: LastUsed;
  readonly log: vscode.LogOutputChannel;
}

/** The commands that run operations: from the palette with questions, or with the request as argument. */
export function registerOperations(dependencies: OperationDependencies): vscode.Disposable {
  let loaded: Promise<OperationCommands> | undefined;
  const load = () =>
    import('./OperationCommands.ts').then(({ OperationCommands }) => new OperationCommands(dependencies));
  return vscode.commands.registerCommand(commandIds.generateImage, async (argument?: unknown) => {
    loaded ??= load();
    return (await loaded).run('generateImage', argument);
  });
}
