import * as vscode from 'vscode';
import type { Window } from '../../editor/Window.ts';

/** Keeps the libraries up to date when files are moved, deleted or restored by anyone. */
export function registerFileMoves({ places, log }: Pick<Window, 'places' | 'log'>): vscode.Disposable {
  let following: vscode.Disposable | undefined;
  let isOver = false;
  // After activation, which watches nothing.
  const starting = setImmediate(() => {
    import('./LibraryFollower.ts')
      .then(({ LibraryFollower }) => {
        if (!isOver) following = new LibraryFollower(places, log);
      })
      .catch((error: unknown) => log.error(`Moved files will not be recorded in the library: ${String(error)}`));
  });
  return new vscode.Disposable(() => {
    isOver = true;
    clearImmediate(starting);
    following?.dispose();
  });
}
