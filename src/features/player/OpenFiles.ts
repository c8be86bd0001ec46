import * as vscode from 'vscode';
import { movedUri } from '../../editor/openDocuments.ts';

/** Follows the files of what the player has open: their content and their names. */
export class OpenFiles implements vscode.Disposable {
  readonly #onDidChange: () => void;
  readonly #renames: vscode.Disposable;
  #watchers: readonly vscode.Disposable[] = [];
  #files: readonly vscode.Uri[] = [];

  constructor(onDidChange: () => void) {
    this.#onDidChange = onDidChange;
    this.#renames = vscode.workspace.onDidRenameFiles(({ files }) => {
      const now = this.#files.map((file) => movedUri(file, files));
      if (now.every((file, index) => file === this.#files[index])) return;
      this.follow(now);
      onDidChange();
    });
  }

  dispose(): void {
    this.#renames.dispose();
    for (const one of this.#watchers) one.dispose();
  }

  /** The first is what was opened. */
  get files(): readonly vscode.Uri[] {
    return this.#files;
  }

  follow(files: readonly vscode.Uri[]): void {
    for (const one of this.#watchers) one.dispose();
    this.#files = files;
    const folders = new Map(files.map((file) => [String(vscode.Uri.joinPath(file, '..')), file]));
    const look = ({ path }: vscode.Uri) => {
      if (files.some((file) => file.path === path)) this.#onDidChange();
    };
    this.#watchers = [...folders.values()].flatMap((file) => {
      const inside = new vscode.RelativePattern(vscode.Uri.joinPath(file, '..'), '*');
      const watcher = vscode.workspace.createFileSystemWatcher(inside, false, false, true);
      return [watcher, watcher.onDidChange(look), watcher.onDidCreate(look)];
    });
  }
}
