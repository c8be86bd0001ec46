import * as vscode from 'vscode';

/** Does some work and resolves when VS Code has reported that it created or changed a file or folder. */
export async function untilReported(
  watcher: vscode.FileSystemWatcher,
  path: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const { promise: reported, resolve } = Promise.withResolvers<void>();
  const note = ({ fsPath }: vscode.Uri) => (fsPath === path ? resolve() : undefined);
  const listening = vscode.Disposable.from(watcher.onDidCreate(note), watcher.onDidChange(note));
  try {
    await work();
    await reported;
  } finally {
    listening.dispose();
  }
}
