import * as vscode from 'vscode';
import type { Window } from '../../editor/Window.ts';

/**
 * Keeps the libraries up to date when files are moved, deleted or restored by anyone, and references to files that the
 * editor moves.
 */
export function registerFileMoves(window: Pick<Window, 'places' | 'log' | 'projects' | 'settings'>): vscode.Disposable {
  const { places, log } = window;
  let following: vscode.Disposable | undefined;
  let isOver = false;
  // After activation, which watches nothing.
  const starting = setImmediate(() => {
    import('./LibraryFollower.ts')
      .then(({ LibraryFollower }) => {
        if (!isOver) following = new LibraryFollower(places, log, window);
      })
      .catch((error: unknown) => log.error(`Moves are not followed: ${String(error)}`));
  });
  return new vscode.Disposable(() => {
    isOver = true;
    clearImmediate(starting);
    following?.dispose();
  });
}
