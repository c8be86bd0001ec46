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
    Promise.all([import('./LibraryFollower.ts'), import('./ReferenceFollower.ts')])
      .then(([{ LibraryFollower }, { ReferenceFollower }]) => {
        if (isOver) return;
        const references = new ReferenceFollower(window);
        following = vscode.Disposable.from(references, new LibraryFollower(places, log, references));
      })
      .catch((error: unknown) => log.error(`Moved files will not be recorded in the library: ${String(error)}`));
  });
  return new vscode.Disposable(() => {
    isOver = true;
    clearImmediate(starting);
    following?.dispose();
  });
}
