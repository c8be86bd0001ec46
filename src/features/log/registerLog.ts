import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';

export function registerLog(log: vscode.LogOutputChannel): vscode.Disposable {
  return vscode.commands.registerCommand(commandIds.showLog, () => log.show());
}
