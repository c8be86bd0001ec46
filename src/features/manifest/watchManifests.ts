import * as vscode from 'vscode';
import { contextKeys } from '../../contributions.ts';

/** Minimum time between updates, in milliseconds. Changes come in bursts. */
export const updateDelay = 300;

/** Sets the context key that tells whether the workspace has a manifest, now and when that may have changed. */
export function watchManifests(): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    const found = await vscode.workspace.findFiles('**/media.jsonc', '**/node_modules/**', 100);
    const isLocal = found.some(({ scheme }) => scheme === 'file');
    await vscode.commands.executeCommand('setContext', contextKeys.hasManifest, isLocal);
  };
  const note = ({ path }: vscode.Uri) => {
    if (!mayHoldManifest(path)) return;
    clearTimeout(timer);
    timer = setTimeout(look, updateDelay);
  };
  const watcher = vscode.workspace.createFileSystemWatcher('**/*', false, true, false);
  void look();
  return vscode.Disposable.from(
    watcher,
    watcher.onDidCreate(note),
    watcher.onDidDelete(note),
    vscode.workspace.onDidChangeWorkspaceFolders(look),
    { dispose: () => clearTimeout(timer) },
  );
}

/** Whether a path may be a manifest, or a folder with one: of a folder that comes or goes, the editor reports no files. */
export function mayHoldManifest(path: string): boolean {
  return /\/(?:media\.jsonc|[^/.]+)$/.test(path) && !/\/(?:\.git|node_modules)\//.test(path);
}
