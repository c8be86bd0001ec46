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
  /** Absolute path; the extension's own, for this workspace. */
  readonly journalFolder: string;
  readonly log: vscode.LogOutputChannel;
}

/** The commands that run operations: from the palette with questions, or with the request as argument. */
export function registerOperations(dependencies: OperationDependencies): vscode.Disposable {
  let loading: Promise<OperationCommands> | undefined;
  const load = () => {
    loading ??= import('./OperationCommands.ts')
      .then(({ OperationCommands }) => new OperationCommands(dependencies))
      .catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
    return loading;
  };
  // After activation, which reads nothing.
  setImmediate(() => {
    load()
      .then((commands) => commands.recover())
      .catch((error: unknown) => dependencies.log.error(`Interrupted jobs could not be read: ${String(error)}`));
  });
  return vscode.commands.registerCommand(commandIds.generateImage, async (argument?: unknown) =>
    (await load()).run('generateImage', argument),
  );
}
