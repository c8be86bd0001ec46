import * as vscode from 'vscode';

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Unified Media', { log: true });
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand('unifiedMedia.showLog', () => log.show()),
  );
}
