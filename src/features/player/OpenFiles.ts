import * as vscode from 'vscode';
import { pathFrom } from '../../files/pathFrom.ts';

/** Follows the files of what the player has open: their content and their names. */
export class OpenFiles implements vscode.Disposable {
  readonly #onDidChange: () => void;
  readonly #renames: vscode.Disposable;
  #watchers: readonly vscode.Disposable[] = [];
  #files: readonly vscode.Uri[] = [];

  constructor(onDidChange: () => void) {
    this.#onDidChange = onDidChange;
    this.#renames = vscode.workspace.onDidRenameFiles(({ files }) => {
      const now = this.#files.map((file) => files.reduce((one, rename) => renamed(one, rename), file));
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

/** Returns the address of a file after a rename of it or of a folder around it. */
function renamed(
  file: vscode.Uri,
  { oldUri, newUri }: { readonly oldUri: vscode.Uri; readonly newUri: vscode.Uri },
): vscode.Uri {
  const inside = pathFrom(oldUri.path, file.path);
  if (inside.split('/')[0] === '..') return file;
  return inside === '' || inside === '.' ? newUri : vscode.Uri.joinPath(newUri, inside);
}
